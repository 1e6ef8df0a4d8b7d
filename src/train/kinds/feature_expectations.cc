#include "train/kinds/feature_expectations.h"

#include "croft/core/error.h"
#include "train/kinds/chain_training.h"

namespace croft {

FeatureExpectations ChainTraining::expectations(const TrainOptions& options) {
  if (init_ == nullptr) throw UsageError("expectations are those of a model: there is none");
  if (sequences() == 0) throw Error("there is no sequence to compare the model with");
  if (options.label_weights) {
    weigh_by_label(*options.label_weights, names().labels, encoder_.data);
  }
  TrainResult unused;
  lay_out(options, unused);
  set_histories(options);
  if (layout_.dimension() == 0) {
    throw Error("neither the model nor the data has any feature to compare");
  }
  if (layout_.histories && layout_.histories->size() != init_->histories()->size()) {
    throw Error("the data has runs of labels that the model, of order " +
                std::to_string(options.order) + ", gives no probability");
  }
  ThreadPool pool(options.threads);
  FeatureExpectations result{.layout = &layout_,
                             .names = names(),
                             .weight = std::vector<double>(layout_.dimension()),
                             .in_model = std::vector<bool>(layout_.dimension()),
                             .empirical = empirical_counts(encoder_.data, layout_, pool),
                             .expected = std::vector<double>(layout_.dimension())};
  for (const FeatureWeight& each : initial_weights(*init_)) {
    result.weight[each.feature] = each.weight;
    result.in_model[each.feature] = true;
  }
  // The gradient of the negative log-likelihood is what the model expects less what there is.
  const ChainProblem problem = this->problem(options, pool);
  result.loss = make_chain_function(problem, encoder_.data, layout_)
                    ->evaluate(result.weight, result.expected);
  for (std::size_t k = 0; k < layout_.dimension(); ++k) result.expected[k] += result.empirical[k];
  return result;
}

}  // namespace croft
