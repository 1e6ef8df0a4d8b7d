#include "inference/graph/exact/conditioning.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "inference/graph/exact/clique_tree.h"

namespace croft {
namespace {

// The variable whose states divide the most of the numbers that are kept, for what they multiply.
Variable next_of_cutset(const FactorGraph& graph, const EliminationOrder& order) {
  const CliqueTree tree = make_clique_tree(graph, order.order);
  std::vector<double> gain(graph.variables(), 0.0);
  for (const Clique& clique : tree.cliques) {
    double size = 1;
    for (const Variable v : clique.separator) size *= static_cast<double>(graph.states(v));
    for (const Variable v : clique.separator) {
      const auto states = static_cast<double>(graph.states(v));
      gain[v] += size * (1 - 1 / states) / std::log2(states);
    }
    // Factors are written down beside the messages.
    for (const Factor f : clique.factors) {
      const auto joint = static_cast<double>(graph.joint_states(f));
      for (const Variable v : graph.scope(f)) {
        if (graph.states(v) < 2) continue;
        const auto states = static_cast<double>(graph.states(v));
        gain[v] += joint * (1 - 1 / states) / std::log2(states);
      }
    }
  }
  return static_cast<Variable>(std::ranges::max_element(gain) - gain.begin());
}

std::vector<Variable> all_large(const FactorGraph& graph) {
  std::vector<Variable> large;
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) > 1) large.push_back(v);
  }
  return large;
}

// The sum of numbers given as logarithms.
class LogSum {
 public:
  // By what the sum so far, relative to high(), must be multiplied.
  double raise(double log_value) {
    if (log_value <= high_) return 1;
    const double factor = high_ == -kInf ? 0 : std::exp(high_ - log_value);
    high_ = log_value;
    sum_ *= factor;
    return factor;
  }
  double add(double log_value) {  // its weight, relative to high()
    const double weight = std::exp(log_value - high_);
    sum_ += weight;
    return weight;
  }
  double value() const { return sum_ > 0 ? high_ + std::log(sum_) : -kInf; }
  double sum() const { return sum_; }

 private:
  double high_ = -kInf, sum_ = 0;
};

// visit(graph given the states of the cutset) for each of their joint states; false stops.
// Whether all have been visited.
template <class Visit>
bool for_each_cut(const FactorGraph& graph, const ConditioningPlan& plan, const Visit& visit) {
  if (plan.log2_cutset >= 62) {
    throw Error(
        "the memory that is allowed needs a sum over 2^", static_cast<int>(plan.log2_cutset),
        " joint states of a cutset; allow more --memory, or take an approximate method, such "
        "as --method belief-propagation or branch-and-bound");
  }
  Evidence evidence(graph.variables(), kUnobserved);
  for (const Variable v : plan.cutset) evidence[v] = 0;
  for (bool more = true; more;) {
    bool go_on = false;
    try {
      go_on = visit(condition(graph, evidence), evidence);
    } catch (const Interrupted&) {  // within a junction tree, which then counts for nothing
      return false;
    }
    more = false;
    for (std::size_t k = plan.cutset.size(); k-- > 0 && !more;) {
      State& state = evidence[plan.cutset[k]];
      more = ++state < graph.states(plan.cutset[k]);
      if (!more) state = 0;
    }
    if (!go_on) return !more;
  }
  return true;
}

// Asked within the junction trees, too: with what is known from those before.
GraphCallback within(const GraphCallback& progress, const GraphProgress& now) {
  if (!progress) return {};
  return [&](const GraphProgress&) { return progress(now); };
}

}  // namespace

void ConditioningOptions::validate() const {
  if (!(memory > 0)) throw UsageError("conditioning: the memory limit must be above 0 bytes");
  if (restarts < 1) throw UsageError("conditioning: restarts must be at least 1");
}

