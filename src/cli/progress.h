// How far a training is: a bar on a terminal, plain lines elsewhere, JSON lines in a log.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "cli/json_log.h"
#include "croft/app/train.h"

namespace croft::cli {

class TrainingProgress {
 public:
  // log_path: a file for JSON lines, or empty.  quiet: nothing on stderr.
  TrainingProgress(const TrainOptions& options, const std::string& log_path, bool quiet);
  ~TrainingProgress();

  void reading(std::size_t positions);
  void reading(const std::string& what);
  void data_read(const TrainData& data);
  void data_read(const std::string& what);
  void iteration(const TrainProgress& progress);
  void round(const FeatureRound& round);
  void done(const TrainResult& result, const std::string& output);

 private:
  double seconds() const;
  double remaining(const TrainProgress& progress);
  void show_bar(const TrainProgress& progress, const std::string& line);

  using Clock = std::chrono::steady_clock;
  const TrainOptions& options_;
  Clock::time_point start_ = Clock::now(), last_shown_ = start_;
  double first_iteration_seconds_ = 0;
  bool quiet_, terminal_, bar_on_screen_ = false;
  JsonLog log_;
  std::vector<double> objectives_;  // of every iteration, to foresee the end
};

}  // namespace croft::cli
