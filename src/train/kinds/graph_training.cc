#include "train/kinds/graph_training.h"

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "train/course/watched_run.h"
#include "train/graph/constraint_check.h"
#include "train/graph/graph_expectations.h"
#include "train/graph/graph_self_training.h"
#include "train/graph/graph_starts.h"

namespace croft {

namespace {

void check_unlabelled(const GraphTrainOptions& o) {
  if (!o.unlabelled.any()) return;
  o.unlabelled.validate();
  const auto require = [&](bool holds, const Message& what) {
    if (!holds) throw UsageError("data without labels ", what);
  };
  const ObjectiveInfo& objective = info(o.objective, Structure::graph);
  require(goes_with(Method::lbfgs, o.objective, Structure::graph),
          {"goes with objectives that --optimizer lbfgs minimises, such as likelihood, not with "
           "--objective ",
           objective.name});
  require(!o.em, "does not go with --em-iterations; leave them out");
  if (o.unlabelled.self_training == 0) return;
  require(objective.partial, {"is labelled in part by --self-training, and --objective ",
                              objective.name, " needs all labels; take likelihood or bethe"});
  require(o.checkpoints == nullptr,
          "is labelled anew in each round of --self-training, of which --checkpoint keeps no "
          "state");
  require(!o.label_weights, "has no labels that --class-weights could weigh; leave it out");
}

}  // namespace

void GraphTrainOptions::validate() const {
  regulariser.validate();
  stop.validate();
  if (min_count == 0) throw UsageError("--min-count must be at least 1");
  if (starts == 0) throw UsageError("--starts must be at least 1");
  if (prior && !init) throw UsageError("a prior needs the model whose weights are its mean");
  if (init && starts > 1) throw UsageError("--starts has no meaning with --init; leave out one");
  if (em && (prior || variances)) {
    throw UsageError("--prior and --variances do not go with --em-iterations");
  }
  if (!(start_deviation >= 0) || std::isinf(start_deviation)) {
    throw UsageError("the deviation of the start must be a number >= 0");
  }
  check_unlabelled(*this);
}

Method GraphTrainOptions::chosen_method() const {
  if (method) return *method;
  if (unlabelled.terms()) return regulariser.l1 > 0 ? Method::owlqn : Method::lbfgs;
  const Method chosen = default_method(objective, regulariser, false, Structure::graph);
  // Planes need a penalty, and have no steps.
  const auto of_steps = [](std::string_view name) {
    return !info(Method::cutting_planes).takes_setting(name) &&
           info(Method::averaged_sgd).takes_setting(name);
  };
  const bool by_planes =
      regulariser.l2 > 0 && std::ranges::none_of(settings_of(settings), of_steps);
  return chosen == Method::cutting_planes && !by_planes ? Method::averaged_sgd : chosen;
}

namespace {

// More edges than a forest can have.
bool has_cycles(const FactorGraph& graph) {
  std::size_t edges = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    edges += graph.scope(f).size() - std::min<std::size_t>(graph.scope(f).size(), 1);
  }
  return edges >= graph.variables();
}

// Where messages go round in cycles, weights that tie variables grow first on the way from 0, and
// Bethe's surrogate is stuck where all variables agree: training starts where pieces fit.
bool wants_start(const GraphProblem& p, std::size_t hidden) {
  const bool messages =
      p.objective == Objective::bethe || p.objective == Objective::product_of_beliefs;
  return messages && hidden == 0 && !p.from_weights && p.method != Method::sgd_lbfgs &&
         std::ranges::any_of(p.instances, [](const auto& each) { return has_cycles(each.graph); });
}

// True if the objective's value and slope are those of an approximation.
bool is_inexact(const GraphProblem& p, const GraphFindings& found) {
  const bool messages = p.objective == Objective::bethe || p.objective == Objective::mean_field ||
                        p.objective == Objective::tree_reweighted ||
                        p.objective == Objective::product_of_beliefs;
  return found.not_converged > 0 ||
         (messages &&
          std::ranges::any_of(p.instances, [](const auto& i) { return has_cycles(i.graph); }));
}

void start_by_pieces(const GraphProblem& problem, std::span<double> w) {
  GraphProblem start = problem;
  start.objective = Objective::piecewise;
  start.inference = {};
  start.method = problem.regulariser.l1 > 0 ? Method::owlqn : Method::lbfgs;
  start.settings = {};
  start.stop.max_iterations = 100;
  start.stop.target = StoppingRule().target;
  start.findings = nullptr;
  start.unlabelled = nullptr;
  train_graph(start, w, {});
}

}  // namespace

