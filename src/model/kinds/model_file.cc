#include "model/kinds/model_file.h"

#include <algorithm>
#include <array>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/boosted_model.h"
#include "model/kinds/error_correcting_model.h"
#include "model/kinds/graph_model.h"
#include "model/kinds/hidden_chain_model.h"
#include "model/kinds/hmm_model.h"
#include "model/kinds/joint_model.h"
#include "model/kinds/mixture_model.h"
#include "model/kinds/naive_bayes_model.h"
#include "model/kinds/segment_model.h"

namespace croft {
namespace {

template <class Model>
std::shared_ptr<const StoredModel> read(Container container) {
  return std::make_shared<const Model>(std::move(container));
}

ModelKind boosted(std::string_view kind, std::shared_ptr<const StoredModel> (*read)(Container)) {
  return {kind, read, " has trees; croft inspect --top and --weights show them"};
}

// The first is taken for a file that does not say, or says something else: it complains of that.
const std::array kModelKinds = {
    ModelKind{"chain", read<ChainModel>, ""},
    ModelKind{"maxent", read<ChainModel>, ""},
    ModelKind{"memm", read<ChainModel>, ""},
    ModelKind{"pool", read<ChainModel>, ""},
    ModelKind{"hmm", read<HmmModel>, " has none; croft convert makes it a log-linear model"},
    ModelKind{kNaiveBayes, read<NaiveBayesModel>,
              " has none; croft convert makes it a log-linear model, unless it is calibrated"},
    ModelKind{HiddenChainModel::kKind, read<HiddenChainModel>,
              ", whose weights are of states that are hidden; croft inspect --top and --weights "
              "show them"},
    ModelKind{ErrorCorrectingModel::kKind, read<ErrorCorrectingModel>,
              ", whose weights are of bits; croft inspect --top and --weights show them"},
    ModelKind{JointModel::kKind, read<JointModel>,
              ", whose weights several labels share; croft inspect --top and --weights show them"},
    ModelKind{MixtureModel::kKind, read<MixtureModel>,
              ", which has those of its components; croft inspect --top shows them"},
    ModelKind{SegmentModel::kKind, read<SegmentModel>,
              "; croft inspect --top and --weights show its weights"},
    boosted(kBoostedChain, read<BoostedModel>),
    boosted(kBoostedMaxent, read<BoostedModel>),
    boosted(kBoostedSegment, read<BoostedSegmentModel>),
    ModelKind{GraphModel::kKind, read<GraphModel>, ", whose weights are of cliques"},
};

const ModelKind& kind_named(std::string_view name) {
  const auto row = std::ranges::find(kModelKinds, name, &ModelKind::name);
  return row == kModelKinds.end() ? kModelKinds.front() : *row;
}

}  // namespace

std::span<const ModelKind> model_kinds() { return kModelKinds; }

std::shared_ptr<const StoredModel> read_stored_model(Container container) {
  const Json meta = parse_json_or_null(container.text("meta"));
  const Json* const kind = meta.is_object() ? meta.get_if("kind") : nullptr;
  const bool says = kind != nullptr && kind->is_string();
  return kind_named(says ? kind->string() : std::string_view()).read(std::move(container));
}

std::shared_ptr<const SequenceModel> open_model(const std::filesystem::path& path) {
  return read_model(open_model_file(path));
}

std::shared_ptr<const SequenceModel> read_model(Container container) {
  auto model = read_stored_model(std::move(container));
  if (auto sequences = std::dynamic_pointer_cast<const SequenceModel>(model)) return sequences;
  throw Error(model->container().name(),
              ": this is a model of kind graph, which labels the rows of a database; predict, "
              "evaluate, explain, inspect, calibrate and serve take it, with --database");
}

const ChainModel& require_chain(const SequenceModel& model, std::string_view answer) {
  if (const auto* chain = as<ChainModel>(model)) return *chain;
  const Message& why = kind_named(model.kind()).no_chain;
  throw UsageError(
      model.container().name(), ": ", answer,
      std::string_view(why.text().starts_with(' ')
                           ? " is a matter of the weights of features, and a model of kind "
                           : " is not to be had of a model of kind "),
      model.kind(), why);
}

}  // namespace croft
