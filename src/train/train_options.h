// What the training of a chain is told beside its data.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/settings/field_files.h"
#include "features/chain_data.h"
#include "model/history_layout.h"
#include "model/kinds/chain_model.h"
#include "objective/label_cost.h"
#include "train/chain_methods.h"
#include "train/checkpoint.h"
#include "train/functions/active_set.h"
#include "train/induction/feature_round_options.h"
#include "train/methods/choice.h"
#include "train/unlabelled_terms.h"

namespace croft {

// Weights of examples by their labels: of classes that are rare, or that matter more.
struct LabelWeights {
  std::optional<LabelWeightFile> file;  // none: balanced
};

// Multiplies the weight of each sequence by that of its label.  Balanced: n / (k n_y), of n
// sequences with k labels, n_y of them with label y, so that all labels weigh the same together,
// and all sequences as much as before (King & Zeng 2001); weights that sequences had are not
// counted.
//   data  : sequences of one position, each of one known label
//   names : of the labels
// Throws InputError for a label in the file that is none of `names`.  Time O(n + k).
void weigh_by_label(const LabelWeights& weights, std::span<const std::string_view> names,
                    ChainData& data);

// With fewer positions double precision costs nothing that anyone would notice, and the last steps
// of an optimiser, which single precision cannot tell apart, are made.
inline constexpr std::size_t kFewPositions = 20'000;

struct TrainOptions {
  ChainKind kind = ChainKind::chain;
  FeatureSet features = FeatureSet::observed;
  std::size_t min_count = 1;  // >= 1
  Regulariser regulariser{.l1 = 0, .l2 = 1};
  Objective objective = Objective::likelihood;
  std::size_t block = 3;         // labels in a block of `composite`, >= 1
  bool observed_pieces = false;  // of `piecewise`: a transition with its observations is a piece
  std::optional<Method> method;  // default: default_method()
  MethodSettings settings;
  StoppingRule stop;
  bool own_stop = false;   // rules of `stop` are asked for that dual methods do not have
  std::uint64_t seed = 1;  // of all that is drawn
  std::size_t order = 1;   // of the chain: how many labels back its scores look; 1 to kMostOrder
  std::optional<HistorySet> histories;  // only with order >= 2; default: seen
  Precision precision = Precision::automatic;
  std::size_t threads = 1;  // 0: one per processor
  // Processes that train together, each with a share of the data, or all with the whole data
  // (core/parallel.h).  Not both.
  Ranks *ranks = &no_other_ranks(), *helpers = &no_other_ranks();
  // The cost of mistakes, given the labels by number, of objectives that have one.  Empty: 1 each.
  std::function<LabelCost(std::span<const std::string_view> labels)> cost;
  // The labellings that the model is normalised over, given the labels by number.  Empty: that of
  // the model training starts from, if it has one; otherwise all.
  std::function<ChainConstraint(std::span<const std::string> labels)> constraint;
  TransitionGrouping transition_groups;  // transitions that share a weight; empty: none do
  // With l1 > 0 and so many candidate features or more, training goes by an active set.  Below, all
  // features are trained at once, which takes no longer.
  std::size_t active_set_from = 100'000;
  ActiveSetOptions active_set;
  // Of the penalty, relative to 1 / l2: those of each attribute's weights, and of the transitions',
  // given the names of attributes and of the transitions' templates.  Empty: 1.
  std::function<std::vector<double>(std::span<const std::string_view> names)> variances;
  std::optional<LabelWeights> label_weights;  // of kind maxent, without partial labels
  bool free_intercept = false;                // the weights of kIntercept are not penalised
  bool prior = false;  // the penalty is of the distance from the weights of the model to start from
  UnlabelledOptions unlabelled;   // what data without labels is for
  FeatureRounds rounds;           // in which features change; by default they do not
  FeatureRoundCallback on_round;  // at the end of each; may be empty
  CheckpointFolder* checkpoints = nullptr;
  std::size_t early_stop =
      0;  // iterations without a better hold-out score before stopping; 0: never

  void validate() const;  // throws UsageError naming the option

  // What `method` and `precision` come to.
  //   positions    : of the data
  //   from_weights : training goes on from a model
  Method chosen_method(bool from_weights) const;  // with many positions
  Method chosen_method(bool from_weights, std::size_t positions) const;
  Precision chosen_precision(std::size_t positions) const;  // single or twice
  // For check_choice(); a value that is not the default counts as given.
  MethodChoice choice(bool from_weights, std::size_t positions) const;
};

// The part of a problem that these options say as they stand; its method is the default one.
ChainProblem problem_of(const TrainOptions& options, const ChainData& data,
                        const ChainLayout& layout, ThreadPool& pool);

// The tolerance of the stopping rule where the user gives none.  OWL-QN creeps more at the end: on
// CoNLL-2000 with l1 = 1 it stopped 1.3e-4 to 2.1e-4 above the optimum at 1e-5.
inline double default_tolerance(const Regulariser& regulariser) {
  return regulariser.l1 > 0 ? 5e-6 : 1e-5;
}

}  // namespace croft
