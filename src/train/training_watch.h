// Follows the iterations of a training: the caller's callback, the hold-out's scores, early
// stopping.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "croft/optimize/result.h"
#include "model/chain_layout.h"
#include "train/training_curve.h"

namespace croft {

// What a watched run says of the weights that it has kept.
struct WatchedResult {
  OptimizeResult optimization;
  std::size_t dimension = 0, active = 0;      // candidate features, and weights that are not 0
  std::optional<HoldoutScore> holdout;        // of the weights that were kept
  std::optional<std::size_t> best_iteration;  // where early stopping went back to an earlier one
  TrainingCurve curve{};
};

struct TrainProgress {
  const Iteration& iteration;
  std::size_t max_iterations;
  std::optional<HoldoutScore> holdout;
};

// False stops the training cleanly after this iteration.
using TrainingCallback = std::function<bool(const TrainProgress&)>;

class TrainingWatch {
 public:
  //   early_stop : iterations without a better hold-out score before stopping; 0: never
  TrainingWatch(std::size_t max_iterations, std::size_t early_stop,
                const TrainingCallback& callback)
      : max_iterations_(max_iterations), early_stop_(early_stop), callback_(callback) {}

  // False: stop.
  //   score     : of the iterate; none without a hold-out
  //   selection : of the active set; null where all features are trained
  bool see(const Iteration& iteration, const std::optional<HoldoutScore>& score,
           const FeatureSelection* selection);

  // The best iteration by the hold-out, with early stopping.
  struct Best {
    std::size_t iteration = 0;
    HoldoutScore score;
    std::vector<double> weights;
    std::vector<std::uint64_t> features;  // of an active set: places in the w of all candidates
    double objective = 0, gradient_norm = 0;
    void archive(StateArchive& state);
  };
  bool gave_up() const { return gave_up_; }  // the hold-out score has not improved
  const std::optional<HoldoutScore>& last_score() const { return last_score_; }
  const TrainingCurve& curve() const { return curve_; }
  // Where the best iteration was not the last one.
  std::optional<Best> go_back();

  void archive(StateArchive& state);

 private:
  std::size_t max_iterations_, early_stop_;
  const TrainingCallback& callback_;
  std::size_t last_iteration_ = 0;
  std::optional<HoldoutScore> last_score_;
  std::optional<Best> best_;
  TrainingCurve curve_;
  bool gave_up_ = false;
};

}  // namespace croft