Method GraphTrainOptions::chosen_method(std::size_t instances, bool hidden) const {
  const Method chosen = chosen_method();
  // Of hidden variables the best states change with the weights: the hinge is not convex.
  if (!method && chosen == Method::cutting_planes && hidden) return Method::averaged_sgd;
  const bool possible = goes_with(Method::sgd_lbfgs, objective, Structure::graph);
  const bool by_batch = hidden || em || init || unlabelled.any();
  if (method || chosen != Method::lbfgs || !possible || by_batch) return chosen;
  return instances >= kManyInstances || settings.passes ? Method::sgd_lbfgs : chosen;
}

bool searches(Objective objective) {
  const auto& settings = info(objective, Structure::graph).settings;
  return std::ranges::find(settings, "search") != settings.end();
}

GraphTraining::GraphTraining(CliqueData& data, std::vector<StringTable> features)
    : data_(data), features_(std::move(features)), instances_(data.unroll()) {
  std::vector<GraphInstance> held_out = take_held_out(data, instances_);
  if (!held_out.empty()) holdout_.emplace(data, std::move(held_out));
  std::erase_if(instances_, [](const GraphInstance& each) { return each.weight == 0; });
}

void GraphTraining::hold_out(CliqueData& data) {
  std::vector<GraphInstance> instances = data.unroll();
  for (GraphInstance& each : take_held_out(data, instances)) instances.push_back(std::move(each));
  holdout_.emplace(data, std::move(instances));
}

void GraphTraining::add_unlabelled(CliqueData& data) {
  for (GraphInstance& each : data_.adopt(data)) {
    if (each.weight == 0) continue;
    std::ranges::fill(each.known, kUnobserved);
    unlabelled_names_.emplace_back(data.group_name(each.variable.front()));
    unlabelled_.instances.push_back(std::move(each));
  }
}

// That some labels keep all constraints, where not all labels are known.
void GraphTraining::check_possible(std::size_t hidden) {
  if (!has_constraints(data_.schema()) || hidden + unlabelled_.instances.size() == 0) return;
  const std::vector<double> zero(layout_.dimension(), 0.0);
  GraphScorer scorer(data_.schema(), data_.rows(), layout_);
  for (GraphInstance& each : instances_) {
    if (std::ranges::find(each.known, kUnobserved) == each.known.end()) continue;
    scorer.score(zero, each);
    check_constraints(data_, each);
  }
  for (std::size_t n = 0; n < unlabelled_names_.size(); ++n) {
    scorer.score(zero, unlabelled_.instances[n]);
    check_constraints(data_, unlabelled_.instances[n], unlabelled_names_[n]);
  }
}

// What data without labels there is, and what it is for.
void GraphTraining::set_unlabelled(const GraphTrainOptions& options, GraphProblem& problem) {
  const UnlabelledOptions& u = options.unlabelled;
  if (!u.terms()) return;
  if (unlabelled_names_.empty()) unlabelled_.instances = with_hidden(instances_);
  if (u.entropy > 0) check_entropy(data_.schema());
  unlabelled_.terms = graph_terms(u, {.data = data_,
                                      .layout = layout_,
                                      .features = features_,
                                      .labelled = instances_,
                                      .unlabelled = unlabelled_.instances});
  problem.unlabelled = &unlabelled_;
}

OptimizeResult GraphTraining::train_in_rounds(const UnlabelledOptions& options,
                                              const GraphProblem& problem, std::span<double> w,
                                              const IterationCallback& see,
                                              SelfTrainingReport& report) {
  std::size_t before = 0;
  const SelfTrainedGraphs::Train train = [&](std::span<GraphInstance> instances,
                                             std::span<double> from) {
    GraphProblem round = problem;
    round.instances = instances;
    const OptimizeResult result = train_graph(round, from, [&](Iteration now) {
      now.number += before;
      return see(now);
    });
    before += result.iterations;
    return result;
  };
  SelfTrainedGraphs data(problem, unlabelled_.instances, options.confidence, train);
  return self_train(data, options.self_training, false, w, report);
}

void GraphTraining::weigh_labels(const LabelWeights& weights, GraphProblem& problem,
                                 std::optional<VariableWeights>& variables) {
  variables.emplace(weights, data_, instances_);
  if (has_terms_of_variables(problem.objective)) {
    problem.variable_weights = &*variables;
    return;
  }
  for (GraphInstance& each : instances_) each.weight = data_.weight(each.variable.front());
  variables->weigh(instances_, problem.objective);
}

