#include "cli/train_methods.h"

#include <fmt/format.h>

#include "cli/common.h"
#include "optimize/stochastic/passive_aggressive.h"

namespace croft::cli {
namespace {

void add_penalties(CLI::App& verb, TrainRequest& r) {
  TrainOptions& o = r.options;
  verb.add_option("--l1", o.regulariser.l1, "Weight of |w|_1")
      ->transform(finite_number(0))
      ->capture_default_str();
  verb.add_option("--l2", r.l2, "Weight of |w|_2^2 / 2")
      ->transform(finite_number(0))
      ->option_text("NUMBER=1, of perceptron and the like 0");
  verb.add_option("--prior", r.prior,
                  "The penalty is of the distance from this model's weights, where training starts")
      ->option_text("MODEL");
  verb.add_option("--variances", r.variances,
                  "Lines PATTERN VARIANCE: weights of features whose name fits are penalised by "
                  "l2 / VARIANCE")
      ->option_text("FILE");
}

void add_stopping(CLI::App& verb, TrainRequest& r) {
  StoppingRule& stop = r.options.stop;
  verb.add_option("--max-iterations", r.max_iterations, "Stop after so many, or so many passes")
      ->transform(whole_number())
      ->option_text("N=1000, of perceptron and the like 100");
  verb.add_option("--tolerance", r.tolerance,
                  "Stop when the objective's relative change over --window falls below; 0: never")
      ->transform(finite_number(0))
      ->option_text("CHANGE=1e-5, with --l1 5e-6");
  verb.add_option("--window", r.window, "Iterations over which --tolerance is measured")
      ->transform(whole_number(1))
      ->option_text("N=10");
  verb.add_option("--gradient-tolerance", r.gradient_tolerance,
                  "Stop when |gradient| falls below this times max(1, |w|)")
      ->transform(finite_number(0))
      ->option_text("NUMBER=1e-5");
  verb.add_option("--gap", r.options.settings.gap,
                  "Dual optimizers: stop at this duality gap, relative to the objective")
      ->transform(finite_number(0))
      ->option_text("GAP=1e-4");
  verb.add_option("--target", stop.target, "Stop once the objective is this low (benchmarks)")
      ->transform(finite_number())
      ->option_text("OBJECTIVE");
}

// Each is refused where the optimiser has no use for it.
void add_settings(CLI::App& verb, TrainRequest& r, TrainingNames& names) {
  MethodSettings& s = r.options.settings;
  verb.add_option("--history", s.history, "Pairs of vectors L-BFGS keeps")
      ->transform(whole_number(1, LbfgsOptions::kMaxHistory))
      ->option_text("N=12, of owlqn and with millions of weights 6");
  verb.add_option("--sgd-passes", s.passes, "sgd-lbfgs: passes of SGD before L-BFGS")
      ->transform(whole_number())
      ->option_text("N");
  verb.add_option("--step", s.step, "The first step; by default tried out on some sequences")
      ->transform(finite_number(0))
      ->option_text("NUMBER");
  verb.add_option("--schedule", names.schedule,
                  "sgd, averaged-sgd, async-sgd: how steps shrink: bottou, inverse, inverse_sqrt "
                  "or constant (--decay in each pass)")
      ->check(CLI::IsMember({"bottou", "inverse", "inverse_sqrt", "constant"}))
      ->option_text("SCHEDULE=bottou, without --l2 inverse");
  verb.add_option("--decay", s.decay, "With --schedule constant: factor of the step in each pass")
      ->transform(finite_number(0))
      ->option_text("NUMBER=0.9");
  verb.add_option("--batch", s.batch, "Sequences a step; threads share those of a step")
      ->transform(whole_number(1))
      ->option_text("N=1, of smd 8");
  verb.add_option("--average-from", s.average_from, "averaged-sgd: the first pass to average")
      ->transform(whole_number(1))
      ->option_text("PASS=2");
  verb.add_option("--aggressiveness", s.aggressiveness, "pa-1, pa-2, mira: the larger the bolder")
      ->transform(finite_number(0))
      ->option_text("C=1");
  verb.add_option("--best", s.best, "mira: labellings of a sequence to get right at once")
      ->transform(whole_number(1, MiraOptions::kMaxBest))
      ->option_text("K=5");
  verb.add_option("--variance", s.variance, "arow: of every weight at first")
      ->transform(finite_number(0))
      ->option_text("NUMBER=1");
  verb.add_option("--gamma", s.gamma, "arow: the larger, the smaller the steps")
      ->transform(finite_number(0))
      ->option_text("NUMBER=1");
  verb.add_option(
          "--kernel", r.kernel,
          "smo: linear, poly:DEGREE[:SCALE[:OFFSET]] or rbf:GAMMA, of the attributes of a position")
      ->option_text("KERNEL");
}

}  // namespace

void add_method_options(CLI::App& verb, TrainRequest& r, TrainingNames& names) {
  verb.add_option("--objective", names.objective, "What to minimise; see below")
      ->option_text("OBJECTIVE=likelihood");
  verb.add_option("--optimizer", names.optimizer, "How; see below")->option_text("OPTIMIZER");
  verb.add_option("--cost", r.cost,
                  "What a mistake costs (softmax-margin, max-margin, passive-aggressive, arow): a "
                  "number, or a file of lines GOLD PREDICTED COST")
      ->option_text("NUMBER=1|FILE");
  verb.add_option("--block", r.block, "composite: labels in a block")
      ->transform(whole_number(1))
      ->option_text("N=3");
  add_penalties(verb, r);
  add_stopping(verb, r);
  add_settings(verb, r, names);
  add_choice<Precision>(
      verb, "--precision", r.options.precision,
      {{"auto", Precision::automatic}, {"single", Precision::single}, {"double", Precision::twice}},
      "single or double, of scores and recursions of optimizers that see all the data at once, "
      "others "
      "are in double; auto: double for less than 20,000 positions")
      ->option_text("PRECISION=auto");
}

void set_methods(const TrainingNames& names, TrainRequest& request) {
  TrainOptions& options = request.options;
  options.objective = objective_named(names.objective);
  if (!names.optimizer.empty()) options.method = method_named(names.optimizer);
  options.settings.schedule = step_schedule(names);
}

std::optional<StepSchedule> step_schedule(const TrainingNames& names) {
  for (const StepSchedule schedule : {StepSchedule::bottou, StepSchedule::inverse,
                                      StepSchedule::inverse_sqrt, StepSchedule::constant}) {
    if (names.schedule == step_schedule_name(schedule)) return schedule;
  }
  return std::nullopt;
}

std::string method_help() {
  std::string text = "\nObjectives (and their optimizer by default):\n";
  for (const ObjectiveInfo& each : objective_table()) {
    const bool dual = each.objective == Objective::likelihood;
    text += fmt::format("  {:<20}{} ({}{})\n", each.name, each.summary,
                        dual ? "dual-ascent, or " : "", info(each.by_default).name);
  }
  text += "\nOptimizers:\n";
  for (const MethodInfo& each : method_table()) {
    text +=
        fmt::format("  {:<20}{}{}\n", each.name, each.summary, each.passes ? "; by passes" : "");
  }
  return text + "\nA pair that does not go together is refused with a list of those that do.\n";
}

}  // namespace croft::cli
