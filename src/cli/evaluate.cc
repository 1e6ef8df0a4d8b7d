// croft evaluate
#include <filesystem>

#include "app/evaluate/confusion_plot.h"
#include "app/evaluate/reliability_plot.h"
#include "app/label/predict.h"
#include "app/train/file_shares.h"
#include "app/train/requests.h"
#include "cli/common.h"
#include "cli/graph_verbs.h"
#include "cli/label/labelling_options.h"
#include "cli/model_options.h"
#include "cli/network_verbs.h"
#include "cli/processes.h"
#include "cli/verb.h"
#include "core/files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/data/graph_file.h"

#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kEvaluateFooter = R"(
Example:
  croft evaluate -m m.croft test.conll
  croft evaluate --json predicted.conll      (its last two columns: gold, predicted)
  croft evaluate --format spans predicted.jsonl          ("spans" against "gold")
  croft evaluate -m m.croft --decode marginal --constrain bio test.conll
  croft evaluate -m m.croft --reliability m.svg test.conll
  croft evaluate -m m.croft --confusion-svg m.svg test.conll
  croft evaluate -m graph.croft --database test.sqlite
  croft evaluate -m net.bif --target lung cases.csv

Chunks are counted as conlleval counts them; docs/evaluation.md defines every number.)";

std::span<const OptionRow> sequence_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("model", "FILE",
           "Model to label DATA with; without: DATA holds gold and predicted labels")
          .short_as('m'),
      file("DATA", "FILE=-", "Labelled data; without: standard input")
          .at_first("-")
          .unnamed()
          .of(kSequenceModels | kBayesNetBit),
      chunks_row("auto, bio, bio1, ioe, bioes, raw or none").of(kModelFiles),
      data_format_row().of(kSequenceModels),
      data_label_row().of(kSequenceModels),
      data_misaligned_row().of(kSequenceModels),
      ignore_lines_row().of(kSequenceModels),
      tokenizer_row().of(kSequenceModels),
      data_text_column_row().beside("model").of(kSequenceModels),
      file("reliability", "FILE",
           "Draw accuracy against probability, and counts, as an SVG picture in this file")
          .written_as("the picture ")
          .beside("model")
          .of(kModelFiles),
      flag("ranking",
           "Add the area under the ROC curve and the average precision of each label, by its "
           "probability")
          .beside("model")
          .of(kModelFiles),
      flag("confusion", "Add which label was predicted in the place of which").of(kModelFiles),
      file("confusion-svg", "FILE",
           "Draw that as an SVG picture in this file: labels, and types of chunks")
          .written_as("the picture ")
          .of(kSequenceModels),
      json_row("One JSON document instead of tables"),
  });
  return kRows;
}

OptionTables evaluate_options() {
  return {sequence_options(),       labelling_options(), decision_options(), graph_label_options(),
          graph_evaluate_options(), network_options(),   common_options()};
}

struct EvaluateCommand {
  const OptionValues& values;
  const std::string model{values.text("model")}, data{values.text("DATA")},
      reliability{values.text("reliability")}, confusion{values.text("confusion-svg")},
      format{values.text("format")};
};

// Without a model.
void check_format(const EvaluateCommand& c) {
  if (c.model.empty() && c.values.given("threshold")) {
    throw UsageError("--threshold decides by probabilities: name the model with -m");
  }
  for (const OptionRow& row : labelling_options()) {
    if (!c.model.empty() || !c.values.given(row.name)) continue;
    throw UsageError(Message::option(row.name),
                     " says how a model labels the data: name the model with -m");
  }
  if (c.model.empty() && c.values.given("tokenizer")) {
    throw UsageError("--tokenizer cuts texts that a model labels: name the model with -m");
  }
  if (!c.model.empty() || c.format.empty()) return;
  if (c.format == kSpanFormat && c.values.text("chunks") != "auto") {
    throw UsageError("--chunks says how labels spell chunks, and spans are chunks; leave it out");
  }
  if (c.format == kSpanFormat || c.format == "columns") return;
  throw UsageError("--format ", c.format,
                   ": gold and predicted labels are read from columns or spans; name a model with "
                   "-m to label other data");
}

// Known before the work, not after it.
void check_reliability(const EvaluateCommand& c, const SequenceModel& model) {
  if (c.reliability.empty()) return;
  if (!model.has_probabilities()) {
    throw UsageError("--reliability: ", c.model,
                     " decides by votes or by words of bits, and its labels have no probabilities");
  }
  AtomicFile{c.reliability};
}

void check_confusion(const EvaluateCommand& c) {
  if (c.confusion.empty()) return;
  AtomicFile{c.confusion};
}