std::size_t GraphTraining::hidden() const { return count_hidden(instances_); }

GraphTrainResult GraphTraining::run(const GraphTrainOptions& options,
                                    const TrainingCallback& callback) {
  options.validate();
  if (instances_.empty()) throw Error("there is no variable to train on");
  layout_ = layout_to_train(data_, instances_, features_, options);
  const std::size_t hidden_variables = hidden();
  if (options.starts > 1 && hidden_variables == 0) {
    throw UsageError("--starts has no meaning where all labels are known; leave it out");
  }
  if (options.starts > 1 && is_direction(options.objective)) {
    throw UsageError("--starts keeps the best of several values, and --objective ",
                     name_of(options.objective), " has none; leave it out");
  }
  const bool any_unlabelled = hidden_variables > 0 || !unlabelled_names_.empty();
  if (options.unlabelled.any() && !any_unlabelled) {
    throw UsageError(
        "--entropy, --expectations and --self-training are of variables without a label, and all "
        "have one: give --unlabelled, or leave labels empty");
  }
  check_possible(hidden_variables);
  ThreadPool pool(options.threads, no_other_ranks(), *options.helpers);
  GraphTrainResult result;
  result.method = options.chosen_method(instances_.size(), hidden_variables > 0);
  std::vector<double> from;
  if (options.init) from = weights_of(*options.init, data_.schema(), layout_, features_);
  WeightPrior prior;
  if (options.prior) prior.mean = from;
  if (options.variances) {
    prior.scale = graph_prior_scale(options.variances, data_.schema(), layout_, features_);
  }
  GraphFindings findings;
  GraphProblem problem = problem_of(data_, layout_, instances_, pool, options);
  problem.method = result.method;
  problem.prior = &prior;
  problem.from_weights = options.init != nullptr;
  problem.findings = &findings;
  std::optional<VariableWeights> variables;
  if (options.label_weights) weigh_labels(*options.label_weights, problem, variables);
  set_unlabelled(options, problem);
  std::vector<double> w;
  WatchedRun run{.max_iterations = problem.stop.max_iterations,
                 .early_stop = options.early_stop,
                 .callback = callback};
  if (holdout_ && options.score) {
    run.score = [&, search = graph_search(options.inference)](std::span<const double> now) {
      return options.score(holdout_->labels(layout_, now, search, pool));
    };
  }
  run.optimise = [&](std::span<double> at, const IterationCallback& see, Checkpointer* own) {
    if (options.unlabelled.self_training > 0) {
      return train_in_rounds(options.unlabelled, problem, at, see, result.self_training.emplace());
    }
    return options.em ? train_graph_em(problem, *options.em, at, see, own)
                      : train_graph(problem, at, see, own);
  };
  const auto train = [&](std::size_t start, Checkpointer* checkpoints, WatchedResult& found) {
    w.assign(layout_.dimension(), 0.0);
    if (options.init) {
      w = from;
    } else if (hidden_variables > 0) {
      w = random_start(layout_.dimension(), options, start);
    }
    if (!options.em && wants_start(problem, hidden_variables)) start_by_pieces(problem, w);
    run.checkpoints = checkpoints;
    return run_watched(run, w, found);
  };
  const auto keep = [&] {
    result.findings = findings;
    weights_ = w;
  };
  const auto kept = [&](StateArchive& state) {
    state(result.findings.inferences, result.findings.not_converged,
          result.findings.last_not_converged, weights_);
  };
  best_graph(options, train, keep, kept, result);
  if (result.optimization.message == kNoStep && is_inexact(problem, result.findings)) {
    result.optimization.message =
        "no step lowers the objective: approximate inference gives it no exact value and slope";
  }
  if (result.findings.not_converged > 0) {
    result.optimization.message +=
        (searches(options.objective) ? "; the labelling was not proven to be the best in "
                                     : "; inference did not converge in ") +
        std::to_string(result.findings.not_converged) + " of " +
        std::to_string(result.findings.inferences) + " runs";
  }
  describe_weights(weights_, result);
  return result;
}

ContainerWriter GraphTraining::model(const Json& source, const Json& training) const {
  return trained_model(data_, layout_, features_, weights_, source, training);
}

}  // namespace croft
