// Options of train that other verbs hand on to trainings of their own.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_row.h"
#include "core/option_values.h"
#include "features/extraction.h"

namespace croft::cli {

// Those that mean for a part of the data what they mean for all of it; help lists them under train.
std::span<const OptionRow> passed_options();
// As they were given, for each of the trainings, but for one.
std::vector<std::string> passed_arguments(const OptionValues& values, std::string_view but = {});
// How the sequences of data in this format lie in files.  Throws UsageError for formats of other
// programs, of which parts cannot be cut; what: "a search".
InputFormat data_form_of(std::string_view format, std::string_view what);
// A training with these arguments; returns the exit status.
int train_with(const std::vector<std::string>& arguments);

}  // namespace croft::cli
