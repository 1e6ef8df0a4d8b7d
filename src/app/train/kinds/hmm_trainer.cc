// Hidden Markov models.
#include <fmt/format.h>

#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "core/words/counted.h"
#include "train/course/report.h"

namespace croft {
namespace {

void check_request(const HmmRequest& request) {
  request.options.validate();
  request.train.check_checkpoint();
  check_early_stop(request.train);
  const InputFormat format = request.train.format;
  if (format != InputFormat::columns && format != InputFormat::attributes) {
    throw UsageError("a hidden Markov model has sequences: --format is columns or attributes");
  }
}

Json training_record(const HmmOptions& options, const HmmTraining& training,
                     const HmmResult& result) {
  Json record = {{"smoothing", options.smoothing.emission},
                 {"transition_smoothing", options.smoothing.transition},
                 {"end", options.smoothing.end},
                 {"rare", options.unknown.rare},
                 {"suffix", options.unknown.suffix},
                 {"sequences", training.sequences()},
                 {"positions", training.positions()},
                 {"values", training.attributes()},
                 {"parameters", result.parameters},
                 {"log_likelihood", result.log_likelihood},
                 {"objective_value", result.objective}};
  const HmmCriterionOptions& criterion = options.criterion;
  const bool ascent = criterion.objective != HmmObjective::likelihood;
  if (ascent) record["objective"] = name_of(criterion.objective);
  if (criterion.objective == HmmObjective::multi_conditional) {
    record["generative_weight"] = criterion.generative_weight;
  }
  if (criterion.objective == HmmObjective::hybrid) record["coupling"] = criterion.coupling;
  const std::size_t hidden = training.partial_positions();
  if (hidden > 0) record["hidden_positions"] = hidden;
  if (ascent || hidden > 0) {
    record["em_iterations"] = options.em_iterations;
    record["tolerance"] = options.tolerance;
    if (options.starts > 0) record["starts"] = options.starts;
    record["seed"] = options.seed;
    record["iterations"] = result.iterations;
    record["converged"] = result.converged;
    record["kept_start"] = result.start;
    if (result.best_iteration) record["kept_iteration"] = *result.best_iteration;
    if (!result.curve.empty()) record["curve"] = result.curve.json();
  }
  if (options.states > 0) record["states"] = options.states;
  return record;
}

class HmmTrainer final : public SequenceTrainer {
 public:
  explicit HmmTrainer(const HmmRequest& asked) : SequenceTrainer(asked.train), asked_(asked) {
    check_request(asked_);
  }
  StoppingRule stopping() const override {
    return {.max_iterations = asked_.options.em_iterations, .tolerance = 0};
  }
  ExtractionConfig extraction() const override { return hmm_extraction(request_.format, 0); }
  DataRules rules() const override {
    return {.labelled = request_.format != InputFormat::columns || asked_.options.states == 0 ||
                        request_.partial,
            .optional = true,
            .unlabelled = request_.unlabelled,
            .complete = [](ExtractionConfig& config) {
              const ColumnsForm form = config.form;
              config = hmm_extraction(config.format, config.columns);
              config.form = form;
            }};
  }
  DataSummary summary() const override {
    DataSummary summary{
        fmt::format("{}, {}, {}", counted(hmm_->sequences(), "sequence"),
                    counted(hmm_->positions(), "position"), counted(hmm_->attributes(), "value")),
        SequenceTrainer::summary().counts};
    add_held_out(summary);
    if (const std::size_t hidden = hmm_->partial_positions()) {
      summary.text += fmt::format("; {} without a single label", hidden);
    }
    return summary;
  }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder* checkpoints) override {
    HmmOptions options = asked_.options;
    options.early_stop = early_stop();
    options.checkpoints = checkpoints;
    options.ranks = request_.options.ranks;
    options.helpers = request_.options.helpers;
    result_ = hmm_->run(options, [&](const EmProgress& now) {
      return observer.iteration(em_step(now, options.em_iterations, options.starts));
    });
    TrainOutcome outcome = em_outcome(result_, observer.stopped());
    outcome.further.push_back({"log_likelihood", result_.log_likelihood});
    outcome.further.push_back({"start", result_.start, Shown::program});
    const HmmObjective objective = options.criterion.objective;
    outcome.tail += fmt::format(
        "\n{}log-likelihood {:.4f}, {} probabilities",
        objective == HmmObjective::likelihood ? "" : fmt::format("{} ", name_of(objective)),
        result_.log_likelihood, result_.parameters);
    return outcome;
  }

 private:
  bool scored_at_end() const override { return true; }
  // Baum-Welch and L-BFGS start from the counts of all data.
  Sharing sharing() const override {
    const bool all = request_.partial || !request_.unlabelled.empty() ||
                     asked_.options.states > 0 ||
                     asked_.options.criterion.objective != HmmObjective::likelihood;
    return all ? Sharing::work : Sharing::data;
  }
  SequenceTraining& begin(const Extractor& extractor) override { return hmm_.emplace(extractor); }
  Json record() const override { return training_record(asked_.options, *hmm_, result_); }
  ContainerWriter file(const Json& record) const override { return hmm_->model(record); }

  HmmRequest asked_;
  std::optional<HmmTraining> hmm_;
  HmmResult result_;
};

}  // namespace

std::unique_ptr<SequenceTrainer> make_trainer(const HmmRequest& request) {
  return std::make_unique<HmmTrainer>(request);
}

ExtractionConfig hmm_extraction(InputFormat format, std::size_t columns) {
  ExtractionConfig config;
  config.format = format;
  if (format != InputFormat::columns) return config;
  config.columns = columns;
  config.language = TemplateLanguage::crfpp;
  config.template_name = "the columns as observations";
  for (std::size_t c = 0; c < columns; ++c) {
    const std::string column = std::to_string(c);
    config.template_text += "U" + column + "=%x[0," + column + "]\n";
  }
  return config;
}

HmmOptions hmm_options(const Json& training) {
  HmmOptions options;
  options.smoothing.emission = training.value("smoothing", options.smoothing.emission);
  options.smoothing.transition =
      training.value("transition_smoothing", options.smoothing.transition);
  options.smoothing.end = training.value("end", options.smoothing.end);
  options.unknown.rare = training.value("rare", options.unknown.rare);
  options.unknown.suffix = training.value("suffix", options.unknown.suffix);
  options.criterion.objective =
      hmm_objective_named(training.value("objective", std::string("likelihood")));
  options.criterion.generative_weight =
      training.value("generative_weight", options.criterion.generative_weight);
  options.criterion.coupling = training.value("coupling", options.criterion.coupling);
  options.states = training.value("states", options.states);
  options.em_iterations = training.value("em_iterations", options.em_iterations);
  options.tolerance = training.value("tolerance", options.tolerance);
  options.starts = training.value("starts", options.starts);
  options.seed = training.value("seed", options.seed);
  return options;
}

}  // namespace croft
