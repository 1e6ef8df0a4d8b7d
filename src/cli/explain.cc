// croft explain

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>

#include "app/kinds.h"
#include "app/label/predict.h"
#include "app/label/tag_files.h"
#include "app/label/tagger.h"
#include "cli/common.h"
#include "cli/graph_verbs.h"
#include "cli/label/labelling_options.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "croft/core/error.h"
#include "model/kinds/model_file.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kExplainFooter = R"(
Example:
  croft explain -m m.croft new.conll
  croft explain -m m.croft --positions 3 --against B-LOC --top 20 new.conll
  croft explain -m m.croft --wrong test.conll
  croft explain -m m.croft --below 0.6 new.conll
  croft explain -m m.croft --unknown --json new.conll
  croft explain -m graph.croft --database new.sqlite --variable 17

Positions count from 0.  --wrong explains wrong chunks as wholes: the labels of the data in the
place of all of the predicted ones.  Of a model of segments each segment is compared with the best
that could stand in its place; --against names a label of segments.  Of a graph each variable is
explained.  docs/explain.md says what each number means.)";

std::span<const OptionRow> explain_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row(),
      data_row("Data in the model's format; without: standard input").of(kSequenceModels),
      words("against", "LABEL",
            "Compare with this label; without: with the most probable other one"),
      words("positions", "LIST",
            "Explain these only, such as 0,3-7; they count from 0 in each sequence")
          .of(kSequenceModels),
      flag("wrong",
           "Explain what is wrong only, against the labels of the data (or --against); chunks as "
           "wholes")
          .of(kSequenceModels),
      number("below", "P", "Explain these only: positions whose label has a smaller probability")
          .between(0, 1)
          .of(kSequenceModels),
      whole("top", "N=5",
            "Attributes (of a graph, features) to be listed for each label; the rest is summed"),
      flag("unknown", "Name the attributes that the model does not know").of(kSequenceModels),
      json_row("One JSON object a sequence, or a variable"),
      data_format_row().of(kSequenceModels),
      data_label_row().of(kSequenceModels),
      data_misaligned_row().of(kSequenceModels),
      ignore_lines_row().of(kSequenceModels),
      tokenizer_row().of(kSequenceModels),
      data_text_column_row().of(kSequenceModels),
      constrain_row(),
      penalties_row(),
  });
  return kRows;
}

struct PositionRange {
  std::size_t first, last;
};

// "3", "3-7" and several of these with commas between.
std::vector<PositionRange> read_positions(std::string_view text) {
  const auto fail = [&] {
    throw UsageError("--positions: ", in_quotes(text),
                     " is not a list of positions such as 0,3-7, counted from 0");
  };
  std::vector<PositionRange> ranges;
  const char *at = text.data(), *const end = at + text.size();
  const auto number = [&] {
    std::size_t value = 0;
    const auto [rest, fault] = std::from_chars(at, end, value);
    if (fault != std::errc()) fail();
    at = rest;
    return value;
  };
  for (;;) {
    PositionRange range{number(), 0};
    range.last = range.first;
    if (at != end && *at == '-') {
      ++at;
      range.last = number();
    }
    if (range.last < range.first) fail();
    ranges.push_back(range);
    if (at == end) return ranges;
    if (*at++ != ',') fail();
  }
}

// Those of a sequence, increasing.
std::vector<std::size_t> positions_of(const std::vector<PositionRange>& ranges,
                                      std::size_t length) {
  std::vector<std::size_t> positions;
  for (const auto& [first, last] : ranges) {
    for (std::size_t t = first; t <= last && t < length; ++t) positions.push_back(t);
  }
  std::ranges::sort(positions);
  const auto same = std::ranges::unique(positions);
  positions.erase(same.begin(), same.end());
  return positions;
}

// What --wrong and --below leave of a sequence's positions.
class PositionFilter {
 public:
  PositionFilter(const OptionValues& values, const TagPlan& plan)
      : plan_(plan), tagger_(plan), wrong_(values.flag("wrong")) {
    if (values.given("below")) values.read("below", below_.emplace());
    if (below_ && !plan.model().has_probabilities()) {
      throw UsageError("--below: labels of this model have no probabilities");
    }
  }
  bool any() const { return wrong_ || below_; }

