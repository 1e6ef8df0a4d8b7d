// Options as Python's dict of keyword arguments.
#pragma once
#include <pybind11/pybind11.h>

#include "croft/app/tag_plan.h"
#include "croft/app/train.h"
#include "croft/train/graph_training.h"

namespace croft::python {

// Keys are the command line's options with _ for -; None and absent keys mean the default.  Throws
// ValueError for a value that is none of an option's, TypeError for one of another type and for
// keys that are no options.
TrainRequest train_request(const pybind11::dict& options);
// Of a general CRF.
GraphTrainOptions graph_train_options(const pybind11::dict& options);
// constrain, rules, limit, penalties, decode, scheme, partial.
TagRequest tag_request(const pybind11::dict& options,
                       const SequenceModel& model);

}  // namespace croft::python
