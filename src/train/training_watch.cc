#include "train/training_watch.h"

#include <utility>

namespace croft {

bool TrainingWatch::see(const Iteration& iteration, const std::optional<HoldoutScore>& score,
                        const FeatureSelection* selection) {
  last_iteration_ = iteration.number;
  last_score_ = score;
  curve_.add(iteration.number, iteration.objective, score);
  if (score && early_stop_ > 0 && (!best_ || score->score() > best_->score.score())) {
    best_ =
        Best{.iteration = iteration.number,
             .score = *score,
             .weights = {iteration.w.begin(), iteration.w.end()},
             .features = selection != nullptr ? selection->origin : std::vector<std::uint64_t>(),
             .objective = iteration.objective,
             .gradient_norm = iteration.gradient_norm};
  }
  if (callback_ && !callback_({iteration, max_iterations_, score})) return false;
  gave_up_ = best_ && iteration.number >= best_->iteration + early_stop_;
  return !gave_up_;
}

std::optional<TrainingWatch::Best> TrainingWatch::go_back() {
  if (!best_ || best_->iteration == last_iteration_) return std::nullopt;
  return std::exchange(best_, std::nullopt);
}

void TrainingWatch::Best::archive(StateArchive& state) {
  state(iteration, score, weights, features, objective, gradient_norm);
}

void TrainingWatch::archive(StateArchive& state) {
  state(last_iteration_, last_score_, best_, curve_);
}

}  // namespace croft