// What the pictures show.
std::string title_of(const EvaluateCommand& c) {
  const auto name = [](const std::string& path) {
    return path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
  };
  return c.model.empty() ? name(c.data) : name(c.model) + " on " + name(c.data);
}

void draw_reliability(const EvaluateCommand& c, const EvaluationSummary& summary) {
  if (c.reliability.empty()) return;
  if (!summary.calibration) {
    throw Error("--reliability: no sequence of ", c.data, " has a labelling to draw");
  }
  AtomicFile file(c.reliability);
  file.write(reliability_svg(summary, title_of(c)));
  file.commit();
}

// Takes the confusions away where only the picture was asked for.
void draw_confusion(const EvaluateCommand& c, EvaluationSummary& summary) {
  if (c.confusion.empty()) return;
  AtomicFile file(c.confusion);
  file.write(confusion_svg(summary, title_of(c)));
  file.commit();
  if (!c.values.flag("confusion")) summary.confusion.reset();
}

// Of several processes.
Evaluation evaluate_share(const EvaluateCommand& c, const SequenceModel& model,
                          const DataForm& form, const EvaluateRequest& request, ThreadPool& pool) {
  const std::optional<ChunkScheme> spans = form.spans();
  const Extractor& extractor = model.extractor();
  const auto shares = share_files(processes(), std::span(&c.data, 1),
                                  form_of(extractor.config(), spans.has_value()));
  SequenceSource source(shares.empty() ? LineReader("", c.data) : shares[0].lines(), model,
                        Labels::required, spans, form.columns());
  if (shares.empty() || !shares[0].whole) source.allow_none();
  return evaluate_model(model, source, request, pool);
}

int evaluate_sequences(const EvaluateCommand& c) {
  const ChunkScheme scheme = chunk_scheme(c.values);
  EvaluateRequest request(scheme);
  request.report.confusion = c.values.flag("confusion") || !c.confusion.empty();
  request.ranking = c.values.flag("ranking");
  if (c.model.empty()) request.report.costs = read_decision(c.values).costs;
  std::string unit;
  check_confusion(c);
  if (c.model.empty()) require_one_process("what is predicted already");
  const Evaluation evaluation = [&] {
    if (c.model.empty() && c.format == kSpanFormat) {
      ColumnsForm none;
      std::string field;
      read_columns_form(c.values, kSpanFormat, none, field);
      return evaluate_spans(c.data, request.report);
    }
    if (c.model.empty()) {
      ColumnsForm form;
      std::string field;
      read_columns_form(c.values, "columns", form, field);
      return evaluate_predictions(c.data, request.report, form);
    }
    const auto model = open_with_decoder(c.values);
    check_reliability(c, *model);
    request.tag = read_labelling(c.values, *model);
    request.report.costs = request.tag.decision.costs;
    unit = unit_of(*model);
    ThreadPool pool(common_of(c.values).threads, processes());
    const DataForm form(c.values, *model, scheme);
    const auto spans = form.spans();
    // Labels without a type, B and I, look like chunks to nobody else.
    if (spans && scheme == ChunkScheme::automatic) request.report.scheme = *spans;
    if (!processes().alone()) {
      if (form.is_foreign()) {
        throw UsageError(
            "several processes share out data of the model's own format: convert it first");
      }
      return evaluate_share(c, *model, form, request, pool);
    }
    SequenceSource source(data_lines(form, c.data, true), *model, Labels::required, spans,
                          form.columns());
    return evaluate_model(*model, source, request, pool);
  }();
  EvaluationSummary summary = evaluation.summary();
  if (processes().first()) {
    draw_reliability(c, summary);
    draw_confusion(c, summary);
  }
  write_answer(
      c.values.flag("json"), [&] { return to_json(summary); },
      [&] { return format_table(summary, unit); });
  return kDone;
}

int run_evaluate(const OptionValues& values) {
  const EvaluateCommand c{values};
  const bool network = !c.model.empty() && is_network_file(c.model);
  if (network || (!c.model.empty() && is_graph_model(c.model))) {
    require_one_process("a model of graphs");
    return network ? run_network_evaluation(values) : run_graph_evaluation(values);
  }
  check_kind_options(values, kSequenceModels);
  check_format(c);
  check_labelling_options(values);
  return evaluate_sequences(c);
}

}  // namespace

const Verb kEvaluate = {.name = "evaluate",
                        .summary = "Score predictions against gold labels",
                        .options = evaluate_options,
                        .footer = [] { return std::string(kEvaluateFooter); },
                        .run = run_evaluate,
                        .gives_up = true,
                        .several_processes = true};

}  // namespace croft::cli
