// Trainings whose features change on the way: feature induction, unsupported features that forbid a
// confident mistake, and a selection by l1 before the weights are fitted with l2.
// docs/math/induction.md.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "train/induction/feature_induction.h"
#include "train/training_watch.h"

namespace croft {

// After some iterations, features (a, j) that the data does not show are added where they could
// correct a mistake: a occurs at a position whose label is not j, and the model gives j more than
// `threshold`.
struct UnsupportedOptions {
  double threshold = 0.01;      // in [0, 1]; 1 adds nothing
  std::size_t iterations = 10;  // before they are added
};

// At most one of them.
struct FeatureRounds {
  std::optional<InductionOptions> induction;
  std::optional<UnsupportedOptions> unsupported;
  std::optional<double> select_l1;  // features are those that OWL-QN leaves a weight at this l1

  bool any() const { return induction || unsupported || select_l1; }
  // Throws UsageError naming the option.
  void validate() const;
};

// What is known at the end of one round of training, after which features change.
struct FeatureRound {
  std::string_view what;       // induction, unsupported, selection
  std::size_t number = 1;      // of the round
  std::size_t iterations = 0;  // of all rounds up to here
  double objective = 0;        // of the features as they were
  std::optional<HoldoutScore> holdout{};
  std::optional<std::size_t> errors{};  // positions whose likeliest label is not the true one
  std::size_t added = 0, dropped = 0;   // features
  std::size_t features = 0;             // from here on
  std::size_t conjunctions = 0;         // of attributes, that there are from here on
  std::optional<double> best_gain{}, least_gain{};  // of those added, of induction
};
using FeatureRoundCallback = std::function<void(const FeatureRound&)>;

// Of all rounds together.
struct FeatureRoundsReport {
  std::size_t rounds = 0;
  std::size_t candidates = 0;  // features at the start
  std::size_t added = 0, dropped = 0;
  std::size_t conjunctions = 0;
};

}  // namespace croft
