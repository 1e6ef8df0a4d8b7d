// croft suggest
#include "app/label/suggest.h"

#include <array>
#include <memory>
#include <vector>

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
  croft suggest -m m.croft --by entropy --density 1 unlabelled.conll
  croft suggest -m a.croft -m b.croft -m c.croft --by divergence unlabelled.conll

Writes a JSON object a line, that of which the model is least sure first: its score, its number in
the data (from 0), the line where it begins, what it holds (of columns, spans and texts), and the
labels that the model gives it.  docs/predict.md says what the scores are.)";

std::span<const OptionRow> suggest_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      option::file("model", "FILE ...",
                   "Model file; of a committee, whose models disagree, two or more of them")
          .short_as('m')
          .needed()
          .repeated(),
      data_row("Data in the model's format; without: standard input"),
      choice("by", "BY=margin, of several models vote-entropy",
             {std::begin(kUncertainties), std::end(kUncertainties)},
             "margin: the two most probable labellings are close; entropy: of the labellings; "
             "errors: how many wrong labels are to be expected; of several models, how much they "
             "disagree: vote-entropy, of their labels; divergence, of their probabilities"),
      number("density", "BETA=0",
             "Times the mean similarity to the other sequences of the file, to this power: what is "
             "like many others comes first; 0: it does not count")
          .at_first("0"),
      whole("top", "N=10", "So many sequences of each file").at_first("10").from(1),
      data_format_row(),
      data_label_row(),
      ignore_lines_row(),
      tokenizer_row(),
      data_misaligned_row(),
      data_text_column_row(),
  });
  return kRows;
}

// The models, and how each of them reads a file.
class Models {
 public:
  explicit Models(const OptionValues& values) {
    for (const std::string& path : values.list("model")) {
      models_.push_back(open_model(path));
      plans_.push_back(std::make_unique<TagPlan>(*models_.back()));
      forms_.emplace_back(values, *models_.back());
    }
  }
  std::size_t size() const { return models_.size(); }

  std::vector<Suggestion> suggest_of(const std::string& path, const SuggestOptions& options) const {
    if (path == "-" && size() > 1) {
      throw UsageError(
          "several models read the data, and standard input can be read once: give a "
          "file");
    }
    std::vector<std::unique_ptr<SequenceSource>> sources;
    std::vector<CommitteeMember> members;
    for (std::size_t k = 0; k < size(); ++k) {
      sources.push_back(std::make_unique<SequenceSource>(data_lines(forms_[k], path), *models_[k],
                                                         Labels::optional, forms_[k].spans(),
                                                         forms_[k].columns()));
      members.push_back({plans_[k].get(), sources.back().get()});
    }
    return suggest(members, options, interruption);
  }

 private:
  std::vector<std::shared_ptr<const SequenceModel>> models_;
  std::vector<std::unique_ptr<TagPlan>> plans_;
  std::vector<DataForm> forms_;
};

int run_suggest(const OptionValues& values) {
  const Models models(values);
  SuggestOptions options;
  using enum Uncertainty;
  if (models.size() > 1) options.by = vote_entropy;
  values.choose("by", {margin, entropy, errors, vote_entropy, divergence}, options.by);
  values.read("top", options.most);
  values.read("density", options.density);
  options.validate(models.size());
  std::vector<std::string> data;
  values.read("DATA", data);
  handle_interrupts();
  for (const std::string& path : data) {
    for (const Suggestion& each : models.suggest_of(path, options)) {
      write_result(each.json.dump(-1, InvalidUtf8::replace) + "\n");
    }
    if (interruption) {
      throw Interrupted((path == "-" ? "<stdin>" : path) + ": interrupted while reading");
    }
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
