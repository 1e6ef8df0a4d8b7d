// croft inspect
#include <array>
#include <memory>

#include "app/kinds.h"
#include "cli/common.h"
#include "cli/graph_verbs.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "croft/core/error.h"
#include "model/kinds/model_file.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kInspectFooter = R"(
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
      model_row(),
      whole("top", "N", "The N strongest features of each label, and transitions").from(1),
      flag("weights", "All weights, one a line, separated by TABs").without("top"),
      json_row("One JSON document").without("weights"),
      file("constraints", "DATA ...",
           "Labelled data, as the model was trained on: how often each feature occurs there, and "
           "how often the model expects "
           "it; the N (20) largest violations of the condition of the optimum, or differences")
          .listed()
          .without("weights"),
      flag("verify", "Check the checksum of every section"),
  });
  return kRows;
}

struct InspectCommand {
  const OptionValues& values;
  const std::vector<std::string>& constraints = values.list("constraints");
  const bool verify = values.flag("verify");
  std::size_t top = 0;
};

int show(const View& view, const OptionValues& values) {
  write_answer(
      values.flag("json"), [&] { return view.json; }, [&] { return view.text; });
  return kDone;
}

int show_constraints(const InspectCommand& c, std::shared_ptr<const StoredModel> model) {
  const KindRow& kind = kind_of(*model);
  if (kind.constraints == nullptr) {
    throw UsageError("--constraints has no meaning for a model of kind " + model->kind() +
                     "; leave it out");
  }
  ConstraintRequest request{.data = c.constraints, .threads = common_of(c.values).threads};
  if (c.top > 0) request.top = c.top;
  return show(kind.constraints(std::static_pointer_cast<const SequenceModel>(model), request),
              c.values);
}

int show_weights(const StoredModel& model) {
  const KindRow& kind = kind_of(model);
  if (kind.write_weights == nullptr) {
    throw UsageError("--weights lists weights, and a model of kind " + model.kind() +
                     " has probabilities; see --top");
  }
  kind.write_weights(model, write_result);
  return kDone;
}

int run_inspect(const OptionValues& values) {
  InspectCommand c{values};
  values.read("top", c.top);
  Container container = open_model_file(std::string(values.text("model")));
  if (c.verify) container.verify();
  const auto model = read_stored_model(std::move(container));
  const auto* graph = as<GraphModel>(*model);
  if (values.given("picture") && graph == nullptr) {
    throw UsageError("--database and --picture are for a model of kind graph, which this is not");
  }
  if (!c.constraints.empty()) return show_constraints(c, model);
  if (values.given("picture")) return draw_graph_sample(c.values, *graph);
  if (values.flag("weights")) return show_weights(*model);
  const KindRow& kind = kind_of(*model);
  View view = kind.summary(*model);
  if (c.top > 0) {
    View top = kind.top(*model, c.top);
    view.text += "\n" + top.text;
    view.json["top"] = std::move(top.json);
  }
  if (c.verify) {
    const bool sums = !model->container().is_converted();
    view.text += sums ? "\nevery section's checksum is right\n"
                      : "\nthe file has no checksums: it was read whole, and makes sense\n";
    view.json["verified"] = sums;
  }
  return show(view, values);
}

}  // namespace

const Verb kInspect = {
    .name = "inspect",
    .summary = "Show what is in a model",
    .options = [] { return tables(inspect_options(), graph_inspect_options(), common_options()); },
    .footer = [] { return std::string(kInspectFooter); },
    .run = run_inspect,
    .gives_up = true};

}  // namespace croft::cli
