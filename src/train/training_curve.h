// The objective and the hold-out's scores from iteration to iteration, for a model's record.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "core/json.h"
#include "croft/core/state_archive.h"

namespace croft {

// How the model of an iteration does on the hold-out.
struct HoldoutScore {
  double token_accuracy = 0;
  std::optional<double> chunk_f1;          // where labels are chunk labels
  std::optional<double> log_likelihood{};  // of cases without a label, in nats a case
  void archive(StateArchive& state) { state(token_accuracy, chunk_f1, log_likelihood); }
  // What early stopping looks at.
  double score() const { return log_likelihood.value_or(chunk_f1.value_or(token_accuracy)); }
};

// Every iteration of a short training; of a long one every second, fourth …, and always the last.
class TrainingCurve {
 public:
  static constexpr std::size_t kMostPoints = 128;

  //   iteration : from 0; one that is not above the last begins a round: all are counted on
  void add(std::size_t iteration, double objective, const std::optional<HoldoutScore>& holdout);
  bool empty() const { return points_.empty(); }
  void archive(StateArchive& state) { state(points_, last_, seen_, stride_, before_); }

  // {"iteration": [], "objective": []}, with a hold-out also "holdout_accuracy" and "holdout_f1",
  // or "holdout_log_likelihood": lists of one length.
  Json json() const;

 private:
  struct Point {
    std::size_t iteration = 0;
    double objective = 0;
    std::optional<HoldoutScore> holdout{};
    void archive(StateArchive& state) { state(iteration, objective, holdout); }
  };
  std::vector<Point> points_;
  std::optional<Point> last_;                       // where it is not among them
  std::size_t seen_ = 0, stride_ = 1, before_ = 0;  // before_: iterations of former rounds
};

}  // namespace croft
