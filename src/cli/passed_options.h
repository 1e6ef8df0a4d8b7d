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
// ` (did you mean "l2"?)`: one of them that takes a value; or nothing.
std::string did_you_mean_passed(std::string_view name);
// As they were given, for each of the trainings, but for one.  A training that holds a fraction of
// its part out divides it as the verb divides all of the data: by --group-by and --contiguous.
std::vector<std::string> passed_arguments(const OptionValues& values, std::string_view but = {});
// Throws UsageError for a --holdout that no training looks at.
//   instead : what scores, such as "a search scores settings on its folds"
//   varied  : options that the trainings have beside those given
void check_passed_holdout(const OptionValues& values, std::string_view instead,
                          std::span<const std::string> varied = {});
// How the sequences of data in this format lie in files.  Throws UsageError for formats of other
// programs, of which parts cannot be cut; what: "a search".
InputFormat data_form_of(std::string_view format, std::string_view what);
// A training with these arguments; returns the exit status.
int train_with(const std::vector<std::string>& arguments);

}  // namespace croft::cli
