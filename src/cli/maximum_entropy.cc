// croft maximum-entropy

#include "app/infer/maximum_entropy_report.h"
#include "cli/common.h"
#include "core/json.h"

#include <array>

#include "cli/model_options.h"
#include "cli/verb.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kMaximumEntropyFooter = R"(
Example:
  printf 'face,low,mean\n1,1,1\n2,1,2\n3,0,3\n4,0,4\n5,0,5\n6,0,6\n' > die.csv
  croft maximum-entropy die.csv --constraint 'low = 0.5' --constraint 'mean <= 2.8'

The first column names an outcome, the others are features. Of all distributions whose expectations
are as asked for, finds the one of largest entropy, or with --base the one nearest to the base. Exit
status 1 where no distribution meets the constraints.  docs/maximum_entropy.md)";

std::span<const OptionRow> maximum_entropy_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("TABLE", "FILE", "CSV: a column of names, then a column for each feature")
          .needed()
          .unnamed(),
      words("constraint", "TEXT",
            "On the expectation of a feature: 'FEATURE = NUMBER', <= or >=; may be repeated")
          .repeated(),
      file("constraints", "FILE", "A file of constraints, one a line"),
      words("base", "COLUMN",
            "The column with what outcomes weigh where nothing is asked; by default all alike"),
      delimiter_row(),
      number("tolerance", "NUMBER=1e-9",
             "Largest violation of a constraint, relative to its column's size"),
      whole("max-iterations", "N=1000", "Newton steps at most").from(1),
      json_row("One JSON document"),
  });
  return kRows;
}

int run_maximum_entropy(const OptionValues& values) {
  MaximumEntropyRequest request;
  values.read("TABLE", request.table);
  values.read("constraint", request.constraints);
  values.read("constraints", request.constraint_file);
  values.read("base", request.base);
  read_delimiter(values, request.delimiter);
  values.read("tolerance", request.options.tolerance);
  values.read("max-iterations", request.options.max_iterations);
  const MaximumEntropyAnswer answer = solve_maximum_entropy(request);
  write_answer(
      values.flag("json"), [&] { return maximum_entropy_json(answer); },
      [&] { return format_maximum_entropy(answer); });
  const MaximumEntropyStatus status = answer.result.status;
  return status == MaximumEntropyStatus::optimal || status == MaximumEntropyStatus::boundary
             ? kDone
             : kBadInput;
}

}  // namespace

const Verb kMaximumEntropy = {
    .name = "maximum-entropy",
    .summary = "Find the distribution of largest entropy with given expectations",
    .options = [] { return tables(maximum_entropy_options(), common_options()); },
    .footer = [] { return std::string(kMaximumEntropyFooter); },
    .run = run_maximum_entropy};

}  // namespace croft::cli
