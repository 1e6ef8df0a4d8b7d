#include "croft/app/train.h"

#include "app/train/requests.h"
#include "core/option_values.h"

namespace croft {
namespace {

std::optional<double> score_of(const std::optional<HoldoutScore>& holdout) {
  return holdout ? std::optional(holdout->score()) : std::nullopt;
}

class Watch final : public TrainObserver {
 public:
  explicit Watch(const std::function<bool(const TrainingProgress&)>& watch) : watch_(watch) {}

 private:
  bool see(const TrainStep& step) override {
    return !watch_ || watch_({.iteration = step.number,
                              .most = step.most,
                              .objective = step.objective,
                              .holdout = score_of(step.holdout)});
  }

  const std::function<bool(const TrainingProgress&)>& watch_;
};

OptionValues values_of(const std::vector<std::string>& data, const std::string& model_path,
                       const TrainingOptions& options) {
  OptionValues values(training_options());
  for (const auto& [name, value] : options) {
    if (values.find(name) == nullptr) {
      throw UsageError("training has no option " + in_quotes(name) + ": see docs/options.md");
    }
    values.set(name, value);
  }
  for (const std::string& file : data) values.set("DATA", file);
  values.set("output", model_path);
  values.check_required();
  return values;
}

}  // namespace

TrainingResult train(const std::vector<std::string>& data, const std::string& model_path,
                     const TrainingOptions& options,
                     const std::function<bool(const TrainingProgress&)>& watch) {
  Watch observer(watch);
  const auto trainer = make_trainer(values_of(data, model_path, options));
  const TrainOutcome outcome = train(*trainer, observer);
  return {.reason = outcome.reason,
          .converged = outcome.converged,
          .iterations = outcome.iterations,
          .objective = outcome.objective,
          .holdout = score_of(outcome.holdout)};
}

}  // namespace croft
