// croft maximum-entropy
#include <memory>

#include "app/infer/maximum_entropy_report.h"
#include "cli/common.h"
#include "cli/data_options.h"
#include "croft/core/json.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  printf 'face,low,mean\n1,1,1\n2,1,2\n3,0,3\n4,0,4\n5,0,5\n6,0,6\n' > die.csv
  croft maximum-entropy die.csv --constraint 'low = 0.5' --constraint 'mean <= 2.8'

The first column names an outcome, the others are features. Of all distributions whose expectations
are as asked for, finds the one of largest entropy, or with --base the one nearest to the base. Exit
status 1 where no distribution meets the constraints.  docs/maximum_entropy.md)";

struct MaximumEntropyCommand {
  MaximumEntropyRequest request;
  bool json = false;
  CommonOptions common;
};

int run(const MaximumEntropyCommand& c) {
  const MaximumEntropyAnswer answer = solve_maximum_entropy(c.request);
  if (c.json) {
    write_json(maximum_entropy_json(answer));
  } else {
    write_result(format_maximum_entropy(answer));
  }
  const MaximumEntropyStatus status = answer.result.status;
  return status == MaximumEntropyStatus::optimal || status == MaximumEntropyStatus::boundary
             ? kDone
             : kBadInput;
}

}  // namespace

void add_maximum_entropy(Program& program) {
  CLI::App* verb = program.app.add_subcommand(
      "maximum-entropy", "Find the distribution of largest entropy with given expectations");
  auto c = std::make_shared<MaximumEntropyCommand>();
  MaximumEntropyRequest& r = c->request;
  verb->add_option("TABLE", r.table, "CSV: a column of names, then a column for each feature")
      ->required();
  verb->add_option("--constraint", r.constraints,
                   "On the expectation of a feature: 'FEATURE = NUMBER', <= or >=; may be repeated")
      ->allow_extra_args(false)
      ->option_text("TEXT");
  verb->add_option("--constraints", r.constraint_file, "A file of constraints, one a line")
      ->option_text("FILE");
  verb->add_option(
          "--base", r.base,
          "The column with what outcomes weigh where nothing is asked; by default all alike")
      ->option_text("COLUMN");
  add_choice<char>(*verb, "--delimiter", r.delimiter,
                   {{"comma", ','}, {",", ','}, {"tab", '\t'}, {"semicolon", ';'}, {";", ';'}},
                   "What is between cells: comma, tab or semicolon")
      ->transform(delimiter_name())
      ->option_text("DELIMITER=comma");
  verb->add_option("--tolerance", r.options.tolerance,
                   "Largest violation of a constraint, relative to its column's size")
      ->transform(finite_number(0))
      ->capture_default_str();
  verb->add_option("--max-iterations", r.options.max_iterations, "Newton steps at most")
      ->transform(whole_number(1))
      ->capture_default_str();
  verb->add_flag("--json", c->json, "One JSON document");
  add_common(*verb, c->common);
  verb->footer(kFooter);
  verb->callback([c, &program] { program.status = run(*c); });
}

}  // namespace croft::cli
