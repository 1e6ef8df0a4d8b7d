// croft inspect
#include <array>
#include <memory>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_boosted.h"
#include "app/inspect/inspect_constraints.h"
#include "app/inspect/inspect_error_correcting.h"
#include "app/inspect/inspect_graph.h"
#include "app/inspect/inspect_hidden_chain.h"
#include "app/inspect/inspect_hmm.h"
#include "app/inspect/inspect_joint.h"
#include "app/inspect/inspect_naive_bayes.h"
#include "app/inspect/inspect_segment.h"
#include "cli/common.h"
#include "cli/graph_verbs.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/model_file.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft inspect -m m.croft
  croft inspect -m m.croft --top 10
  croft inspect -m m.croft --weights > weights.tsv
  croft inspect -m graph.croft --database pages.sqlite --picture sample.svg
  croft inspect -m m.croft --constraints train.conll --top 10

docs/inspect.md defines every line of --weights and every field of --json.)";

std::span<const OptionRow> inspect_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row().or_unnamed("MODEL"),
      whole("top", "N", "The N strongest features of each label, and transitions").from(1),
      flag("weights", "All weights, one a line, separated by TABs").without("top"),
      json_row("One JSON document").without("weights"),
      file("constraints", "DATA ...",
           "Labelled data: how often each feature occurs there, and how often the model expects "
           "it; the N (20) largest violations of the condition of the optimum, or differences")
          .listed()
          .without("weights"),
      flag("verify", "Check the checksum of every section"),
  });
  return kRows;
}

struct InspectCommand {
  explicit InspectCommand(const OptionValues& v)
      : values(v),
        model(v.text("model")),
        weights(v.flag("weights")),
        verify(v.flag("verify")),
        json(v.flag("json")),
        picture(v.given("picture")),
        constraints(v.list("constraints")) {
    v.read("top", top);
  }
  const OptionValues& values;
  std::string model;
  bool weights, verify, json, picture;
  std::vector<std::string> constraints;
  std::size_t top = 0;
};

int show_hmm(const InspectCommand& c, const HmmModel& model) {
  if (c.weights) {
    throw UsageError(
        "--weights lists weights, and a model of kind hmm has probabilities; see --top");
  }
  if (c.json) {
    Json document = summary_json(model);
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

template <class Model>  // of a kind that has weights
int show_weights_or_summary(const InspectCommand& c, const Model& model) {
  if (c.weights) {
    write_weights(model, write_result);
  } else if (c.json) {
    Json document = summary_json(model);
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

int show_constraints(const InspectCommand& c, const std::shared_ptr<const SequenceModel>& model) {
  const auto* joint = dynamic_cast<const JointModel*>(model.get());
  if (joint == nullptr) require_chain(*model, "a comparison of features with data");
  ConstraintRequest request{.data = c.constraints, .threads = common_of(c.values).threads};
  if (c.top > 0) request.top = c.top;
  const ConstraintReport report =
      joint != nullptr
          ? inspect_constraints(*joint, request)
          : inspect_constraints(std::dynamic_pointer_cast<const ChainModel>(model), request);
  if (c.json) {
    write_json(constraints_json(report));
  } else {
    write_result(format_constraints(report));
  }
  return kDone;
}

int run(const OptionValues& values) {
  const InspectCommand c(values);
  Container container = Container::open(c.model);
  if (c.verify) container.verify();
  if (GraphModel::is_in(container)) {
    if (!c.constraints.empty()) {
      throw UsageError("--constraints has no meaning for a model of kind graph; leave it out");
    }
    const GraphModel graph(std::move(container));
    return c.picture ? draw_graph_sample(c.values, graph) : show_weights_or_summary(c, graph);
  }
  if (c.picture) {
    throw UsageError("--database and --picture are for a model of kind graph, which this is not");
  }
  const auto any = read_model(std::move(container));
  if (!c.constraints.empty()) return show_constraints(c, any);
  if (const auto* hmm = dynamic_cast<const HmmModel*>(any.get())) return show_hmm(c, *hmm);
  if (const auto* bayes = dynamic_cast<const NaiveBayesModel*>(any.get())) {
    return show_weights_or_summary(c, *bayes);
  }
  if (const auto* boosted = dynamic_cast<const BoostedSegmentModel*>(any.get())) {
    return show_weights_or_summary(c, TreeModelView(*boosted));
  }
  if (const auto* segments = dynamic_cast<const SegmentModel*>(any.get())) {
    return show_weights_or_summary(c, *segments);
  }
  if (const auto* joint = dynamic_cast<const JointModel*>(any.get())) {
    return show_weights_or_summary(c, *joint);
  }
  if (const auto* code = dynamic_cast<const ErrorCorrectingModel*>(any.get())) {
    return show_weights_or_summary(c, *code);
  }
  if (const auto* hidden = dynamic_cast<const HiddenChainModel*>(any.get())) {
    return show_weights_or_summary(c, *hidden);
  }
  if (const auto* boosted = dynamic_cast<const BoostedModel*>(any.get())) {
    return show_weights_or_summary(c, TreeModelView(*boosted));
  }
  const ChainModel* model = &require_chain(*any, "a list of weights");
  if (c.weights) {
    write_weights(*model, write_result);
  } else if (c.json) {
    Json document = summary_json(*model);
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

const Verb kInspect = {
    .name = "inspect",
    .summary = "Show what is in a model",
    .options =
        [] {
          return OptionTables{inspect_options(), graph_inspect_options(), common_options()};
        },
    .footer = [] { return std::string(kFooter); },
    .run = run};

}  // namespace croft::cli
