// Questions to Bayesian networks, against sums over all assignments and central differences.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "app/infer/network_cases.h"
#include "app/infer/queries.h"
#include "app/infer/sensitivity.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/random_graph.h"

namespace croft::network_questions_test {
namespace {

using testing_graphs::for_all;

// Up to three parents each, states a, b, c.
GraphFile random_net(Random& random, bool zeros) {
  GraphFile net;
  net.directed = true;
  const auto variables = static_cast<Variable>(3 + random.below(4));
  for (Variable v = 0; v < variables; ++v) {
    const std::size_t states = 2 + random.below(2);
    net.graph.add_variable(states);
    net.names.variables.push_back("v" + std::to_string(v));
    net.names.states.push_back({"a", "b", "c"});
    net.names.states.back().resize(states);
  }
  for (Variable v = 0; v < variables; ++v) {
    std::vector<Variable> scope;
    for (Variable u = 0; u < v && scope.size() < 3; ++u) {
      if (random.below(2) == 0) scope.push_back(u);
    }
    std::uint64_t rows = 1;
    for (const Variable u : scope) rows *= net.graph.states(u);
    scope.push_back(v);
    std::vector<double> scores;
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::vector<double> p;
      double sum = 0;
      for (State s = 0; s < net.graph.states(v); ++s) {
        p.push_back(zeros && s > 0 && random.below(4) == 0 ? 0 : 0.05 + random.uniform());
        sum += p.back();
      }
      for (const double each : p) scores.push_back(std::log(each / sum));
    }
    net.graph.add_factor(scope, net.graph.add_table(scores));
  }
  return net;
}

template <class Holds>
double sum_where(const FactorGraph& graph, const Holds& holds) {
  double sum = 0;
  for_all(graph, [&](const std::vector<State>& x) {
    if (holds(x)) sum += std::exp(graph.score(x));
  });
  return sum;
}

bool agrees(const std::vector<State>& x, std::span<const State> row) {
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (row[v] != kUnobserved && row[v] != x[v]) return false;
  }
  return true;
}

TEST(Queries, TheirProbabilitiesAreThoseOfAllAssignments) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const GraphFile net = random_net(random, round % 2 == 0);
    Evidence evidence(net.graph.variables(), kUnobserved);
    evidence[2] = 0;
    const std::vector<SoftFinding> soft{
        *soft_finding(net, net.graph.states(1) == 2 ? "v1=0.2:0.9" : "v1=0.2:0.9:0.4")};
    const FactorGraph graph = with_findings(net.graph, soft);
    const double z = sum_where(graph, [&](const auto& x) { return agrees(x, evidence); });
    const auto p = [&](const auto& holds) {
      return sum_where(graph, [&](const auto& x) { return agrees(x, evidence) && holds(x); }) / z;
    };
    const std::vector<GraphEvent> events{graph_event(net, "v0=a"), graph_event(net, "v0 = v1"),
                                         graph_event(net, "v0=a|b, v1 != b"),
                                         graph_event(net, "v0!=v1,v1=1"), graph_event(net, "v2=b")};
    const auto answers = ask_events(net, graph, evidence, events, {}, {});
    const double wanted[] = {p([](const auto& x) { return x[0] == 0; }),
                             p([](const auto& x) { return x[0] == x[1]; }),
                             p([](const auto& x) { return x[0] < 2 && x[1] != 1; }),
                             p([](const auto& x) { return x[0] != x[1] && x[1] == 1; }), 0.0};
    for (std::size_t k = 0; k < answers.size(); ++k) {
      EXPECT_NEAR(std::exp(answers[k].log_probability), wanted[k], 1e-12) << events[k].text;
      EXPECT_EQ(answers[k].kind, ResultKind::exact);
    }
  }
}