  //   positions : increasing; empty: all
  std::vector<std::size_t> left(const TagInput& input, std::vector<std::size_t> positions) {
    const TextSequence& text = input.text;
    if (wrong_ && !text.has_labels()) {
      throw UsageError("--wrong compares with labels of the data, and ", input.file, " has none");
    }
    TagOptions ask;
    ask.marginals = below_.has_value();
    const Tagging& tagging = tagger_.tag(input, ask);
    if (positions.empty()) {
      positions.resize(text.length());
      std::iota(positions.begin(), positions.end(), std::size_t{0});
    }
    std::erase_if(positions, [&](std::size_t t) {
      if (!tagging.outcome.found) return false;
      const Label y = tagging.y[t];
      const bool right = wrong_ && text.labels.item(t) == plan_.names()[y];
      return right || (below_ && tagging.marginals(t, y) >= *below_);
    });
    return positions;
  }

 private:
  const TagPlan& plan_;
  Tagger tagger_;
  bool wrong_;
  std::optional<double> below_;
};

// A range that begins behind the end of every sequence is a mistake.
void require_reached(const std::vector<PositionRange>& ranges, std::size_t longest) {
  for (const PositionRange& range : ranges) {
    if (range.first < longest) continue;
    throw Error("--positions: no sequence has a position ", range.first, "; the longest has ",
                longest, ", counted from 0");
  }
}

ExplainOptions make_options(const OptionValues& values, const LabelNames& names) {
  ExplainOptions options;
  values.read("top", options.top);
  values.read("unknown", options.unknown);
  const std::string_view against = values.text("against");
  if (against.empty()) return options;
  options.against = names.find(against);
  if (!options.against) {
    throw UsageError("--against: the model has no label ", in_quotes(against), "; ", names.some());
  }
  return options;
}

void explain_all(const OptionValues& values, const std::vector<PositionRange>& ranges,
                 const TagPlan& plan, const SequenceExplainer& explainer) {
  const SequenceModel& model = plan.model();
  PositionFilter filter(values, plan);
  ExplainOptions options = make_options(values, explainer.labels);
  options.gold = values.flag("wrong") && !options.against;
  const DataForm form(values, model);
  const bool json = values.flag("json");
  PredictCounts counts;
  std::size_t longest = 0;
  std::vector<std::string> data;
  values.read("DATA", data);
  for (const std::string& path : data) {
    SequenceSource source(data_lines(form, path), model, Labels::optional, form.spans(),
                          form.columns());
    source.before_waiting(flush_result);
    for_each_sequence(source, [&](const InputSequence& input) {
      const TextSequence& text = input.text;
      longest = std::max(longest, text.length());
      options.positions = positions_of(ranges, text.length());
      if (!ranges.empty() && options.positions.empty()) return;
      const ColumnSequence* rows = input.rows.rows() > 0 ? &input.rows : nullptr;
      if (filter.any()) {
        options.positions = filter.left(TagInput{text, rows, source.name()}, options.positions);
        if (options.positions.empty()) return;
      }
      const auto [outcome, view] =
          explainer.explain(TagInput{text, rows, source.name()}, input, options);
      write_result(json ? view.json.dump(-1, InvalidUtf8::replace) + "\n" : view.text);
      if (outcome.found || counts.unlabelled++ > 0) return;
      counts.first_unlabelled = {source.name(), text.first_line};
      counts.first_outcome = outcome;
    });
  }
  require_reached(ranges, longest);
  require_all_labelled(counts);
}

int run_explain(const OptionValues& values) {
  if (is_graph_model(std::string(values.text("model")))) return run_graph_explanation(values);
  check_kind_options(values, kSequenceModels);
  std::vector<PositionRange> ranges;  // empty: all positions
  if (values.given("positions")) ranges = read_positions(values.text("positions"));
  const auto model = open_model(std::string(values.text("model")));
  TagRequest request;
  read_limits(*model, std::string(values.text("constrain")), std::string(values.text("penalties")),
              request);
  const TagPlan plan(*model, request);
  explain_all(values, ranges, plan, kind_of(*model).explainer(plan));
  return kDone;
}

}  // namespace

const Verb kExplain = {.name = "explain",
                       .summary = "Show what speaks for each label, and against",
                       .options =
                           [] {
                             return tables(explain_options(), graph_label_options(),
                                           graph_explain_options(), common_options());
                           },
                       .footer = [] { return std::string(kExplainFooter); },
                       .run = run_explain,
                       .gives_up = true};

}  // namespace croft::cli
