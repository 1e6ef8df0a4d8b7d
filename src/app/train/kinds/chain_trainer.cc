// Chains, memm, and labels each by itself (maxent).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "train/course/report.h"

namespace croft {
namespace {

Json rounds_record(const FeatureRounds& rounds, const FeatureRoundsReport& report) {
  Json record = {{"rounds", report.rounds},
                 {"candidates", report.candidates},
                 {"added", report.added},
                 {"dropped", report.dropped}};
  if (rounds.select_l1) {
    record["kind"] = "selection";
    record["l1"] = *rounds.select_l1;
  }
  if (rounds.unsupported) {
    record["kind"] = "unsupported";
    record["threshold"] = rounds.unsupported->threshold;
  }
  if (rounds.induction) {
    record["kind"] = "induction";
    record["size"] = rounds.induction->size;
    record["conjunctions"] = report.conjunctions;
    if (rounds.induction->pairs) record["pairs"] = true;
  }
  return record;
}

class ChainTrainer final : public SequenceTrainer {
 public:
  ChainTrainer(const TrainRequest& asked, std::shared_ptr<const ChainModel> init)
      : SequenceTrainer(with_defaults(asked)), init_(std::move(init)) {
    check_request(request_);
  }
  void open() override {
    const std::string& path = request_.start();
    if (init_ || path.empty()) return;
    check_init(*ChainModel::open(path), request_.options);
    init_ = open_start<ChainModel>(request_);
  }
  // What looks at all of the data beside its sums has it as a whole.
  Sharing sharing() const override {
    const bool whole = !request_.unlabelled.empty() || request_.options.rounds.any() ||
                       request_.divides_whole_data() || request_.class_weights == "balanced";
    return whole ? Sharing::work : Sharing::data;
  }
  DataRules rules() const override { return {.unlabelled = request_.unlabelled}; }
  ExtractionConfig extraction() const override { return make_extraction(request_, init_.get()); }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder*) override {
    warn_of_uneven_values(observer);
    options_.on_round = [&](const FeatureRound& round) { observer.round(round); };
    result_ = chain_->run(options_, scorer(), [&](const TrainProgress& now) {
      return observer.iteration(step_of(now));
    });
    // A method that creeps changes little long before it is near.
    OptimizeResult& end = result_.optimization;
    if (end.reason == StopReason::converged_objective && creeps()) {
      end.reason = StopReason::no_progress;
      end.message += ", which says little where values are of sizes so far apart";
    }
    if (const std::string& warning = result_.optimization.warning; !warning.empty()) {
      observer.warn(warning);
    }
    input_->trained(*chain_);
    return outcome_of(result_, options_.regulariser.l1);
  }
  const TrainResult& result() const { return result_; }

 private:
  SequenceTraining& begin(const Extractor& extractor) override {
    return chain_.emplace(extractor, init_, options_.kind);
  }
  void read_data(TrainingInput& input, SequenceTraining& training) override {
    if (std::optional<ChainEncoder> encoded = input.encoded()) {
      chain_->set_data(std::move(*encoded), input.labelled());
      input.read_holdout([&](TextSequence& sequence, const std::string& file) {
        chain_->add_holdout(std::move(sequence), file);
      });
    } else {
      SequenceTrainer::read_data(input, training);
    }
  }
  Json record() const override {
    Json record = common_record(chain_->method(options_), chain_->precision(options_), result_);
    if (result_.active_set) {
      const ActiveSetReport& set = *result_.active_set;
      record["active_set"] = {{"rounds", set.rounds}, {"weights", set.trained}};
      if (set.largest_violation) record["active_set"]["violation"] = *set.largest_violation;
    }
    if (result_.rounds) record["rounds"] = rounds_record(options_.rounds, *result_.rounds);
    if (result_.shared_transitions > 0) record["shared_transitions"] = result_.shared_transitions;
    if (result_.dropped_transitions > 0) {
      record["dropped_transitions"] = result_.dropped_transitions;
    }
    add_unlabelled(options_.unlabelled, {{"sequences", chain_->unlabelled_sequences()}},
                   result_.self_training, record);
    if (options_.order > 1) {
      record["order"] = options_.order;
      record["histories"] = options_.histories == HistorySet::allowed ? "allowed" : "seen";
    }
    return record;
  }
  ContainerWriter file(const Json& record) const override { return chain_->model(record); }

  const SequenceModel* start() const override { return init_.get(); }
  ChosenMethod chosen() const override { return chain_->choose(options_); }

  // Where the method sees neither second derivatives nor one weight at a time: the values between
  // which it creeps.
  std::optional<ChainTraining::UnevenValues> creeps() const {
    using enum Method;
    constexpr Method kCreep[] = {lbfgs, owlqn, steepest_descent, cg,        gis,
                                 iis,   sgd,   averaged_sgd,     async_sgd, sag};
    const bool may = std::ranges::find(kCreep, chain_->method(options_)) != std::end(kCreep);
    return may ? chain_->uneven_values() : std::nullopt;
  }

  void warn_of_uneven_values(TrainObserver& observer) const {
    const auto uneven = creeps();
    if (!uneven) return;
    const bool l1 = options_.regulariser.l1 > 0, single = options_.kind == ChainKind::maxent;
    const std::string_view instead = !l1      ? ", or take --optimizer truncated-newton"
                                     : single ? ", or take --optimizer coordinate-descent"
                                              : "";
    observer.warn(Message("values of ", in_quotes(uneven->large), " are of the size ",
                          fmt::format("{:.3g}", uneven->most), ", those of ",
                          in_quotes(uneven->small), " of ", fmt::format("{:.3g}", uneven->least),
                          ": with --optimizer ", info(chain_->method(options_)).name,
                          " training may end far from the optimum; scale them (--standardise, of "
                          "tables)",
                          instead)
                      .text());
  }

  std::shared_ptr<const ChainModel> init_;
  std::optional<ChainTraining> chain_;
  TrainResult result_;
};

}  // namespace

std::unique_ptr<SequenceTrainer> make_trainer(const TrainRequest& request,
                                              std::shared_ptr<const ChainModel> init) {
  return std::make_unique<ChainTrainer>(request, std::move(init));
}

TrainResult train_model(const TrainRequest& request, TrainObserver& observer) {
  ChainTrainer trainer(request, nullptr);
  train(trainer, observer);
  return trainer.result();
}

TrainResult train_model(const TrainRequest& request) {
  TrainObserver nobody;
  return train_model(request, nobody);
}

}  // namespace croft