// One variable joined to no other has more states than can be gone through.
TEST(Queries, KnowTheProbabilitiesOfVariablesInNoFactor) {
  Random random(5);
  GraphFile net = random_net(random, false);
  net.names = {};
  const auto free = net.graph.add_variable(std::size_t{1} << 31);
  const std::string v = std::to_string(free);
  Evidence evidence(net.graph.variables(), kUnobserved);
  const auto ask = [&](const std::string& text) {
    const auto answers = ask_events(net, net.graph, evidence, {graph_event(net, text)}, {}, {});
    EXPECT_EQ(answers[0].kind, ResultKind::exact) << text;
    return answers[0].log_probability;
  };
  const double all = 31 * std::log(2.0);
  EXPECT_NEAR(ask(v + "=7"), -all, 1e-12);
  EXPECT_NEAR(ask(v + "=7|9|7"), std::log(2) - all, 1e-12);
  EXPECT_NEAR(ask(v + "=7|9, " + v + "!=9"), -all, 1e-12);
  EXPECT_NEAR(ask(v + "!=7"), std::log1p(-std::exp(-all)), 1e-15);
  EXPECT_NEAR(ask(v + "=7, 0=1"), ask("0=1") - all, 1e-12);
  EXPECT_THROW(ask(v + "=0"  // as a variable: its states are compared
                   + std::string(", ") + v + "=0,0=" + v),
               Error);
  evidence[free] = 7;
  EXPECT_EQ(ask(v + "=7|8"), 0);
  EXPECT_EQ(ask(v + "=8"), -std::numeric_limits<double>::infinity());
}

// A loop of strong pairs, which belief propagation does not know: its messages are stopped early.
TEST(Queries, AnEstimateHasItsWarningAndIsAMarginalWhereItCan) {
  Random random(6);
  GraphFile file;
  for (Variable v = 0; v < 4; ++v) file.graph.add_variable(2);
  for (Variable v = 0; v < 4; ++v) {
    std::vector<double> scores;
    for (int k = 0; k < 4; ++k) scores.push_back(6 * random.uniform());
    file.graph.add_factor({v, (v + 1) % 4}, file.graph.add_table(scores));
  }
  InferRequest request;
  request.method = "belief-propagation";
  request.max_iterations = 1;
  request.task = GraphTask::marginals;
  const InferResult marginals = infer(file.graph, {}, request);
  const std::vector<GraphEvent> events{graph_event(file, "0=1"), graph_event(file, "0=1, 2=1")};
  const auto answers = ask_events(file, file.graph, {}, events, request, {});
  EXPECT_NEAR(std::exp(answers[0].log_probability), marginals.marginals[0][1], 1e-12);
  for (const EventAnswer& each : answers) {
    EXPECT_EQ(each.kind, ResultKind::estimate);
    EXPECT_FALSE(each.converged);
    EXPECT_FALSE(each.warnings.empty());
  }
  EXPECT_FALSE(warnings_of(answers).empty());
}

// All sums of a query together, each of which waits for its share of the time.
TEST(Queries, TakeTheirTimeOnce) {
  Random random(7);
  const GraphFile net = random_net(random, false);
  const InferCalls calls{.plan = {}, .progress = [](const GraphProgress&) {
                           std::this_thread::sleep_for(std::chrono::milliseconds(20));
                           return true;
                         }};
  InferRequest request;
  request.method = "mini-bucket-sampling";
  request.seconds = 0.6;
  const auto begin = std::chrono::steady_clock::now();
  ask_events(net, net.graph, {}, {graph_event(net, "v0=a, v1=b"), graph_event(net, "v0=b, v1=a")},
             request, calls);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(taken.count(), 1.2);
}

TEST(Queries, WhatIsNoneIsAnError) {
  Random random(4);
  const GraphFile net = random_net(random, false);
  for (const char* text : {"", "v0", "v0=d", "v0=v0", "v9=a", "v0=a,", "v0=a|d", "=a", "v0="}) {
    EXPECT_THROW(graph_event(net, text), UsageError) << text;
  }
  for (const char* text : {"v0=0.5:x", "v0=0.5:0.5:0.5:0.5", "v0=0:0", "v0=-1:1", "v9=1:1"}) {
    EXPECT_THROW(soft_finding(net, text), UsageError) << text;
  }
  EXPECT_FALSE(soft_finding(net, "v0=a"));
}

