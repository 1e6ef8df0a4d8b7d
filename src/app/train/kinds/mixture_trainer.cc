// Mixtures of models that are trained already: their weights, by EM.
#include <fmt/format.h>

#include "app/train/make_trainer.h"
#include "core/words/counted.h"
#include "model/kinds/model_file.h"
#include "train/course/report.h"

namespace croft {
namespace {

class MixtureTrainer final : public SequenceTrainer {
 public:
  MixtureTrainer(const MixtureRequest& asked, MixtureComponents::Models models)
      : SequenceTrainer(asked.train), asked_(asked), models_(std::move(models)) {
    asked_.options.validate();
    request_.check_checkpoint();
  }
  std::vector<std::string> own_files() const override { return asked_.experts; }
  StoppingRule stopping() const override {
    return {.max_iterations = asked_.options.em_iterations, .tolerance = 0};
  }
  void open() override {
    for (const std::string& path : asked_.experts) {
      models_.push_back(read_model(read_model_file(path)));
    }
    components_ = MixtureComponents(std::move(models_));
    const InputFormat format = components_.extraction().format;
    if (format != request_.format) {
      throw UsageError("the models of the mixture read --format ", format_name(format),
                       ", and the data is of --format ", format_name(request_.format));
    }
  }
  ExtractionConfig extraction() const override { return components_.extraction(); }
  DataRules rules() const override {
    return {.complete = [expected = components_.extraction().columns](ExtractionConfig& config) {
      if (config.columns == expected) return;
      throw Error("the data has ", config.columns,
                  " columns beside the label, and the models of the mixture were trained on ",
                  expected, ": give it the columns that they were trained on");
    }};
  }
  DataSummary summary() const override {
    DataSummary summary{
        fmt::format("{}, {}, {}, {}", counted(mixture_->sequences(), "sequence"),
                    counted(mixture_->positions(), "position"),
                    counted(mixture_->labels(), "label"), counted(components_.size(), "component")),
        SequenceTrainer::summary().counts};
    if (mixture_->impossible() > 0) {
      summary.text += fmt::format("; {} with a label that no component gives a probability",
                                  mixture_->impossible());
    }
    return summary;
  }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder* checkpoints) override {
    MixtureOptions options = asked_.options;
    options.checkpoints = checkpoints;
    result_ = mixture_->run(options, [&](const EmProgress& now) {
      return observer.iteration(em_step(now, options.em_iterations));
    });
    TrainOutcome outcome = em_outcome(result_, observer.stopped());
    outcome.ahead = fmt::format("{:<24}{:>10}\n", "component", "weight");
    for (std::size_t k = 0; k < components_.size(); ++k) {
      outcome.ahead +=
          fmt::format("{:<24}{:>10.6f}\n", fmt::format("{} {}", k + 1, components_[k].kind()),
                      result_.weights[k]);
    }
    outcome.further.push_back({"log_likelihood", result_.log_likelihood});
    outcome.further.push_back({"gap", result_.gap});
    outcome.tail += fmt::format("\nlog-likelihood {:.4f}, at most {:.1e} nats a position to gain",
                                result_.log_likelihood, result_.gap);
    return outcome;
  }

 private:
  SequenceTraining& begin(const Extractor& extractor) override {
    form_ = extractor.config().form;
    return mixture_.emplace(components_);
  }
  Json record() const override {
    Json record = {{"sequences", mixture_->sequences()},
                   {"positions", mixture_->positions()},
                   {"impossible_positions", mixture_->impossible()},
                   {"em_iterations", asked_.options.em_iterations},
                   {"tolerance", asked_.options.tolerance},
                   {"iterations", result_.iterations},
                   {"converged", result_.converged},
                   {"log_likelihood", result_.log_likelihood},
                   {"gap", result_.gap}};
    if (!result_.curve.empty()) record["curve"] = result_.curve.json();
    return record;
  }
  ContainerWriter file(const Json& record) const override {
    ExtractionConfig extraction = components_.extraction();
    extraction.form = form_;  // of the data, if that was said
    return make_mixture_model(components_, extraction, result_.weights, record);
  }

  MixtureRequest asked_;
  ColumnsForm form_;
  MixtureComponents::Models models_;
  MixtureComponents components_;
  std::optional<MixtureTraining> mixture_;
  MixtureResult result_;
};

}  // namespace

std::unique_ptr<SequenceTrainer> make_trainer(const MixtureRequest& request,
                                              MixtureComponents::Models models) {
  return std::make_unique<MixtureTrainer>(request, std::move(models));
}

}  // namespace croft
