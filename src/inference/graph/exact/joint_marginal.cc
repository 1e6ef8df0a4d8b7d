#include "inference/graph/exact/joint_marginal.h"

#include <string>

#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/inference/junction_tree.h"
#include "structure/counters.h"

namespace croft {
namespace {

constexpr std::uint64_t kMostStates = std::uint64_t{1} << 28;

// visit(k, states) for each joint state k of the variables.
template <class Visit>
void for_each_state(const FactorGraph& graph, std::span<const Variable> variables,
                    std::size_t count, const Visit& visit) {
  std::vector<State> states(variables.size(), 0);
  for (std::size_t k = 0; k < count; ++k) {
    visit(k, states);
    for (std::size_t i = states.size(); i-- > 0;) {
      if (++states[i] < graph.states(variables[i])) break;
      states[i] = 0;
    }
  }
}

}  // namespace

std::vector<double> joint_marginal(const FactorGraph& graph, std::span<const Variable> variables,
                                   const JointMarginalOptions& options) {
  FactorGraph given = options.evidence.empty() ? graph : condition(graph, options.evidence);
  // A factor that scores nothing: it makes a clique of its scope.
  given.add_factor(variables, given.add_sparse({}, {}, 0.0));
  std::uint64_t count = 1;
  for (const Variable v : variables) {
    count *= graph.states(v);
    if (count > kMostStates) throw Error("a joint marginal of more than 2^28 joint states");
  }
  const FactorGraph counted = needs_counters(given) ? with_counters(given).graph : given;
  const Factor last = static_cast<Factor>(counted.factors() - 1);  // the set
  JunctionTree tree(counted, find_elimination_order(counted, {.progress = options.progress}),
                    options.progress);
  if (tree.bytes() > options.memory) {
    throw Error("the joint marginal needs " + std::to_string(tree.bytes()) +
                " bytes of memory, and " + std::to_string(options.memory) + " are allowed");
  }
  const std::vector<double> free = tree.marginals(std::span(&last, 1)).factor.front();
  if (options.evidence.empty()) return free;
  std::vector<double> p(count, 0.0);
  std::size_t next = 0;  // observed variables have one state left: the order is the same
  for_each_state(graph, variables, count, [&](std::size_t k, const std::vector<State>& states) {
    for (std::size_t i = 0; i < states.size(); ++i) {
      const State known = options.evidence[variables[i]];
      if (known != kUnobserved && known != states[i]) return;
    }
    p[k] = free[next++];
  });
  return p;
}

double expectation(const FactorGraph& graph, std::span<const Variable> variables,
                   const std::function<double(std::span<const State>)>& f,
                   const JointMarginalOptions& options) {
  const std::vector<double> p = joint_marginal(graph, variables, options);
  CompensatedSum sum(0);
  for_each_state(graph, variables, p.size(), [&](std::size_t k, const std::vector<State>& states) {
    if (p[k] > 0) sum.add(p[k] * f(states));
  });
  return sum.value();
}

}  // namespace croft