TEST(Entropy, IsThatOfAllAssignments) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    GraphFile net = random_net(random, round % 2 == 0);
    net.names.states[0] = {"-1", "2.5", "10"};
    net.names.states[0].resize(net.graph.states(0));
    Evidence evidence(net.graph.variables(), kUnobserved);
    evidence[1] = 0;
    const double z = sum_where(net.graph, [&](const auto& x) { return agrees(x, evidence); });
    double entropy = 0, mean = 0, squares = 0;
    const double value[] = {-1, 2.5, 10};
    for_all(net.graph, [&](const std::vector<State>& x) {
      const double p = std::exp(net.graph.score(x)) / z;
      if (!agrees(x, evidence) || p == 0) return;
      entropy -= p * std::log(p);
      mean += p * value[x[0]];
      squares += p * value[x[0]] * value[x[0]];
    });
    const EntropyAnswer answer = ask_entropy(net, net.graph, evidence, {}, {});
    EXPECT_NEAR(answer.joint, entropy, 1e-10);
    ASSERT_TRUE(answer.variables[0].mean);
    EXPECT_NEAR(*answer.variables[0].mean, mean, 1e-10);
    EXPECT_NEAR(*answer.variables[0].deviation, std::sqrt(squares - mean * mean), 1e-6);
    EXPECT_EQ(answer.variables[1].entropy, 0);
    EXPECT_FALSE(answer.variables[1].mean);
  }
}

TEST(Entropy, CountsTruncatedDistancesAndKeepsItsDigitsAtLargeScores) {
  GraphFile file;
  file.graph.add_variable(2);
  file.graph.add_variable(2);
  file.graph.add_factor({0, 1}, file.graph.add_truncated_linear(1, 1));
  EXPECT_NEAR(ask_entropy(file, file.graph, {}, {}, {}).joint, 1.2753502894481632, 1e-12);
  file.graph.add_factor({0}, file.graph.add_table(std::vector{1e15, 1e15}));
  EXPECT_NEAR(ask_entropy(file, file.graph, {}, {}, {}).joint, 1.2753502894481632, 1e-12);
}

// It asks for the marginals of variables first, and then for those of factors.
TEST(Entropy, ObeysTheTimeInBothOfItsParts) {
  GraphFile chain;  // long enough for the search for an order to look at the time
  const PotentialId pair = chain.graph.add_table(std::vector{0., 1., 2., 0.});
  for (Variable v = 0; v < 20000; ++v) {
    chain.graph.add_variable(2);
    if (v > 0) chain.graph.add_factor({v - 1, v}, pair);
  }
  InferRequest request;
  request.task = GraphTask::marginals;
  request.method = "junction-tree";
  request.seconds = 3;
  std::size_t first = 0, calls = 0;
  InferCalls asks;
  asks.progress = [&](const GraphProgress&) { return ++first > 0; };
  infer(chain.graph, {}, request, asks);
  asks.progress = [&](const GraphProgress&) {
    if (++calls == first + 1) std::this_thread::sleep_for(std::chrono::seconds(3));
    return true;
  };
  EXPECT_THROW(ask_entropy(chain, chain.graph, {}, request, asks), Error);
  EXPECT_GT(calls, first);
}

