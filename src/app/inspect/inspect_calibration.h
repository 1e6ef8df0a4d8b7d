// What inspect shows of a calibration, for models of every kind.
#pragma once
#include <string>

#include "model/kinds/sequence_model.h"

namespace croft {
class Json;

// Its lines; empty for a model without one.
std::string calibration_lines(const SequenceModel& model);
// Adds the field "calibration": the section as it is, where there is one.
void add_calibration(const SequenceModel& model, Json& document);

}  // namespace croft
