#include "model/kinds/model_file.h"

#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/boosted_model.h"
#include "model/kinds/boosted_segment_model.h"
#include "model/kinds/chain_model.h"
#include "model/kinds/error_correcting_model.h"
#include "model/kinds/graph_model.h"
#include "model/kinds/hidden_chain_model.h"
#include "model/kinds/hmm_model.h"
#include "model/kinds/joint_model.h"
#include "model/kinds/naive_bayes_model.h"
#include "model/kinds/segment_model.h"

namespace croft {
namespace {

// Empty where the file does not say: that is for the model to complain of.
std::string kind_of(const Container& container) {
  const auto meta = parse_json_or_null(container.text("meta"));
  const bool says = meta.is_object() && meta.contains("kind") && meta["kind"].is_string();
  return says ? meta["kind"].get<std::string>() : std::string();
}

}  // namespace

std::shared_ptr<const SequenceModel> open_model(const std::filesystem::path& path) {
  return read_model(Container::open(path));
}

std::shared_ptr<const SequenceModel> read_model(Container container) {
  const std::string kind = kind_of(container);
  if (kind == kNaiveBayes) {
    return std::make_shared<const NaiveBayesModel>(std::move(container));
  }
  if (kind == HmmModel::kKind) return std::make_shared<const HmmModel>(std::move(container));
  if (kind == HiddenChainModel::kKind) {
    return std::make_shared<const HiddenChainModel>(std::move(container));
  }
  if (kind == kBoostedSegment) {
    return std::make_shared<const BoostedSegmentModel>(std::move(container));
  }
  if (is_boosted(kind)) return std::make_shared<const BoostedModel>(std::move(container));
  if (kind == ErrorCorrectingModel::kKind) {
    return std::make_shared<const ErrorCorrectingModel>(std::move(container));
  }
  if (kind == JointModel::kKind) return std::make_shared<const JointModel>(std::move(container));
  if (kind == SegmentModel::kKind)
    return std::make_shared<const SegmentModel>(std::move(container));
  if (kind == GraphModel::kKind) {
    throw Error(container.name(),
                ": this is a model of kind graph, which labels the rows of a database; predict, "
                "evaluate and inspect take it, with --database");
  }
  return std::make_shared<const ChainModel>(std::move(container));
}

}  // namespace croft
