#include "app/kinds.h"

#include <algorithm>
#include <array>

#include "app/convert/convert.h"
#include "app/explain/explain.h"
#include "app/explain/explain_segment.h"
#include "app/inspect/inspect.h"
#include "app/inspect/inspect_boosted.h"
#include "model/kinds/error_correcting_model.h"
#include "model/kinds/graph_model.h"
#include "model/kinds/hidden_chain_model.h"
#include "model/kinds/hmm_model.h"
#include "model/kinds/hmm_to_chain.h"
#include "model/kinds/joint_model.h"
#include "model/kinds/mixture_model.h"
#include "model/kinds/model_file.h"
#include "model/kinds/naive_bayes_model.h"
#include "train/generative/naive_bayes_conversion.h"

namespace croft {
namespace {

View chain_constraints(std::shared_ptr<const SequenceModel> model,
                       const ConstraintRequest& request) {
  require_chain(*model, "a comparison of features with data");
  return inspect_constraints(std::static_pointer_cast<const ChainModel>(model), request);
}

View joint_constraints(std::shared_ptr<const SequenceModel> model,
                       const ConstraintRequest& request) {
  return inspect_constraints(*as<JointModel>(*model), request);
}

// Seen: what inspect takes for the model.
template <class Model, class Seen = Model>
constexpr KindRow row(std::string_view name, Conversion conversion = {}) {
  KindRow row{.name = name,
              .summary =
                  [](const StoredModel& model) {
                    const Seen& seen = static_cast<const Model&>(model);
                    return summary_of(seen);
                  },
              .top =
                  [](const StoredModel& model, std::size_t n) {
                    const Seen& seen = static_cast<const Model&>(model);
                    return top_of(seen, n);
                  },
              .write_weights = nullptr,
              .constraints = chain_constraints,
              .explainer = position_explainer,
              .conversion = conversion};
  if constexpr (requires(const Seen& seen, const WriteText& write) {
                  write_weights(seen, write);
                }) {
    row.write_weights = [](const StoredModel& model, const WriteText& write) {
      const Seen& seen = static_cast<const Model&>(model);
      write_weights(seen, write);
    };
  }
  if constexpr (std::same_as<Model, JointModel>) row.constraints = joint_constraints;
  if constexpr (std::same_as<Seen, SegmentModel>) row.explainer = segment_explainer;
  if constexpr (std::same_as<Model, GraphModel>) {
    row.constraints = nullptr;
    row.explainer = nullptr;
  }
  return row;
}

// In the order of the help of convert.
constexpr std::array kRows = {
    row<ChainModel>("chain"),
    row<ChainModel>("maxent"),
    row<ChainModel>("memm"),
    row<HmmModel>(HmmModel::kKind,
                  {"chain", "p(y|x); of attributes, as far as the model knows them (docs/hmm.md)",
                   [](const SequenceModel& model) { return hmm_to_chain(*as<HmmModel>(model)); }}),
    row<ChainModel>(
        "pool", {"chain", "everything; the experts stay in the training record",
                 [](const SequenceModel& model) { return with_kind(model.container(), "chain"); }}),
    row<NaiveBayesModel>(
        kNaiveBayes, {"maxent", "p(y|x); of bernoulli attributes, where their values are 0 and 1",
                      [](const SequenceModel& model) {
                        return naive_bayes_to_maxent(*as<NaiveBayesModel>(model));
                      }}),
    row<JointModel>(JointModel::kKind, {"", "is a log-linear model already", nullptr}),
    row<MixtureModel>(MixtureModel::kKind),
    row<HiddenChainModel>(HiddenChainModel::kKind),
    row<ErrorCorrectingModel>(ErrorCorrectingModel::kKind),
    row<SegmentModel>(SegmentModel::kKind),
    row<BoostedModel, TreeModelView>(kBoostedChain),
    row<BoostedModel, TreeModelView>(kBoostedMaxent),
    row<BoostedSegmentModel, TreeModelView>(kBoostedSegment),
    row<GraphModel>(GraphModel::kKind),
};

}  // namespace

std::span<const KindRow> kind_rows() { return kRows; }

const KindRow& kind_of(const StoredModel& model) {
  return *std::ranges::find(kRows, model.kind(), &KindRow::name);
}

}  // namespace croft
