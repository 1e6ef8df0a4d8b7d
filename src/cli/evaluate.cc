// croft evaluate
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "croft/app/predict.h"
#include "croft/core/error.h"
#include "croft/model/model_file.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft evaluate -m m.croft test.conll
  croft evaluate --json predicted.conll      (its last two columns: gold, predicted)

Chunks are counted as conlleval counts them; docs/evaluation.md defines every number.)";

struct EvaluateCommand {
  std::string model, data, scheme = "auto";
  bool json = false;
  CommonOptions common;
};

std::string check_scheme(const std::string& name) {
  try {
    chunk_scheme_from_name(name);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

int run(const EvaluateCommand& c) {
  const ChunkScheme scheme = chunk_scheme_from_name(c.scheme);
  const Evaluation evaluation = [&] {
    if (c.model.empty()) return evaluate_predictions(c.data, scheme);
    const auto model = open_model(c.model);
    ThreadPool pool(c.common.threads);
    SequenceSource source(c.data, model->extractor(), Labels::required);
    return evaluate_model(*model, source, scheme, pool);
  }();
  const EvaluationSummary summary = evaluation.summary();
  if (c.json) {
    write_json(to_json(summary));
  } else {
    write_result(format_table(summary));
  }
  return kDone;
}

}  // namespace

void add_evaluate(Program& program) {
  CLI::App* verb = program.app.add_subcommand("evaluate", "Score predictions against gold labels");
  auto c = std::make_shared<EvaluateCommand>();
  verb->add_option("-m,--model", c->model,
                   "Model to label DATA with; without: DATA holds gold and predicted labels");
  verb->add_option("DATA", c->data, "Labelled data; without: standard input")->default_val("-");
  verb->add_option("--chunks", c->scheme, "auto, bio, bio1, ioe, bioes, raw or none")
      ->check(check_scheme)
      ->capture_default_str();
  verb->add_flag("--json", c->json, "One JSON document instead of tables");
  add_common(*verb, c->common);
  verb->footer(kFooter);
  verb->callback([c, &program] { program.status = run(*c); });
}

}  // namespace croft::cli
