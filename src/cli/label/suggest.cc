// croft suggest
#include "app/label/suggest.h"

#include <array>

#include "app/label/row_reader.h"
#include "cli/common.h"
#include "cli/graph_verbs.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "model/kinds/model_file.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kSuggestFooter = R"(
Example:
  croft suggest -m m.croft --top 20 unlabelled.conll > worth-labelling.jsonl
  croft suggest -m m.croft --by entropy unlabelled.conll

Writes a JSON object a line, that of which the model is least sure first: its score, its number in
the data (from 0), the line where it begins, what it holds, and the labels that the model gives it.
docs/predict.md says what the scores are.)";

std::span<const OptionRow> suggest_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row(),
      data_row("Data in the model's format; without: standard input"),
      choice("by", "BY=margin", {kUncertainties[0], kUncertainties[1], kUncertainties[2]},
             "margin: the two most probable labellings are close; entropy: of the labellings; "
             "errors: how many wrong labels are to be expected")
          .at_first(kUncertainties[0]),
      whole("top", "N=10", "So many sequences of each file").at_first("10").from(1),
      data_format_row(),
      tokenizer_row(),
  });
  return kRows;
}

int run_suggest(const OptionValues& values) {
  check_kind_options(values, kSequenceModels);
  const auto model = open_model(std::string(values.text("model")));
  Uncertainty by = Uncertainty::margin;
  values.choose("by", {Uncertainty::margin, Uncertainty::entropy, Uncertainty::errors}, by);
  std::size_t top = 0;
  values.read("top", top);
  const TagPlan plan(*model);
  const DataForm form(values, *model);
  std::vector<std::string> data;
  values.read("DATA", data);
  handle_interrupts();
  for (const std::string& path : data) {
    SequenceSource source(form.lines(path), model->extractor(), Labels::optional, form.spans());
    for (const Suggestion& each : suggest(plan, source, by, top, interruption)) {
      write_result(each.json.dump(-1, InvalidUtf8::replace) + "\n");
    }
    if (interruption) throw Interrupted(source.name() + ": interrupted while reading");
  }
  return kDone;
}

}  // namespace

const Verb kSuggest = {.name = "suggest",
                       .summary = "Find the sequences that are most worth labelling",
                       .options = [] { return tables(suggest_options(), common_options()); },
                       .footer = [] { return std::string(kSuggestFooter); },
                       .run = run_suggest};

}  // namespace croft::cli
