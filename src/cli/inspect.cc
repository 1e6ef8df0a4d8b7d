// croft inspect
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "croft/app/inspect.h"
#include "croft/app/inspect_hmm.h"
#include "croft/app/inspect_naive_bayes.h"
#include "croft/core/error.h"
#include "croft/model/model_file.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft inspect -m m.croft
  croft inspect -m m.croft --top 10
  croft inspect -m m.croft --weights > weights.tsv

docs/inspect.md defines every line of --weights and every field of --json.)";

struct InspectCommand {
  std::string model;
  std::size_t top = 0;
  bool weights = false, verify = false, json = false;
  CommonOptions common;
};

int show_hmm(const InspectCommand& c, const HmmModel& model) {
  if (c.weights) {
    throw UsageError("--weights lists weights, and a model of kind hmm has probabilities; see --top");
  }
  if (c.json) {
    nlohmann::json document = summary_json(model);
    if (c.top > 0) document["top"] = top_json(model, c.top);
    if (c.verify) document["verified"] = true;
    write_json(document);
    return kDone;
  }
  write_result(format_summary(model));
  if (c.top > 0) write_result("\n" + format_top(model, c.top));
  if (c.verify) write_result("\nevery section's checksum is right\n");
  return kDone;
}

int show_naive_bayes(const InspectCommand& c, const NaiveBayesModel& model) {
  if (c.weights) {
    write_weights(model, write_result);
  } else if (c.json) {
    nlohmann::json document = summary_json(model);
    if (c.top > 0) document["top"] = top_json(model, c.top);
    if (c.verify) document["verified"] = true;
    write_json(document);
  } else {
    write_result(format_summary(model));
    if (c.top > 0) write_result("\n" + format_top(model, c.top));
    if (c.verify) write_result("\nevery section's checksum is right\n");
  }
  return kDone;
}

int run(const InspectCommand& c) {
  Container container = Container::open(c.model);
  if (c.verify) container.verify();
  const auto any = read_model(std::move(container));
  if (const auto* hmm = dynamic_cast<const HmmModel*>(any.get())) return show_hmm(c, *hmm);
  if (const auto* bayes = dynamic_cast<const NaiveBayesModel*>(any.get())) {
    return show_naive_bayes(c, *bayes);
  }
  const ChainModel* model = &require_chain(*any, "a list of weights");
  if (c.weights) {
    write_weights(*model, write_result);
  } else if (c.json) {
    nlohmann::json document = summary_json(*model);
    if (c.top > 0) document["top"] = top_json(*model, top_features(*model, c.top));
    if (c.verify) document["verified"] = true;
    write_json(document);
  } else {
    write_result(format_summary(*model));
    if (c.top > 0) write_result("\n" + format_top(*model, top_features(*model, c.top)));
    if (c.verify) write_result("\nevery section's checksum is right\n");
  }
  return kDone;
}

}  // namespace

void add_inspect(Program& program) {
  CLI::App* verb = program.app.add_subcommand("inspect", "Show what is in a model");
  auto c = std::make_shared<InspectCommand>();
  verb->add_option("-m,--model,MODEL", c->model, "Model file")->required();
  CLI::Option* top =
      verb->add_option("--top", c->top, "The N strongest features of each label, and transitions")
          ->transform(whole_number(1))
          ->option_text("N");
  CLI::Option* weights =
      verb->add_flag("--weights", c->weights, "All weights, one a line, separated by TABs")
          ->excludes(top);
  verb->add_flag("--json", c->json, "One JSON document")->excludes(weights);
  verb->add_flag("--verify", c->verify, "Check the checksum of every section");
  add_common(*verb, c->common);
  verb->footer(kFooter);
  verb->callback([c, &program] { program.status = run(*c); });
}

}  // namespace croft::cli
