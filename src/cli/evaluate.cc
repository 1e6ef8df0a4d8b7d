// croft evaluate
#include <filesystem>
#include <memory>

#include "app/evaluate/reliability_plot.h"
#include "cli/code_decoder.h"
#include "cli/common.h"
#include "cli/evaluate_graph.h"
#include "core/atomic_file.h"
#include "croft/app/predict.h"
#include "croft/core/error.h"
#include "croft/core/json.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft evaluate -m m.croft test.conll
  croft evaluate --json predicted.conll      (its last two columns: gold, predicted)
  croft evaluate --format spans predicted.jsonl          ("spans" against "gold")
  croft evaluate -m m.croft --reliability m.svg test.conll
  croft evaluate -m graph.croft --database test.sqlite

Chunks are counted as conlleval counts them; docs/evaluation.md defines every number.)";

struct EvaluateCommand {
  std::string model, data, format, scheme = "auto", reliability, decoder;
  bool json = false;
  CommonOptions common;
  GraphEvaluateCommand graph;
};

std::string check_scheme(const std::string& name) {
  try {
    chunk_scheme_from_name(name);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

// Without a model.
void check_format(const EvaluateCommand& c) {
  if (!c.model.empty() || c.format.empty()) return;
  if (c.format == kSpanFormat && c.scheme != "auto") {
    throw UsageError("--chunks says how labels spell chunks, and spans are chunks; leave it out");
  }
  if (c.format == kSpanFormat || c.format == "columns") return;
  throw UsageError("--format " + c.format +
                   ": gold and predicted labels are read from columns or spans; name a model with "
                   "-m to label other data");
}

// Known before the work, not after it.
void check_reliability(const EvaluateCommand& c, const SequenceModel& model) {
  if (c.reliability.empty()) return;
  if (!model.has_probabilities()) {
    throw UsageError("--reliability: " + c.model +
                     " decides by votes or by words of bits, and its labels have no probabilities");
  }
  for (const std::string& input : {c.model, c.data}) {
    std::error_code none;
    if (input == c.reliability || std::filesystem::equivalent(input, c.reliability, none)) {
      throw UsageError("--reliability " + c.reliability + " would replace the input " + input +
                       "; give the picture another name");
    }
  }
  AtomicFile{c.reliability};
}

void draw_reliability(const EvaluateCommand& c, const EvaluationSummary& summary) {
  if (c.reliability.empty()) return;
  if (!summary.calibration) {
    throw Error("--reliability: no sequence of " + c.data + " has a labelling to draw");
  }
  const auto name = [](const std::string& path) {
    return path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
  };
  AtomicFile file(c.reliability);
  file.write(reliability_svg(summary, name(c.model) + " on " + name(c.data)));
  file.commit();
}

int run(const EvaluateCommand& c) {
  const ChunkScheme scheme = chunk_scheme_from_name(c.scheme);
  std::string unit;
  const Evaluation evaluation = [&] {
    if (c.model.empty() && c.format == kSpanFormat) return evaluate_spans(c.data);
    if (c.model.empty()) return evaluate_predictions(c.data, scheme);
    const auto model = open_with_decoder(c.model, c.decoder);
    check_reliability(c, *model);
    unit = unit_of(*model);
    ThreadPool pool(c.common.threads);
    const auto spans = spans_for(*model, c.format, scheme);
    SequenceSource source(c.data, model->extractor(), Labels::required, spans);
    return evaluate_model(*model, source, scheme, pool);
  }();
  const EvaluationSummary summary = evaluation.summary();
  draw_reliability(c, summary);
  if (c.json) {
    write_json(to_json(summary));
  } else {
    write_result(format_table(summary, unit));
  }
  return kDone;
}

}  // namespace

void add_evaluate(Program& program) {
  CLI::App* verb = program.app.add_subcommand("evaluate", "Score predictions against gold labels");
  auto c = std::make_shared<EvaluateCommand>();
  CLI::Option* model =
      verb->add_option("-m,--model", c->model,
                       "Model to label DATA with; without: DATA holds gold and predicted labels");
  verb->add_option("DATA", c->data, "Labelled data; without: standard input")->default_val("-");
  verb->add_option("--chunks", c->scheme, "auto, bio, bio1, ioe, bioes, raw or none")
      ->check(check_scheme)
      ->capture_default_str();
  add_model_format(*verb, c->format);
  verb->add_option("--reliability", c->reliability,
                   "Draw accuracy against probability, and counts, as an SVG picture in this file")
      ->needs(model)
      ->option_text("FILE");
  add_decoder_option(*verb, c->decoder);
  verb->get_option("--decoder")->needs(model);
  verb->add_flag("--json", c->json, "One JSON document instead of tables");
  add_graph_evaluate_options(*verb, c->graph);
  add_common(*verb, c->common);
  verb->footer(kFooter);
  verb->callback([c, verb, &program] {
    if (!c->model.empty() && is_graph_model(c->model)) {
      program.status = run_graph_evaluation(*verb, c->graph, c->model,
                                            chunk_scheme_from_name(c->scheme), c->json, c->common);
      return;
    }
    check_not_graph_evaluation(*verb);
    check_format(*c);
    program.status = run(*c);
  });
}

}  // namespace croft::cli
