// Training from files to a model file: what `croft train` does.
//
//   croft::train({"train.txt"}, "words.croft", {{"l2", "0.5"}, {"threads", "2"}});
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace croft {

// The options of docs/options.md by their names, without dashes, each with its value as the command
// line writes it; the value of a flag is empty.  An option that may stand several times may do so.
using TrainingOptions = std::vector<std::pair<std::string, std::string>>;

// The state after an iteration.
struct TrainingProgress {
  std::size_t iteration = 0;      // 0: the start
  std::size_t most = 0;           // iterations that there may be
  double objective = 0;           // as docs/objectives.md defines it
  std::optional<double> holdout;  // the score of what is held out: F1 of chunks, or accuracy
};

struct TrainingResult {
  std::string reason;  // for the end
  bool converged = false;
  std::size_t iterations = 0;
  std::optional<double> objective;  // of the model that was kept, where the training has one
  std::optional<double> holdout;
};

// Reads `data`, trains, and writes `model_path` (temporary, sync, rename).  The model's bytes
// depend on the data and the options alone: not on threads, time or paths.
//   watch : called after each iteration; false ends the training and keeps the model
// Throws UsageError for options that are not known, contradict each other or would be ignored, and
// Error where the output cannot be written: both before anything is read; InputError for bad data;
// Interrupted where croft/core/interrupt.h says so before there is a model to keep.  Graphs, whose
// data is a database, are trained by the program.
TrainingResult train(const std::vector<std::string>& data, const std::string& model_path,
                     const TrainingOptions& options = {},
                     const std::function<bool(const TrainingProgress&)>& watch = {});

}  // namespace croft
