// How far a training is, whatever the kind of model: a bar on a terminal, plain lines elsewhere,
// JSON lines in a log.
#pragma once
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/train/trainer.h"
#include "cli/progress_line.h"

namespace croft {
class Json;
}

namespace croft::cli {

// The file of --log: one JSON object a line.
class JsonLog {
 public:
  // Empties the file; an empty path is no log.  Throws Error where it cannot be written.
  explicit JsonLog(std::string path);
  // Written through, so that the last line of a process that dies is whole.  Why it cannot be
  // written, after which there is no log; empty: it was.
  std::string write(const Json& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

class TrainingReport final : public TrainObserver {
 public:
  // log_path: a file for JSON lines, or empty.  quiet: nothing on stderr.
  TrainingReport(const StoppingRule& rule, const std::string& log_path, bool quiet);

  void reading(std::string_view what) override;
  void data_read(const DataSummary& data) override;
  void part(std::string_view what) override;
  void warn(std::string_view what) override;
  void round(const FeatureRound& round) override;
  bool stop() override;
  void done(const TrainOutcome& outcome, const std::string& output);

 private:
  bool see(const TrainStep& step) override;
  double seconds() const;
  std::optional<double> remaining(const TrainStep& step);
  void show_bar(const TrainStep& step, const std::string& line);
  void log(const Json& line);

  using Clock = std::chrono::steady_clock;
  const StoppingRule rule_;
  Clock::time_point start_ = Clock::now();
  double first_iteration_seconds_ = 0;
  ProgressLine line_;
  JsonLog log_;
  std::vector<double> objectives_;  // of every iteration, to foresee the end
};

// Trains, and reports it.  Returns the exit status.  Throws UsageError where the log would
// overwrite a file of the training.
int run_training(Trainer& trainer, const std::string& log, bool quiet);

}  // namespace croft::cli
