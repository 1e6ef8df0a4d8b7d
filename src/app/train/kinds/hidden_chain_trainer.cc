// Chains whose labels have hidden states.
#include <fmt/format.h>

#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "train/course/report.h"

namespace croft {
namespace {

// By the optimizer that a hidden chain has by default, which starts from weights.
void check_hidden_chain(const HiddenChainRequest& request) {
  const TrainOptions& o = request.train.options;
  request.hidden.validate();
  if (o.objective == Objective::likelihood) {
    MethodChoice choice = o.choice(true, 0);
    choice.by_default = !o.method;
    check_choice(choice);
  }
  check_request(request.train);
}

class HiddenChainTrainer final : public SequenceTrainer {
 public:
  explicit HiddenChainTrainer(const HiddenChainRequest& asked)
      : SequenceTrainer(with_defaults(asked.train)), hidden_(asked.hidden) {
    check_hidden_chain({request_, hidden_});
  }
  ExtractionConfig extraction() const override { return make_extraction(request_, nullptr); }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder*) override {
    std::size_t last = 0;
    result_ =
        chain_->run(options_, hidden_, scorer(), [&](std::size_t start, const TrainProgress& now) {
          if (start != last)
            observer.part(fmt::format("start {} of {}", start + 1, hidden_.starts));
          last = start;
          return observer.iteration(step_of(now));
        });
    TrainOutcome outcome = outcome_of(result_.train, options_.regulariser.l1);
    if (result_.objectives.size() > 1) {
      outcome.ahead = fmt::format("kept start {}; objectives", result_.kept_start + 1);
      for (const double each : result_.objectives) outcome.ahead += fmt::format(" {:.2f}", each);
      outcome.ahead += "\n";
    }
    return outcome;
  }

 private:
  Sharing sharing() const override { return Sharing::data; }
  SequenceTraining& begin(const Extractor& extractor) override { return chain_.emplace(extractor); }
  Json record() const override {
    Json record = common_record(chain_->method(options_), chain_->precision(options_, hidden_),
                                result_.train);
    record.update({{"states", result_.states},
                   {"training", hidden_.em_iterations ? "em" : "gradient"},
                   {"start_deviation", hidden_.start_deviation},
                   {"start_objectives", result_.objectives},
                   {"kept_start", result_.kept_start}});
    return record;
  }
  ContainerWriter file(const Json& record) const override { return chain_->model(record); }

  HiddenChainOptions hidden_;
  std::optional<HiddenChainTraining> chain_;
  HiddenChainTraining::Result result_;
};

}  // namespace

std::unique_ptr<SequenceTrainer> make_trainer(const HiddenChainRequest& request) {
  return std::make_unique<HiddenChainTrainer>(request);
}

}  // namespace croft
