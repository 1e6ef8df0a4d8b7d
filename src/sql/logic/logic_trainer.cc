#include "sql/logic/logic_trainer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/file_checks.h"
#include "app/infer/name_values.h"
#include "core/files.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "logic/network_writer.h"

namespace croft {
namespace {

class LogicTrainer final : public Trainer {
 public:
  explicit LogicTrainer(LogicTrainRequest asked) : asked_(std::move(asked)) {}

  TrainFiles files() const override {
    TrainFiles files{asked_.source.evidence, asked_.output};
    files.inputs.insert(files.inputs.end(), asked_.worlds.begin(), asked_.worlds.end());
    files.inputs.push_back(asked_.source.network);
    return files;
  }

  void open() override {
    network_ = read_rules(asked_.source);
    check_not_read(network_.files, "output", asked_.output, "the network ");  // of #include
    open_ = predicates_of(network_, read_atom_patterns(network_, asked_.query));
    if (!asked_.hidden.empty()) {
      asked_.options.hidden = predicates_of(network_, names_in(asked_.hidden));
    }
  }

  void read_files(TrainObserver& observer) override {
    for (const std::string& warning : network_.warnings) observer.warn(warning);
    worlds_ = read_worlds(asked_.source, asked_.worlds, network_);
  }

  DataSummary summary() const override {
    std::size_t facts = 0;
    for (const LogicEvidence& world : worlds_) {
      for (const LogicFacts& each : world.predicates) facts += each.truth.size();
    }
    const std::string worlds =
        worlds_.size() > 1 ? fmt::format(" in {} worlds", worlds_.size()) : std::string();
    return {fmt::format("{} facts{}, {} rules", facts, worlds, network_.rules.size()),
            {{"facts", facts}, {"worlds", worlds_.size()}, {"rules", network_.rules.size()}}};
  }

  TrainOutcome run(TrainObserver& observer, CheckpointFolder*) override {
    learned_ = learn_weights(network_, worlds_, open_, asked_.options, [&](const Iteration& now) {
      return !observer.stop() && observer.iteration(step_of_learning(now));
    });
    const OptimizeResult& result = learned_->result;
    TrainOutcome outcome{.reason = std::string(stop_reason_name(result.reason)),
                         .converged = result.converged(),
                         .iterations = result.iterations,
                         .head = result.message};
    outcome.tail = fmt::format("\n{} from {}, {}", counted(learned_->weights.size(), "weight"),
                               counted(learned_->ground_atoms, "ground atom"),
                               counted(learned_->clauses, "clause"));
    outcome.further = {{"weights", learned_->weights.size()},
                       {"ground_atoms", learned_->ground_atoms},
                       {"ground_clauses", learned_->clauses}};
    const auto add = [&](const std::optional<double>& value, const char* name, const char* text) {
      if (!value) return;
      outcome.further.push_back({name, *value});
      outcome.tail += fmt::format("; {} {:.10g}", text, *value);
    };
    const bool by_pseudo = asked_.options.objective == LogicObjective::pseudo_likelihood;
    if (!by_pseudo) add(learned_->log_likelihood, "log_likelihood", "log-likelihood");
    add(learned_->log_pseudo_likelihood, "log_pseudo_likelihood", "log-pseudo-likelihood");
    for (const Message& each : learned_->warnings) {
      outcome.warning += "croft: warning: " + each.text() + "\n";
    }
    return outcome;
  }

  void write() override {
    AtomicFile out(asked_.output);
    out.write(write_network(learned_->network));
    out.commit();
  }

 private:
  // Methods of draws and best worlds have no objective to tell.
  TrainStep step_of_learning(const Iteration& now) const {
    TrainStep step{.text = fmt::format("iteration {}  ", now.number),
                   .number = now.number,
                   .most = asked_.options.max_iterations.value_or(0),
                   .objective = now.objective,
                   .further = {{"gradient_norm", now.gradient_norm},
                               {"weight_norm", now.weight_norm, Shown::program},
                               {"step", now.step}}};
    if (now.objective != 0) step.text += fmt::format("objective {:.4f}  ", now.objective);
    step.text += fmt::format("gradient {:.3g}", now.gradient_norm);
    if (now.gap) {
      step.text += fmt::format("  gap {:.2g}", *now.gap);
      step.further.push_back({"gap", *now.gap});
    }
    return step;
  }

  LogicTrainRequest asked_;
  LogicNetwork network_;
  std::vector<bool> open_;
  std::vector<LogicEvidence> worlds_;
  std::optional<LearnedNetwork> learned_;
};

}  // namespace

LogicTrainRequest logic_train_request(const OptionValues& values) {
  LogicTrainRequest request;
  values.read("program", request.source.network);
  values.read("query", request.query);
  values.read("hidden", request.hidden);
  values.read("output", request.output);
  if (request.source.network.empty()) {
    throw UsageError("--model logic needs --program, the network whose weights are learnt");
  }
  if (request.query.empty()) {
    throw UsageError("--model logic needs --query: the predicates that the rules are to foretell");
  }
  if (values.given("dialect")) request.source.dialect = logic_dialect(values.text("dialect"));
  values.read("soft-hard", request.source.soft_hard);
  request.source.evidence = values.list("evidence");
  std::vector<std::string>& facts =
      values.flag("worlds") ? request.worlds : request.source.evidence;
  facts = values.list("DATA");
  LogicLearnOptions& options = request.options;
  if (values.given("objective")) options.objective = logic_objective(values.text("objective"));
  options.reading = values.given("reading") ? weight_reading(values.text("reading"))
                                            : usual_reading(request.source.dialect);
  options.prior_as_written = values.text("prior-mean") == "written";
  values.read("l2", options.l2);
  values.read("max-iterations", options.max_iterations);
  values.read("memory", options.memory);
  std::size_t seed = 1;
  values.read("seed", seed);
  options.seed = seed;
  values.read("threads", options.threads);
  options.settings = name_values(values);
  return request;
}

std::unique_ptr<Trainer> make_trainer(const LogicTrainRequest& request) {
  return std::make_unique<LogicTrainer>(request);
}

}  // namespace croft
