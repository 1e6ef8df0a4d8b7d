// Options as Python's dict of keyword arguments, by the tables that the command line reads.
#pragma once
#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <vector>

#include "app/check/data_check.h"
#include "app/convert/texts/text_readers.h"
#include "app/label/tag_plan.h"
#include "app/search/search.h"
#include "app/train/requests.h"

namespace croft::python {

// Options as keyword arguments are named: min_count.
std::string in_python(const Message& message);
// The same of a text that the library hands over with this option in it as the command line has it.
std::string in_python(const std::string& text, std::string_view option);

// What was asked of a training of a kind of model.  Keys are the names of rows with _ for -; None
// and absent keys mean the default.  A template may be its text, in the place of its file's name; a
// mapping stands for LABEL=VALUE where a row has several values.  Labels may always be known in
// part.
// Throws TypeError for values of another type, for keys that are no options and for those that the
// command line alone has; UsageError for values out of range and for options without a meaning for
// the kind.
OptionValues values_of(const pybind11::dict& options, std::string_view kind);

// The requests of app/train/requests.h, for sequences in memory.
TrainRequest train_request(const pybind11::dict& options, std::string_view kind);
SegmentRequest segment_request(const pybind11::dict& options);  // `gazetteers`: name -> names
BoostedRequest boosted_request(const pybind11::dict& options, std::string_view kind);  // likewise
HiddenChainRequest hidden_chain_request(const pybind11::dict& options);
PoolRequest pool_request(const pybind11::dict& options);    // `label_classes`: label -> class
JointRequest joint_request(const pybind11::dict& options);  // likewise, or a path
MixtureRequest mixture_request(const pybind11::dict& options);
CodeRequest code_request(const pybind11::dict& options);  // `code`: label -> word, too
HmmRequest hmm_request(const pybind11::dict& options);

// Any of the options of a training, as arguments of the command line.
std::vector<std::string> training_arguments(const pybind11::dict& options);

// Of a search: its parameters are left open.
SearchSettings search_settings_of(const pybind11::dict& options);
// Those of croft check.
CheckOptions check_request(const pybind11::dict& options);
// format, tokenizer, label_column, ignore_lines, text_column: how a model's data in a file is
// written.
OptionValues data_values(const pybind11::dict& options);
// constrain, rules, limit, penalties, decode, scheme, partial.
TagRequest tag_request(const pybind11::dict& options, const SequenceModel& model);

}  // namespace croft::python
