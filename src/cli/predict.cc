// croft predict
#include <memory>

#include "cli/common.h"
#include "croft/app/predict.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft predict -m m.croft new.conll > labelled.conll
  croft predict -m m.croft --output json --marginals --probability new.conll
  tail -f stream.conll | croft predict -m m.croft -

Rows may come with or without the label column; the label is added as a last one.)";

struct PredictCommand {
  std::string model;
  std::vector<std::string> data;
  std::string output;  // empty: columns for columns, labels for attributes
  std::string marginals;
  bool probability = false;
  CommonOptions common;
};

PredictOptions make_options(const PredictCommand& c, const ChainModel& model) {
  PredictOptions options;
  options.probability = c.probability;
  options.marginals = c.marginals.empty()    ? MarginalOutput::none
                      : c.marginals == "all" ? MarginalOutput::all
                                             : MarginalOutput::predicted;
  if (c.output.empty()) {
    options.output = model.extractor().config().format == InputFormat::columns
                         ? OutputFormat::columns
                         : OutputFormat::labels;
  } else {
    options.output = c.output == "json"     ? OutputFormat::json
                     : c.output == "labels" ? OutputFormat::labels
                                            : OutputFormat::columns;
  }
  return options;
}

int run(const PredictCommand& c) {
  const auto model = ChainModel::open(c.model);
  const PredictOptions options = make_options(c, *model);
  handle_interrupts();
  ThreadPool pool(c.common.threads);
  for (const std::string& path : c.data) {
    SequenceSource source(path, model->extractor(), Labels::optional);
    predict_stream(
        *model, source, options, pool,
        [&](std::string_view text) {
          write_result(text);
          if (!source.ready()) flush_result();
        },
        interruption);
    if (interruption) throw Interrupted(source.name() + ": interrupted while reading");
  }
  return kDone;
}

}  // namespace

void add_predict(Program& program) {
  CLI::App* verb = program.app.add_subcommand("predict", "Label sequences");
  auto c = std::make_shared<PredictCommand>();
  verb->add_option("-m,--model", c->model, "Model file")->required();
  verb->add_option("DATA", c->data, "Data in the model's format; without: standard input")
      ->default_val(std::vector<std::string>{"-"});
  verb->add_option("--output", c->output,
                   "columns: rows with the label added; labels: one a line; json: one object a "
                   "sequence")
      ->check(CLI::IsMember({"columns", "labels", "json"}));
  verb->add_flag("--marginals{predicted}", c->marginals,
                 "Add the probability of each predicted label; --marginals=all: of every label")
      ->check(CLI::IsMember({"predicted", "all"}));
  verb->add_flag("--probability", c->probability, "Add the probability of each labelling");
  add_common(*verb, c->common);
  verb->footer(kFooter);
  verb->callback([c, &program] { program.status = run(*c); });
}

}  // namespace croft::cli
