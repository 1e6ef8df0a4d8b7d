// The columns of a matrix, for a model that the program trained on rows.
#pragma once
#include <string>
#include <vector>

#include "model/kinds/sequence_model.h"

namespace croft::python {

// The model's attributes but the intercept in the order of its data's columns: that of a table's
// header; of svmlight's indices; where the data has no order, that of their bytes.
//   attributes : of the model, in any order
// Throws Error, naming the file, where columns of a table are more than their numbers: categorical
// or standardised.
std::vector<std::string> column_names(const SequenceModel& model,
                                      std::vector<std::string> attributes);

}  // namespace croft::python