// The network with one number of a table changed, the rest of its row in proportion.
FactorGraph changed(const FactorGraph& graph, const ParameterSensitivity& p, double t) {
  FactorGraph out;
  for (Variable v = 0; v < graph.variables(); ++v) out.add_variable(graph.states(v));
  for (Factor f = 0; f < graph.factors(); ++f) {
    std::vector<double> scores = graph.table(f);
    if (f == p.factor) {
      const std::size_t own = graph.states(graph.scope(f).back());
      const std::size_t first = p.joint - p.joint % own;
      for (std::size_t k = first; k < first + own; ++k) {
        const double share =
            p.value < 1 ? std::exp(scores[k]) / (1 - p.value) : 1 / static_cast<double>(own - 1);
        scores[k] = std::log(k == p.joint ? t : (1 - t) * share);
      }
    }
    out.add_factor(graph.scope(f), out.add_table(scores));
  }
  return out;
}

TEST(Sensitivity, IsTheDerivativeAndTheFunctionOfEachNumber) {
  Random random(6);
  int zeros = 0, parameters = 0;
  for (int round = 0; round < 30; ++round) {
    const GraphFile net = random_net(random, round % 2 == 0);
    Evidence evidence(net.graph.variables(), kUnobserved);
    evidence[net.graph.variables() - 1] = 0;
    const GraphEvent event = graph_event(net, "v0=b, v1=a|b");
    const auto p_of = [&](const FactorGraph& graph) {
      const double z = sum_where(graph, [&](const auto& x) { return agrees(x, evidence); });
      return sum_where(
                 graph,
                 [&](const auto& x) { return agrees(x, evidence) && x[0] == 1 && x[1] < 2; }) /
             z;
    };
    const SensitivityAnswer answer = ask_sensitivity(net, net.graph, evidence, event, {});
    EXPECT_NEAR(answer.probability, p_of(net.graph), 1e-12);
    for (const ParameterSensitivity& p : answer.parameters) {
      ++parameters;
      if (p.value == 0) ++zeros;
      const double h = 1e-5;
      if (p.value > h && p.value < 1 - h) {
        const double slope =
            (p_of(changed(net.graph, p, p.value + h)) - p_of(changed(net.graph, p, p.value - h))) /
            (2 * h);
        EXPECT_NEAR(p.derivative, slope, 1e-6);
      }
      for (const double t : {0.25, 0.8}) {
        EXPECT_NEAR(p.probability(t), p_of(changed(net.graph, p, t)), 1e-10) << p.value;
      }
    }
    for (std::size_t k = 1; k < answer.parameters.size(); ++k) {
      EXPECT_GE(std::abs(answer.parameters[k - 1].derivative),
                std::abs(answer.parameters[k].derivative));
    }
  }
  EXPECT_GT(zeros, 10);
  EXPECT_GT(parameters, 200);
}

TEST(Cases, TheirAnswersAreThoseOfAllAssignmentsForAnyNumberOfThreads) {
  Random random(8);
  ThreadPool one(1), two(2);
  for (int round = 0; round < 30; ++round) {
    const GraphFile net = random_net(random, round % 2 == 0);
    const Variable target = static_cast<Variable>(random.below(net.graph.variables()));
    std::vector<CaseRow> rows;
    for (int k = 0; k < 150; ++k) {
      CaseRow row;
      for (Variable v = 0; v < net.graph.variables(); ++v) {
        row.push_back(random.below(2) == 0 ? kUnobserved
                                           : static_cast<State>(random.below(net.graph.states(v))));
      }
      rows.push_back(row);
    }
    const auto answers = answer_cases(net.graph, target, rows, one);
    const auto again = answer_cases(net.graph, target, rows, two);
    const auto without = answer_cases(net.graph, std::nullopt, rows, one);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double p_row = sum_where(net.graph, [&](const auto& x) { return agrees(x, rows[k]); });
      EXPECT_NEAR(std::exp(without[k].log_probability), p_row, 1e-12);
      CaseRow rest = rows[k];
      rest[target] = kUnobserved;
      const double p_rest = sum_where(net.graph, [&](const auto& x) { return agrees(x, rest); });
      EXPECT_NEAR(std::exp(answers[k].log_probability), p_rest, 1e-12);
      EXPECT_EQ(answers[k].posterior, again[k].posterior);
      EXPECT_EQ(answers[k].posterior.empty(), p_rest == 0);
      for (State s = 0; s < answers[k].posterior.size(); ++s) {
        rest[target] = s;
        const double p = sum_where(net.graph, [&](const auto& x) { return agrees(x, rest); });
        EXPECT_NEAR(answers[k].posterior[s], p / p_rest, 1e-10);
      }
    }
  }
}

