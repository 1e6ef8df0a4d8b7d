// The training of a logarithmic opinion pool (Smith, Cohn & Osborne 2005): experts, then their
// weights, then one chain.
//
//   p(y|x) proportional to prod_i p_i(y|x)^{a_i},   a chain with weights sum_i a_i w_i      (LP.1)
//
// Experts are chains: of parts of the features, of parts of the labels, or from model files.
// docs/math/pools.md.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/settings/field_files.h"
#include "train/encoded_training.h"
#include "train/kinds/chain_expert.h"
#include "train/pool_weights.h"

namespace croft {

struct PoolOptions {
  // Which experts are trained, each text one kind of them:
  //   all                  : one with every feature
  //   random:N             : N, each feature's attribute in one of them, drawn at random
  //   random:N:FRACTION    : N, each attribute in each of them with that probability
  //   position             : three, of the past, the present and the future (position_of_name())
  //   labels               : one for each class of labels, which sees all others as one; classes
  //                          are chunk types, or each label by itself, or `classes`
  std::vector<std::string> experts;
  LabelClasses classes;  // empty: none
  PoolWeightOptions weights;
  void validate() const;  // throws UsageError
};

// Where an attribute looks, by the first [OFFSET] or [FROM..TO] in its name: w[-1]=the, l[-1..0]=…
enum class FeaturePosition { past, present, future };
FeaturePosition position_of_name(std::string_view name);

// What position_of_name() reads in the names of a template's attributes, which do not say it: by
// the literal text that each line begins with.  Throws UsageError where two lines begin alike and
// look elsewhere.
using NamePosition = std::function<FeaturePosition(std::string_view name)>;
NamePosition positions_of_template(const TemplateSet& templates);

class PoolTraining : public SplitTraining {
 public:
  explicit PoolTraining(const Extractor& extractor);  // kept by reference

  // What is held out: what the weights are learnt on; without, the training data.

  // Trained elsewhere; after all data.  Throws UsageError where it makes features in another way
  // or has other labels.
  void add_expert(const ChainModel& model);

  struct Expert {
    std::string name;
    double weight, divergence;  // a_i, and KL(p_pool || p_i) a sequence
    std::size_t features = 0;
    std::optional<OptimizeResult> optimization;  // of one that was trained here
  };
  struct Result {
    TrainResult train;  // of the weights' fit; features are those of the pool
    std::vector<Expert> experts;
    double loss = 0;  // -log p of what the weights were learnt on
  };
  // The expert that is trained, from 0, or that their weights are learnt (as many as there are).
  using Callback = std::function<bool(std::size_t expert, std::size_t count, const TrainProgress&)>;
  // options.checkpoints keeps the experts that are trained, and the state of the one that is.
  // Throws UsageError for bad options, Error where there is no expert, sequence, label or feature.
  Result run(const TrainOptions& options, const PoolOptions& pool, const Callback& callback);

  // After run(): the model file's sections, of kind pool, which a ChainModel reads.
  ContainerWriter model(const Json& training) const;
  std::span<const ChainExpert> experts() const { return experts_; }

 private:
  struct Plan {  // an expert to be trained
    std::string name;
    std::vector<bool> node, edge;  // attributes that it sees; empty: all
    std::vector<Label> label_of;   // [L] its label for each; empty: the same
    std::vector<std::string> labels;
  };
  void plan(const std::string& text, const PoolOptions& pool, std::uint64_t seed,
            std::vector<Plan>& out) const;
  void plan_random(const std::string& text, std::uint64_t seed, std::vector<Plan>& out) const;
  void plan_positions(std::vector<Plan>& out) const;
  void plan_labels(const PoolOptions& pool, std::vector<Plan>& out) const;
  ChainEncoder data_of(const Plan& plan) const;
  std::uint64_t fingerprint(const TrainOptions& options, const PoolOptions& pool,
                            std::shared_ptr<const ChainConstraint> constraint) const;
  void merge(std::span<const double> a);

  const Extractor& extractor_;
  std::vector<ChainExpert> experts_;
  // Of the pool.
  ChainLayout layout_;
  std::vector<double> weights_;
};

}  // namespace croft
