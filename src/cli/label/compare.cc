// croft compare
#include <array>

#include "app/evaluate/compare_models.h"
#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/error.h"

namespace croft::cli {
namespace {

constexpr const char* kCompareFooter = R"(
Example:
  croft compare -m old.croft -m new.croft test.conll
  croft compare --json --show 100 -m old.croft -m new.croft test.conll > differences.json

The interval is that of the difference when the sequences are drawn anew (bootstrap).  p says how
often a difference as large comes about when each sequence's two answers go to the two models by lot
(approximate randomisation).  docs/evaluation.md defines both.)";

std::span<const OptionRow> compare_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("model", "FILE ...", "Two model files, -m before each; they read the same data")
          .short_as('m')
          .repeated()
          .needed(),
      file("DATA", "FILE",
           "Labelled data that neither was trained on, in the form of their training data")
          .needed()
          .unnamed(),
      chunks_row("auto, bio, bio1, ioe, bioes, raw or none"),
      whole("draws", "N=10000", "Of each of the two tests")
          .at_first("10000")
          .between(1, 10'000'000),
      number("confidence", "P=0.95", "Of the interval").between(0, 1),
      whole("show", "N=10", "So many sequences on which the two differ most").at_first("10"),
      json_row("One JSON document instead of tables"),
  });
  return kRows;
}

int run_compare(const OptionValues& values) {
  const std::vector<std::string>& models = values.list("model");
  if (models.size() != 2) {
    throw UsageError("compare is of two models: give -m twice, and not ",
                     counted(models.size(), "time"));
  }
  const std::string &first = models[0], &second = models[1];
  const std::string data(values.text("DATA"));
  if (data == "-") throw UsageError("compare reads DATA twice: give a file");
  ComparisonOptions options;
  options.scheme = chunk_scheme(values);
  values.read("draws", options.draws);
  values.read("confidence", options.confidence);
  values.read("show", options.shown);
  options.seed = common_of(values).seed;
  const auto a = open_model(first), b = open_model(second);
  const ModelComparison found = compare_models(*a, *b, data, options);
  write_answer(
      values.flag("json"), [&] { return to_json(found); },
      [&] {
        return format_comparison(found.summary, first, second, options.confidence) +
               format_differences(found.sequences);
      });
  return kDone;
}

}  // namespace

const Verb kCompare = {
    .name = "compare",
    .summary = "Say whether one model is better than another, and where they differ",
    .options = [] { return tables(compare_options(), common_options()); },
    .footer = [] { return std::string(kCompareFooter); },
    .run = run_compare,
    .gives_up = true};

}  // namespace croft::cli
