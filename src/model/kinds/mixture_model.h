// A mixture of trained models of single labels: a linear opinion pool.
//
//   p(y | x) = sum_k lambda_k p_k(y | x),      lambda_k >= 0,  sum_k lambda_k = 1 (MX.1)
//
// docs/pools.md "Mixtures", docs/math/pools.md section 4, docs/format.md.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/kinds/sequence_model.h"

namespace croft {
class Json;

// The models p_k, and how a sequence of the mixture becomes one of each.
class MixtureComponents {
 public:
  using Models = std::vector<std::shared_ptr<const SequenceModel>>;
  MixtureComponents() = default;
  // Throws UsageError where there are fewer than two; for a model whose labels depend on each other
  // or have no probabilities, one that is calibrated or constrained; and for models that have other
  // labels or read other data than the first.
  explicit MixtureComponents(Models models);

  std::size_t size() const { return models_.size(); }
  const SequenceModel& operator[](std::size_t k) const { return *models_[k]; }
  const std::vector<std::string>& labels() const { return labels_; }  // those of the first

  // Of columns each cell is an attribute of the mixture, from which each model's own templates are
  // made anew; attributes are each model's as they are.
  ExtractionConfig extraction() const;

  // log p_k(y_t = j | x), into out[k], [T][L] in the order of labels().
  //   cost: that of each model's scores
  void log_probabilities(const TextSequence& sequence, SequenceModel::Scratch& scratch,
                         std::vector<Matrix<double>>& out) const;

 private:
  void check(const SequenceModel& model) const;
  void prepare(const TextSequence& sequence, std::size_t k,
               SequenceModel::ComponentScratch& scratch) const;

  Models models_;
  std::vector<std::string> labels_;
  std::vector<std::vector<Label>> label_of_;  // [K] [labels of the model] here
};

class MixtureModel final : public SequenceModel, public OpensFile<MixtureModel> {
 public:
  static constexpr std::string_view kKind = "mixture";
  explicit MixtureModel(Container container);

  const MixtureComponents& components() const { return components_; }
  std::span<const double> weights() const { return weights_; }  // [K] lambda

 private:
  // state(t, j) = log p(y_t = j | x): (MX.1), as a chain without transitions.
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  template <class Real>
  void score_in(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const;
  bool may_forbid() const override { return true; }

  MixtureComponents components_;
  std::vector<double> weights_;
};

// The model file's sections: the components' files as they are, and lambda.
ContainerWriter make_mixture_model(const MixtureComponents& components,
                                   const ExtractionConfig& extraction,
                                   const std::vector<double>& weights, const Json& training);

}  // namespace croft
