#include "train/training_curve.h"

namespace croft {

void TrainingCurve::add(std::size_t iteration, double objective,
                        const std::optional<HoldoutScore>& holdout) {
  const Point* const before = last_ ? &*last_ : points_.empty() ? nullptr : &points_.back();
  if (before != nullptr && iteration + before_ <= before->iteration) before_ = before->iteration;
  Point now{iteration + before_, objective, holdout};
  if (seen_++ % stride_ != 0) {
    last_ = now;
    return;
  }
  last_.reset();
  points_.push_back(now);
  if (points_.size() <= kMostPoints) return;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < points_.size(); k += 2) points_[kept++] = points_[k];
  if (points_.size() % 2 == 0) last_ = points_.back();
  points_.resize(kept);
  stride_ *= 2;
}

Json TrainingCurve::json() const {
  Json out = {{"iteration", Json::array()}, {"objective", Json::array()}};
  const auto add = [&](const Point& point) {
    out["iteration"].push_back(point.iteration);
    out["objective"].push_back(point.objective);
    if (!point.holdout) return;
    const HoldoutScore& score = *point.holdout;
    if (score.log_likelihood) {
      out["holdout_log_likelihood"].push_back(*score.log_likelihood);
      return;
    }
    out["holdout_accuracy"].push_back(score.token_accuracy);
    if (score.chunk_f1) out["holdout_f1"].push_back(*score.chunk_f1);
  };
  for (const Point& each : points_) add(each);
  if (last_) add(*last_);
  // A list that lacks some iterations, as those of a view, is none.
  for (const char* name : {"holdout_log_likelihood", "holdout_accuracy", "holdout_f1"}) {
    const Json* const list = out.get_if(name);
    if (list != nullptr && list->size() != out.at("iteration").size()) out.erase(name);
  }
  return out;
}

}  // namespace croft
