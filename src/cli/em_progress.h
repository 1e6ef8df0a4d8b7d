// How far a training is that counts, and counts again (EM): lines on stderr, JSON lines in a log.
// Of naive Bayes and of hidden Markov models.
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "cli/json_log.h"

namespace croft {
class Json;
}

namespace croft::cli {

class EmProgress {
 public:
  // log_path: a file for JSON lines, or empty.  quiet: nothing on stderr.
  EmProgress(const std::string& log_path, bool quiet) : quiet_(quiet), log_(log_path) {}

  void data_read(const std::string& what);
  // The objective is what is minimised: minus the log-likelihood and what smoothing adds to it.
  struct Step {
    std::optional<std::size_t> start;  // of several, from 0
    std::size_t iteration = 0;         // from 1
    double objective = 0;
    std::optional<double> log_likelihood;  // where it is known apart
  };
  void iteration(const Step& step);

  struct Outcome {
    std::size_t iterations = 0;  // 0: what is known was counted, once
    bool converged = true;
    std::optional<double> objective, log_likelihood;
    std::string remark;  // a line about the model; may be empty
  };
  void done(const Outcome& outcome, const std::string& output);

 private:
  double seconds() const;

  using Clock = std::chrono::steady_clock;
  bool quiet_;
  JsonLog log_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

// Throws UsageError where the log would overwrite this file.
void check_log_against(const std::string& log, const std::string& path);

}  // namespace croft::cli
