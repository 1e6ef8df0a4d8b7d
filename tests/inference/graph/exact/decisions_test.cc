// The best decisions of influence diagrams, against all strategies.
#include "inference/graph/exact/decisions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/random_graph.h"

namespace croft::decisions_test {
namespace {

using testing_graphs::for_all;

struct Diagram {
  FactorGraph graph;
  std::vector<GraphDecision> decisions;
  std::vector<GraphUtility> utilities;
};

// Variables in a random order of kinds; parents and what is known come before.  Decisions know each
// other, so that their order is said.
Diagram random_diagram(Random& random, bool zeros) {
  Diagram d;
  const auto variables = static_cast<Variable>(3 + random.below(3));
  std::vector<std::pair<Variable, std::vector<Variable>>> chance;
  Variable last_decision = ~Variable{0};
  for (Variable v = 0; v < variables; ++v) {
    d.graph.add_variable(2 + random.below(v < 4 ? 2 : 1));
    std::vector<Variable> before;
    for (Variable u = 0; u < v; ++u) {
      if (random.below(2) == 0) before.push_back(u);
    }
    if (random.below(3) == 0 && d.decisions.size() < 2) {
      if (d.decisions.size() == 1 && std::ranges::find(before, last_decision) == before.end()) {
        before.push_back(last_decision);
      }
      if (before.size() > 2) before.erase(before.begin(), before.end() - 2);
      if (d.decisions.size() == 1 && std::ranges::find(before, last_decision) == before.end()) {
        before.back() = last_decision;
      }
      d.decisions.push_back({v, before});
      last_decision = v;
    } else {
      if (before.size() > 2) before.resize(2);
      chance.emplace_back(v, before);
    }
  }
  for (auto& [v, parents] : chance) {
    std::vector<Variable> scope = parents;
    scope.push_back(v);
    std::uint64_t rows = 1;
    for (const Variable u : parents) rows *= d.graph.states(u);
    std::vector<double> scores;
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::vector<double> p;
      double sum = 0;
      for (State s = 0; s < d.graph.states(v); ++s) {
        p.push_back(zeros && s > 0 && random.below(3) == 0 ? 0 : random.uniform() + 0.01);
        sum += p.back();
      }
      for (const double each : p) scores.push_back(std::log(each / sum));
    }
    d.graph.add_factor(scope, d.graph.add_table(scores));
  }
  for (int k = 0; k < 2; ++k) {
    GraphUtility u{"u", {}, {}};
    for (Variable v = 0; v < variables && u.scope.size() < 3; ++v) {
      if (random.below(2) == 0) u.scope.push_back(v);
    }
    std::uint64_t states = 1;
    for (const Variable v : u.scope) states *= d.graph.states(v);
    for (std::uint64_t s = 0; s < states; ++s) u.values.push_back(10 * random.uniform() - 5);
    d.utilities.push_back(u);
  }
  return d;
}

double value_of(const GraphUtility& u, const FactorGraph& graph, const std::vector<State>& x) {
  std::size_t joint = 0;
  for (const Variable v : u.scope) joint = joint * graph.states(v) + x[v];
  return u.values[joint];
}

std::size_t joint_of(const std::vector<Variable>& scope, const FactorGraph& graph,
                     const std::vector<State>& x) {
  std::size_t joint = 0;
  for (const Variable v : scope) joint = joint * graph.states(v) + x[v];
  return joint;
}

// The expected utility of rules: a state for each joint state of what is known, by decision.
double utility_of(const Diagram& d, const std::vector<GraphDecision>& ordered,
                  const std::vector<std::vector<State>>& rules) {
  double total = 0, weight = 0;
  for_all(d.graph, [&](const std::vector<State>& x) {
    for (std::size_t k = 0; k < ordered.size(); ++k) {
      if (rules[k][joint_of(ordered[k].known, d.graph, x)] != x[ordered[k].variable]) return;
    }
    const double p = std::exp(d.graph.score(x));
    weight += p;
    for (const GraphUtility& u : d.utilities) total += p * value_of(u, d.graph, x);
  });
  return total / weight;
}

// Over all strategies of decisions that know what `ordered` says.
double best_of_all(const Diagram& d, const std::vector<GraphDecision>& ordered) {
  std::vector<std::vector<State>> rules;
  for (const GraphDecision& each : ordered) {
    std::size_t rows = 1;
    for (const Variable v : each.known) rows *= d.graph.states(v);
    rules.emplace_back(rows, 0);
  }
  double best = -1e300;
  for (bool more = true; more;) {
    best = std::max(best, utility_of(d, ordered, rules));
    more = false;
    for (std::size_t k = 0; k < rules.size() && !more; ++k) {
      for (State& each : rules[k]) {
        more = ++each < d.graph.states(ordered[k].variable);
        if (more) break;
        each = 0;
      }
    }
  }
  return best;
}

double strategies(const Diagram& d, const std::vector<GraphDecision>& ordered) {
  double count = 1;
  for (const GraphDecision& each : ordered) {
    double rows = 1;
    for (const Variable v : each.known) rows *= static_cast<double>(d.graph.states(v));
    count *= std::pow(static_cast<double>(d.graph.states(each.variable)), rows);
  }
  return count;
}

// The rules as a strategy of all that is known.
std::vector<std::vector<State>> as_strategy(const Diagram& d,
                                            const std::vector<GraphDecision>& ordered,
                                            const BestDecisions& best) {
  std::vector<std::vector<State>> rules;
  for (std::size_t k = 0; k < ordered.size(); ++k) {
    std::size_t rows = 1;
    for (const Variable v : ordered[k].known) rows *= d.graph.states(v);
    rules.emplace_back(rows, 0);
    for_all(d.graph, [&](const std::vector<State>& x) {
      rules[k][joint_of(ordered[k].known, d.graph, x)] =
          best.rules[k].best[joint_of(best.rules[k].given, d.graph, x)];
    });
  }
  return rules;
}

TEST(Decisions, NoStrategyIsBetterAndTheRulesReachWhatIsExpected) {
  Random random(7);
  int checked = 0, of_two = 0;
  for (int round = 0; round < 3000 && checked < 400; ++round) {
    const Diagram d = random_diagram(random, round % 2 == 0);
    const auto ordered = in_order(d.graph, d.decisions);
    if (strategies(d, ordered) > 3000) continue;
    ++checked;
    if (ordered.size() == 2) ++of_two;
    const BestDecisions best = best_decisions(d.graph, ordered, d.utilities);
    ASSERT_EQ(best.rules.size(), ordered.size());
    EXPECT_NEAR(best.log_probability, 0, 1e-9);
    EXPECT_NEAR(best.expected_utility, best_of_all(d, ordered), 1e-9);
    EXPECT_NEAR(best.expected_utility, utility_of(d, ordered, as_strategy(d, ordered, best)), 1e-9);
  }
  EXPECT_EQ(checked, 400);
  EXPECT_GT(of_two, 50);
}

TEST(Decisions, WhatIsObservedCountsAsKnown) {
  Random random(11);
  int checked = 0;
  while (checked < 50) {
    const Diagram d = random_diagram(random, false);
    if (d.graph.factors() == 0 || d.decisions.empty()) continue;
    const Variable first = d.graph.scope(0).back();
    if (d.graph.scope(0).size() > 1) continue;  // nothing has an effect on it
    ++checked;
    double total = 0;
    for (State s = 0; s < d.graph.states(first); ++s) {
      Evidence evidence(d.graph.variables(), kUnobserved);
      evidence[first] = s;
      const BestDecisions given =
          best_decisions(condition(d.graph, evidence), in_order(d.graph, d.decisions),
                         condition(d.utilities, d.graph, evidence));
      EXPECT_NEAR(given.log_probability, d.graph.table(0)[s], 1e-9);
      total += std::exp(given.log_probability) * given.expected_utility;
    }
    Diagram knowing = d;  // everything is decided with the variable known
    for (GraphDecision& each : knowing.decisions) {
      if (std::ranges::find(each.known, first) == each.known.end()) each.known.push_back(first);
    }
    const BestDecisions all = best_decisions(
        knowing.graph, in_order(knowing.graph, knowing.decisions), knowing.utilities);
    EXPECT_NEAR(all.expected_utility, total, 1e-9);
  }
}

TEST(Decisions, AnOrderThatIsNotSaidAndACycleAreErrors) {
  FactorGraph graph;
  for (int v = 0; v < 3; ++v) graph.add_variable(2);
  const std::vector<double> table(4, std::log(0.5));
  graph.add_factor({0, 2}, graph.add_table(table));
  EXPECT_THROW(in_order(graph, std::vector<GraphDecision>{{0, {}}, {1, {}}}), UsageError);
  EXPECT_THROW(in_order(graph, std::vector<GraphDecision>{{0, {2}}, {1, {0}}}), UsageError);
  const auto ordered = in_order(graph, std::vector<GraphDecision>{{1, {2}}, {0, {}}});
  ASSERT_EQ(ordered.size(), 2u);
  EXPECT_EQ(ordered[0].variable, 0u);
  EXPECT_EQ(ordered[1].known, (std::vector<Variable>{0, 2}));
}

TEST(Decisions, ATableThatIsTooLargeIsAnError) {
  FactorGraph graph;
  std::vector<Variable> all;
  GraphDecision decision{12, {}};
  GraphUtility u{"u", {}, std::vector<double>(std::size_t{1} << 13, 1.0)};
  for (Variable v = 0; v < 13; ++v) {
    graph.add_variable(2);
    u.scope.push_back(v);
    if (v == 12) continue;
    decision.known.push_back(v);
    graph.add_factor({v}, graph.add_table(std::vector<double>(2, std::log(0.5))));
  }
  EXPECT_NEAR(best_decisions(graph, std::span(&decision, 1), std::span(&u, 1)).expected_utility, 1,
              1e-12);
  EXPECT_THROW(best_decisions(graph, std::span(&decision, 1), std::span(&u, 1), 1 << 12), Error);
}

}  // namespace
}  // namespace croft::decisions_test
