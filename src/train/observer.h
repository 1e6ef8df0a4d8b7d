// What a training tells whoever watches it: the same for all kinds of models and all front ends.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "train/induction/feature_round_options.h"
#include "train/training_watch.h"

namespace croft {

// A value by its name, as logs and programs want it.
using FieldValue =
    std::variant<std::monostate, bool, std::size_t, double, std::string, std::vector<double>>;
// Some values have another name, or no place, in the log than in what a program is handed.
enum class Shown { everywhere, log, program };
struct Field {
  std::string name;
  FieldValue value;
  Shown where = Shown::everywhere;
};
using Fields = std::vector<Field>;

// What is known once the data has been read.
struct DataSummary {
  std::string text;  // for people
  Fields counts;
};

// The state after an iteration: of an optimiser, an E step, a round of boosting, a bit of a code.
struct TrainStep {
  std::string text;        // for people, without the hold-out's score
  std::size_t number = 0;  // 0: the start
  std::size_t most = 0;    // iterations
  double objective = 0;
  Fields further{};
  std::optional<HoldoutScore> holdout{};
  bool milestone = false;  // not to be left out where many steps go by
};

// What came of a training.
struct TrainOutcome {
  std::string reason;  // for its end
  bool converged = false;
  std::size_t iterations = 0;
  std::optional<double> objective{};
  Fields further{};
  std::optional<HoldoutScore> holdout{};
  // For people: what comes before and after the time that it took; lines that go ahead, and lines
  // that warn.
  std::string head{}, tail{}, ahead{}, warning{};
};

class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void reading(std::string_view /*what*/) {}  // now and then: "2000 positions"
  virtual void data_read(const DataSummary&) {}       // before the first iteration
  virtual void part(std::string_view /*what*/) {}     // what begins: "expert 2 of 5"
  virtual void warn(std::string_view /*what*/) {}     // what training goes on without
  virtual void round(const FeatureRound&) {}          // features have changed
  // Whether to stop before the iteration is over; asked from any thread, by one at a time.
  virtual bool stop() { return false; }

  // False: stop, and keep the model.
  bool iteration(const TrainStep& step) {
    if (!see(step)) stopped_ = true;
    return !stopped_;
  }
  bool stopped() const { return stopped_; }

 protected:
  virtual bool see(const TrainStep&) { return true; }

 private:
  bool stopped_ = false;
};

}  // namespace croft