TEST(Cases, AnEvaluationCountsWhatItSaysItCounts) {
  Random random(9);
  const GraphFile net = random_net(random, false);
  ThreadPool pool(1);
  std::vector<CaseRow> rows;
  for (int k = 0; k < 60; ++k) {
    CaseRow row;
    for (Variable v = 0; v < net.graph.variables(); ++v) {
      row.push_back(random.below(4) == 0 ? kUnobserved
                                         : static_cast<State>(random.below(net.graph.states(v))));
    }
    rows.push_back(row);
  }
  const Variable target = 1;
  const NetworkEvaluation found = evaluate_network(net, target, rows, pool);
  const auto answers = answer_cases(net.graph, target, rows, pool);
  double log_likelihood = 0;
  std::size_t known = 0, correct = 0, counted = 0;
  double pairs = 0, won = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    log_likelihood +=
        std::log(sum_where(net.graph, [&](const auto& x) { return agrees(x, rows[k]); }));
    const State gold = rows[k][target];
    if (gold == kUnobserved) continue;
    ++known;
    const auto& p = answers[k].posterior;
    correct += std::ranges::max_element(p) - p.begin() == gold ? 1 : 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const State other = rows[j][target];
      if (gold != 0 || other == 0 || other == kUnobserved) continue;
      pairs += 1;
      const double q = answers[j].posterior[0];
      won += p[0] > q ? 1 : p[0] == q ? 0.5 : 0;
    }
  }
  EXPECT_NEAR(found.log_likelihood, log_likelihood, 1e-9);
  ASSERT_TRUE(found.target);
  EXPECT_EQ(found.target->unknown, rows.size() - known);
  EXPECT_EQ(found.target->summary.correct_tokens, correct);
  for (const auto& line : found.target->confusion) {
    for (const std::size_t each : line) counted += each;
  }
  EXPECT_EQ(counted, known);
  ASSERT_TRUE(found.target->auc[0]);
  EXPECT_NEAR(*found.target->auc[0], won / pairs, 1e-12);
  const double n = static_cast<double>(rows.size());
  EXPECT_NEAR(found.bic(), log_likelihood - std::log(n) / 2 * double(found.parameters), 1e-9);
}

TEST(Cases, ARowThatCannotBeIsSaidToBeImpossible) {
  const GraphFile net = read_graph(
      LineReader("variable a { type discrete [2] { x, y }; }\nvariable b { type discrete [2] { x, "
                 "y }; }\nvariable c { type discrete [2] { x, y }; }\n"
                 "probability ( a ) { table 1, 0; }\nprobability ( b ) { table 0.5, 0.5; }\n"
                 "probability ( c | b ) { (x) 1, 0; (y) 0, 1; }",
                 "n"),
      GraphFormat::bif);
  ThreadPool pool(1);
  const std::vector<CaseRow> rows{{1, kUnobserved, 0}, {0, 1, 0}, {0, 1, kUnobserved}};
  const auto answers = answer_cases(net.graph, 2, rows, pool);
  EXPECT_TRUE(answers[0].posterior.empty());
  EXPECT_EQ(answers[1].posterior, (std::vector<double>{0, 1}));
  const NetworkEvaluation found = evaluate_network(net, 2, rows, pool);
  EXPECT_EQ(found.impossible, 2u);  // a is never y, and c is never x where b is y
  EXPECT_EQ(found.target->unknown, 1u);
}

}  // namespace
}  // namespace croft::network_questions_test
