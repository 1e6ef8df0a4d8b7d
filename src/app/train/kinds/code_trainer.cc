// Error-correcting codes: binary chains, one for each bit.
#include <fmt/format.h>

#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "core/words/counted.h"
#include "data/settings/field_files.h"
#include "train/course/report.h"

namespace croft {
namespace {

// What only minimum-loss looks at.
void check_holdout(const CodeRequest& request) {
  if (request.train.holdout.empty() || request.code.code.starts_with("minimum-loss")) return;
  throw UsageError(
      "--holdout is what --code minimum-loss chooses its bits by; leave it out, and evaluate the "
      "model afterwards");
}

TrainRequest with_code_defaults(TrainRequest request) {
  TrainOptions& o = request.options;
  if (!o.method && o.objective == Objective::likelihood) {
    o.method = o.regulariser.l1 > 0 ? Method::owlqn : Method::lbfgs;
  }
  request = with_defaults(std::move(request));
  if (!request.options.method) {
    request.options.method = default_method(request.options.objective, request.options.regulariser);
  }
  return request;
}

// A bit that is trained is a step.
TrainStep step_of_bit(std::size_t done, std::size_t of, const OptimizeResult& bit) {
  TrainStep step = step_of({{.number = done,
                             .evaluations = bit.evaluations,
                             .objective = bit.objective,
                             .gradient_norm = bit.gradient_norm,
                             .w = {}},
                            of,
                            std::nullopt});
  step.text = fmt::format("{} of {} bits", done, of);
  step.milestone = done == of;
  for (Field& each : step.further) {
    if (each.name != "gradient_norm") each.where = Shown::program;
  }
  step.further.push_back({"iterations", bit.iterations, Shown::log});
  step.further.push_back({"of", of, Shown::log});
  return step;
}

class CodeTrainer final : public SequenceTrainer {
 public:
  explicit CodeTrainer(const CodeRequest& asked)
      : SequenceTrainer(with_code_defaults(asked.train)), asked_(asked) {
    check_request(request_);
    if (asked_.code_path.empty()) asked_.code.validate();
    check_holdout(asked_);
  }
  std::vector<std::string> own_files() const override { return {asked_.code_path}; }
  void open() override {
    if (asked_.code_path.empty()) return;
    LineReader lines(asked_.code_path);
    asked_.code.words = read_code_file(lines);
    asked_.code.validate();
  }
  ExtractionConfig extraction() const override { return make_extraction(request_, nullptr); }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder*) override {
    result_ = code_->run(
        options_, asked_.code,
        [&](std::size_t done, std::size_t of, const OptimizeResult& bit) {
          return observer.iteration(step_of_bit(done, of, bit));
        },
        [&] { return observer.stop(); });
    TrainResult sums = result();
    TrainOutcome outcome = outcome_of(sums, options_.regulariser.l1);
    outcome.head = fmt::format("{} bits, of which {} converged", result_.bits, result_.converged);
    outcome.tail = fmt::format("; distance {}, {}", result_.distance.least,
                               counted(result_.weights, "weight"));
    if (result_.stopped) {
      outcome.ahead =
          fmt::format("stopped: {} of {} bits trained; the model's code has these alone\n",
                      result_.trained, result_.planned);
    }
    for (Field& each : outcome.further) each.where = Shown::program;
    outcome.further.push_back({"reason", result_.stopped ? "stopped" : "done", Shown::log});
    outcome.further.push_back({"bits", result_.bits, Shown::log});
    outcome.further.push_back({"distance", result_.distance.least, Shown::log});
    return outcome;
  }

 private:
  SequenceTraining& begin(const Extractor& extractor) override { return code_.emplace(extractor); }
  // Of all bits together.
  TrainResult result() const {
    TrainResult sums;
    sums.optimization.reason = result_.stopped                     ? StopReason::stopped
                               : result_.converged == result_.bits ? StopReason::converged_objective
                                                                   : StopReason::max_iterations;
    sums.optimization.message =
        fmt::format("{} of {} bits converged", result_.converged, result_.bits);
    sums.optimization.objective = result_.objective;
    sums.optimization.iterations = result_.iterations;
    sums.dimension = sums.active = result_.weights;
    return sums;
  }
  Json record() const override {
    Json record = common_record(*options_.method, std::nullopt, result());
    for (const char* unknown : {"nonzero_weights", "evaluations", "gradient_norm"}) {
      record.erase(unknown);
    }
    record.update({{"code", asked_.code.words.empty() ? asked_.code.code : "file"},
                   {"bits", result_.bits},
                   {"planned_bits", result_.planned},
                   {"trained_bits", result_.trained},
                   {"converged_bits", result_.converged},
                   {"distance", result_.distance.least},
                   {"stop", result_.stopped ? "stopped" : "done"}});
    return record;
  }
  ContainerWriter file(const Json& record) const override { return code_->model(record); }

  CodeRequest asked_;
  std::optional<CodeTraining> code_;
  CodeTraining::Result result_;
};

}  // namespace

std::unique_ptr<SequenceTrainer> make_trainer(const CodeRequest& request) {
  return std::make_unique<CodeTrainer>(request);
}

}  // namespace croft
