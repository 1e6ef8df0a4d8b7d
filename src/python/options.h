// Options as Python's dict of keyword arguments.
#pragma once
#include <pybind11/pybind11.h>

#include "app/search/search.h"
#include "app/train/train_error_correcting.h"
#include "app/train/train_hidden_chain.h"
#include "app/train/train_pool.h"
#include "app/train/train_segment.h"
#include "croft/app/tag_plan.h"
#include "croft/app/train.h"
#include "train/boosting/boosting.h"
#include "train/kinds/graph_training.h"

namespace croft::python {

// Keys are the command line's options with _ for -; None and absent keys mean the default.  Throws
// ValueError for a value that is none of an option's, TypeError for one of another type and for
// keys that are no options.
TrainRequest train_request(const pybind11::dict& options);
// Of gradient tree boosting, beside those of train_request().
BoostingOptions boosting_options(const pybind11::dict& options);
// Of segments, beside those of train_request(): `train` is left open.
SegmentRequest segment_request(const pybind11::dict& options);
// Of a general CRF.
GraphTrainOptions graph_train_options(const pybind11::dict& options);
// Of hidden states, of a pool and of a code, beside those of train_request(): `train` is left open.
HiddenChainRequest hidden_chain_request(const pybind11::dict& options);
PoolRequest pool_request(const pybind11::dict& options);
CodeRequest code_request(const pybind11::dict& options);
// Of a search: its parameters are left open.
SearchSettings search_settings_of(const pybind11::dict& options);
// constrain, rules, limit, penalties, decode, scheme, partial.
TagRequest tag_request(const pybind11::dict& options, const SequenceModel& model);

}  // namespace croft::python