ConditioningPlan plan_conditioning(const FactorGraph& graph, const ConditioningOptions& options) {
  options.validate();
  const EliminationOptions search{.rules = {},
                                  .restarts = options.restarts,
                                  .seed = options.seed,
                                  .progress = options.progress};
  ConditioningPlan plan;
  Evidence evidence(graph.variables(), kUnobserved);
  FactorGraph rest = graph;
  for (;;) {
    plan.order = find_elimination_order(rest, search);
    plan.bytes = JunctionTree(rest, plan.order, options.progress).bytes();
    if (plan.bytes <= options.memory) break;
    if (all_large(rest).empty()) {
      throw Error("the memory limit of " + std::to_string(options.memory) +
                  " bytes is too small for any cutset");
    }
    const Variable v = next_of_cutset(rest, plan.order);
    plan.cutset.push_back(v);
    plan.log2_cutset += std::log2(static_cast<double>(graph.states(v)));
    evidence[v] = 0;
    rest = condition(graph, evidence);
  }
  plan.log2_joint_states = plan.log2_cutset + JunctionTree(rest, plan.order).log2_joint_states();
  return plan;
}

ConditionedSum conditioned_log_partition(const FactorGraph& graph, const ConditioningPlan& plan,
                                         const GraphCallback& progress) {
  ConditionedSum result;
  LogSum total;
  GraphProgress now;
  const auto visit = [&](const FactorGraph& rest, const Evidence&) {
    const double log_z = JunctionTree(rest, plan.order, within(progress, now)).log_partition();
    if (log_z > -kInf) {
      total.raise(log_z);
      total.add(log_z);
    }
    now.iteration = ++result.convergence.iterations;
    now.value = total.value();
    return !progress || progress(now);
  };
  result.convergence.converged = for_each_cut(graph, plan, visit);
  result.log_partition = total.value();
  result.kind = result.convergence.converged ? ResultKind::exact : ResultKind::lower_bound;
  return result;
}

ConditionedMarginals conditioned_marginals(const FactorGraph& graph, const ConditioningPlan& plan,
                                           const GraphCallback& progress) {
  ConditionedMarginals result;
  ConditionedSum& sum = result.sum;
  LogSum total;
  for (Variable v = 0; v < graph.variables(); ++v) {
    result.variable.emplace_back(graph.states(v), 0.0);
  }
  GraphProgress now;
  const auto visit = [&](const FactorGraph& rest, const Evidence& evidence) {
    JunctionTree tree(rest, plan.order, within(progress, now));
    const double log_z = tree.log_partition();
    if (log_z > -kInf) {
      const GraphMarginals given = tree.marginals();
      const double factor = total.raise(log_z);
      const double weight = total.add(log_z);
      for (Variable v = 0; v < graph.variables(); ++v) {
        std::vector<double>& p = result.variable[v];
        for (double& each : p) each *= factor;
        const bool cut = evidence[v] != kUnobserved;
        if (cut) p[evidence[v]] += weight;
        for (State s = 0; !cut && s < p.size(); ++s) p[s] += weight * given.variable[v][s];
      }
    }
    now.iteration = ++sum.convergence.iterations;
    now.value = total.value();
    return !progress || progress(now);
  };
  sum.convergence.converged = for_each_cut(graph, plan, visit);
  sum.log_partition = total.value();
  sum.kind = sum.convergence.converged ? ResultKind::exact : ResultKind::lower_bound;
  if (total.sum() == 0) {
    throw Error(
        sum.convergence.converged
            ? Message("no assignment is allowed: the factors' zeros (and the evidence) contradict "
                      "each other, and there are no marginals")
            : "stopped before an allowed assignment was seen");
  }
  for (std::vector<double>& p : result.variable) {
    for (double& each : p) each /= total.sum();
  }
  return result;
}

MapResult conditioned_best(const FactorGraph& graph, const ConditioningPlan& plan,
                           const GraphCallback& progress) {
  MapResult result;
  GraphProgress now;
  const auto visit = [&](const FactorGraph& rest, const Evidence& evidence) {
    BestAssignment best = JunctionTree(rest, plan.order, within(progress, now)).best();
    for (const Variable v : plan.cutset) {
      if (!best.states.empty()) best.states[v] = evidence[v];
    }
    const double score = best.states.empty() ? -kInf : graph.score(best.states);
    if (score > result.score) {
      result.score = score;
      result.states = std::move(best.states);
    }
    now.iteration = ++result.convergence.iterations;
    if (!result.states.empty()) {
      now.best = result.score;
      now.assignment = result.states;
    }
    return !progress || progress(now);
  };
  result.convergence.converged = for_each_cut(graph, plan, visit);
  if (result.convergence.converged) {
    result.kind = ResultKind::exact;
    result.bound = result.score;
  }
  return result;
}

}  // namespace croft
