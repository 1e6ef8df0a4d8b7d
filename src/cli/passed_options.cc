#include "cli/passed_options.h"

#include <algorithm>

#include "app/label/row_reader.h"
#include "app/train/train_files.h"
#include "cli/help/option_text.h"
#include "cli/verb.h"
#include "core/words/closest_name.h"
#include "croft/core/error.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

// Options that such a verb has itself, or that would not mean what they say for parts of the data.
constexpr std::string_view kOwn[] = {"DATA",   "output",   "threads",   "seed",
                                     "resume", "group-by", "contiguous"};
constexpr std::string_view kRefused[] = {"checkpoint", "checkpoint-interval", "log", "quiet",
                                         "weights"};

}  // namespace

std::span<const OptionRow> passed_options() {
  static const std::vector<OptionRow> kRows = [] {
    std::vector<OptionRow> rows;
    for (const std::span<const OptionRow> table : training_options()) {
      for (OptionRow row : table) {
        const auto is = [&](std::string_view other) { return other == row.name; };
        if (std::ranges::any_of(kOwn, is) || std::ranges::any_of(kRefused, is)) continue;
        // Whether it goes with the others is for the trainings to say.
        row.hidden = true, row.needs = row.excludes = {};
        rows.push_back(row);
      }
    }
    return rows;
  }();
  return kRows;
}

std::string did_you_mean_passed(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OptionRow& row : passed_options()) {
    if (takes_value(row)) names.push_back(row.name);
  }
  return did_you_mean(name, names);
}

std::vector<std::string> passed_arguments(const OptionValues& values, std::string_view but) {
  OptionValues passed({passed_options()});
  for (const OptionRow& row : passed_options()) {
    if (row.name == but) continue;
    for (const std::string& value : values.list(row.name)) passed.set(row.name, value);
  }
  std::vector<std::string> arguments = passed.arguments();
  if (!values.given("holdout") || !holdout_fraction(std::string(values.text("holdout")))) {
    return arguments;
  }
  if (values.given("group-by"))
    arguments.push_back("--group-by=" + std::string(values.text("group-by")));
  if (values.flag("contiguous")) arguments.emplace_back("--contiguous");
  return arguments;
}

void check_passed_holdout(const OptionValues& values, std::string_view instead,
                          std::span<const std::string> varied) {
  const std::string_view kind = values.text("model");
  if (!values.given("holdout") || values.given("early-stop")) return;
  if (kind == "pool" || kind == "error-correcting") return;  // which learn on it
  for (const std::string& option : varied) {
    if (option == "early-stop" || option == "model") return;
  }
  throw UsageError("--holdout: ", instead,
                   ", and not on a hold-out: leave it out, or give --early-stop, which stops each "
                   "training by it");
}

InputFormat data_form_of(std::string_view format, std::string_view what) {
  if (format == kSpanFormat) return InputFormat::text;  // a line is a sequence
  if (format.empty()) return InputFormat::columns;
  if (const auto own = format_of(format)) return *own;
  throw UsageError("--format ", format, ": ", what,
                   " divides files into parts: croft convert --from ", format, " --to spans first");
}

int train_with(const std::vector<std::string>& arguments) {
  OptionValues values(training_options());
  for (const std::string& each : arguments) values.set_argument(each);
  return run_train(values);
}

}  // namespace croft::cli
