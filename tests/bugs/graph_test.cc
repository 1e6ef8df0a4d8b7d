#include "bugs/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "bugs/distributions.h"
#include "croft/core/random.h"

namespace croft::bugs::graph_test {
namespace {

NodeSpec normal(Slot mean, Slot precision, std::vector<double> observed = {}) {
  NodeSpec spec{DistributionId::normal};
  spec.parameters = {{{mean}}, {{precision}}};
  spec.observed = std::move(observed);
  return spec;
}

// y ~ N(exp(a + b x), tau), a monitor of a alone, and a prediction.
TEST(BugsGraph, ListsWhatLiesBetweenANodeAndItsInformativeChildren) {
  ModelGraph graph;
  const Slot zero = graph.add_constant(0), one = graph.add_constant(1), x = graph.add_constant(3);
  EXPECT_EQ(graph.add_constant(1), one);
  const NodeId a = graph.add_node(normal(zero, one)), b = graph.add_node(normal(zero, one));
  const Slot sa = graph.node(a).first, sb = graph.node(b).first;
  const Slot eta = graph.add_operation(Function::inner_product, {one, sa, x, sb});
  const Slot mu = graph.add_operation(Function::exp, {eta});
  const Slot report = graph.add_operation(Function::multiply, {sa, sa});
  const NodeId y = graph.add_node(normal(mu, one, {2.5}));
  const NodeId predicted = graph.add_node(normal(mu, one));
  const Slot shown = graph.add_operation(Function::add, {graph.node(predicted).first, report});
  graph.finish();

  EXPECT_EQ(std::vector(graph.sampled().begin(), graph.sampled().end()),
            (std::vector<NodeId>{a, b}));
  EXPECT_EQ(graph.observed()[0], y);
  EXPECT_EQ(graph.predicted()[0], predicted);
  const std::vector<OperationId> both{graph.operation_of(eta), graph.operation_of(mu)};
  EXPECT_EQ(std::vector(graph.dependents(a).begin(), graph.dependents(a).end()), both);
  EXPECT_EQ(std::vector(graph.children(b).begin(), graph.children(b).end()),
            std::vector<NodeId>{y});
  EXPECT_EQ(std::vector(graph.kept_current().begin(), graph.kept_current().end()), both);
  const std::vector<Step> steps = graph.needed_for(std::span(&shown, 1));
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].id, graph.operation_of(report));
  EXPECT_TRUE(steps[1].is_node);
  EXPECT_EQ(steps[1].id, predicted);
  EXPECT_EQ(steps[2].id, graph.operation_of(shown));

  std::vector<double> values = graph.initial();
  values[sa] = 0.5;
  values[sb] = -0.25;
  graph.evaluate(graph.dependents(a), values.data());
  EXPECT_DOUBLE_EQ(values[mu], std::exp(0.5 - 0.75));
}

TEST(BugsGraph, OperationsOfFixedNumbersAreDoneAtOnce) {
  ModelGraph graph;
  const Slot two = graph.add_constant(2), three = graph.add_constant(3);
  const Slot power = graph.add_operation(Function::power, {two, three});
  EXPECT_TRUE(graph.fixed(power));
  EXPECT_EQ(graph.initial()[power], 8);
  EXPECT_THROW(graph.add_operation(Function::exp, {two, three}), UsageError);
  EXPECT_THROW(graph.add_operation(Function::exp, {Slot{100}}), UsageError);
  EXPECT_THROW(graph.add_node(normal(two, 100)), UsageError);
}

// Every list of a random graph beside its definition: reachability.
TEST(BugsGraph, ListsAreReachabilityInRandomGraphs) {
  Random random(7);
  for (int repeat = 0; repeat < 50; ++repeat) {
    ModelGraph graph;
    graph.add_constant(1);
    const auto any = [&] { return static_cast<Slot>(random.below(graph.slots())); };
    for (int k = 0; k < 30; ++k) {
      if (random.below(2) == 0) {
        graph.add_operation(Function::add, {any(), any()});
      } else {
        const bool observed = random.below(4) == 0;
        graph.add_node(normal(any(), any(), observed ? std::vector{1.0} : std::vector<double>{}));
      }
    }
    graph.finish();
    const auto uses = [&](NodeId n) {
      return std::set<Slot>{graph.slot_of(graph.node(n), 0), graph.slot_of(graph.node(n), 1)};
    };
    // Informative: by repetition until nothing changes.
    std::vector<bool> informative(graph.nodes());
    for (NodeId n = 0; n < graph.nodes(); ++n) informative[n] = graph.node(n).observed;
    const auto reaches = [&](Slot from) {  // slots that depend on it through operations alone
      std::set<Slot> slots{from};
      for (OperationId o = 0; o < graph.operations(); ++o) {
        const Operation& op = graph.operation(o);
        if (slots.contains(op.a) || slots.contains(op.b)) slots.insert(op.out);
      }
      return slots;
    };
    const auto touched = [&](const std::set<Slot>& slots, NodeId n) {
      return std::ranges::any_of(uses(n), [&](Slot s) { return slots.contains(s); });
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId n = 0; n < graph.nodes(); ++n) {
        if (informative[n]) continue;
        const auto slots = reaches(graph.node(n).first);
        for (NodeId m = 0; m < graph.nodes(); ++m) {
          if (informative[m] && touched(slots, m)) informative[n] = changed = true;
        }
      }
    }
    for (NodeId n = 0; n < graph.nodes(); ++n) {
      ASSERT_EQ(graph.node(n).informative, informative[n]);
      if (!informative[n] || graph.node(n).observed) continue;
      const auto slots = reaches(graph.node(n).first);
      std::vector<NodeId> children;
      for (NodeId m = 0; m < graph.nodes(); ++m) {
        if (informative[m] && touched(slots, m)) children.push_back(m);
      }
      EXPECT_EQ(std::vector(graph.children(n).begin(), graph.children(n).end()), children);
      std::vector<OperationId> dependents;
      for (OperationId o = 0; o < graph.operations(); ++o) {
        const Slot out = graph.operation(o).out;
        if (!slots.contains(out)) continue;
        const auto further = reaches(out);
        for (NodeId m = 0; m < graph.nodes(); ++m) {
          if (informative[m] && touched(further, m)) {
            dependents.push_back(o);
            break;
          }
        }
      }
      EXPECT_EQ(std::vector(graph.dependents(n).begin(), graph.dependents(n).end()), dependents);
    }
  }
}

// A graph of random smooth operations over a few nodes.
struct Sketch {
  ModelGraph graph;
  std::vector<NodeId> nodes;
  Slot last = 0;
};

Sketch random_operations(Random& random, bool linear) {
  Sketch sketch;
  ModelGraph& g = sketch.graph;
  g.add_constant(0.7);
  const Slot zero = g.add_constant(0), half = g.add_constant(0.5);
  for (int k = 0; k < 3; ++k) sketch.nodes.push_back(g.add_node(normal(zero, half)));
  const auto any = [&] { return static_cast<Slot>(random.below(g.slots())); };
  for (int k = 0; k < 12; ++k) {
    const auto kind = random.below(linear ? 6 : 12);
    if (kind == 0) g.add_operation(Function::add, {any(), any()});
    if (kind == 1) g.add_operation(Function::subtract, {any(), any()});
    if (kind == 2) g.add_operation(Function::multiply, {any(), any()});
    if (kind == 3) g.add_operation(Function::inner_product, {any(), any(), any(), any()});
    if (kind == 4) g.add_operation(Function::mean, {any(), any(), any()});
    if (kind == 5) {
      const Slot arguments[] = {any(), any(), any(), any()};  // [1 x 2] [2 x 1]
      g.add_operation(Function::matrix_product, arguments, 1, 0, 1);
    }
    if (kind == 6) g.add_operation(Function::exp, {g.add_operation(Function::sin, {any()})});
    if (kind == 7)
      g.add_operation(Function::divide, {any(), g.add_operation(Function::exp, {any()})});
    if (kind == 8) g.add_operation(Function::prod, {any(), any(), any()});
    if (kind == 9) g.add_operation(Function::sd, {any(), any(), half});
    if (kind == 10) g.add_operation(Function::ilogit, {any()});
    if (kind == 11) g.add_operation(Function::if_else, {half, any(), any()});
  }
  std::vector<Slot> all(g.slots());
  std::iota(all.begin(), all.end(), Slot{0});
  sketch.last = g.add_operation(Function::sum, all);
  g.add_node(normal(sketch.last, half, {1.0}));
  g.finish();
  return sketch;
}

TEST(BugsGraph, TangentsAreCentralDifferences) {
  Random random(3);
  std::size_t compared = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Sketch s = random_operations(random, false);
    std::vector<double> values = s.graph.initial();
    for (const NodeId n : s.nodes) values[s.graph.node(n).first] = 0.3 + random.uniform();
    for (const NodeId n : s.nodes) {
      const auto which = s.graph.dependents(n);
      const Slot own = s.graph.node(n).first;
      const double h = 1e-6, x = values[own];
      const auto at = [&](double value) {
        std::vector<double> copy = values;
        copy[own] = value;
        s.graph.evaluate(s.graph.kept_current(), copy.data());
        return copy;
      };
      const std::vector<double> here = at(x), above = at(x + h), below = at(x - h);
      std::vector<double> tangents(s.graph.slots(), 0);
      tangents[own] = 1;
      s.graph.tangents(which, here.data(), tangents.data());
      const double difference = (above[s.last] - below[s.last]) / (2 * h);
      if (!std::isfinite(difference) || std::abs(difference) > 1e3) continue;
      if (std::abs(here[s.last]) > 1e3 || !std::isfinite(tangents[s.last])) continue;
      EXPECT_NEAR(tangents[s.last], difference, 1e-4 * (1 + std::abs(difference)));
      ++compared;
    }
  }
  EXPECT_GT(compared, 200u);
}

// What is said to be linear or a scale is that, in numbers.
TEST(BugsGraph, DependenceHoldsInNumbers) {
  Random random(5);
  std::size_t linear = 0, scale = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Sketch s = random_operations(random, true);
    const std::size_t together = 1 + random.below(2);
    const std::vector<NodeId> nodes(s.nodes.begin(),
                                    s.nodes.begin() + static_cast<std::ptrdiff_t>(together));
    std::vector<bool> fixed;
    const std::vector<Dependence> dependence = dependence_on(s.graph, nodes, &fixed);
    const auto at = [&](double factor, double others) {
      std::vector<double> values = s.graph.initial();
      for (std::size_t k = 0; k < s.nodes.size(); ++k) {
        const double x = 0.5 + static_cast<double>(k);
        values[s.graph.node(s.nodes[k]).first] = k < together ? factor * x : others * x;
      }
      s.graph.evaluate(s.graph.kept_current(), values.data());
      return values;
    };
    const auto zero = at(0, 1), one = at(1, 1), three = at(3, 1);
    const auto zero_elsewhere = at(0, 2), one_elsewhere = at(1, 2);
    for (const OperationId o : s.graph.dependents_of(nodes)) {
      const Slot out = s.graph.operation(o).out;
      if (std::abs(three[out]) > 1e6) continue;
      const double tolerance = 1e-9 * (1 + std::abs(three[out]) + std::abs(one_elsewhere[out]));
      if (dependence[out] == Dependence::other) continue;
      EXPECT_NEAR(three[out], zero[out] + 3 * (one[out] - zero[out]), tolerance);
      ++linear;
      if (dependence[out] == Dependence::scale) {
        EXPECT_EQ(zero[out], 0);
        ++scale;
      }
      if (fixed[out]) {
        EXPECT_NEAR(one[out] - zero[out], one_elsewhere[out] - zero_elsewhere[out], tolerance);
      }
    }
  }
  EXPECT_GT(linear, 300u);
  EXPECT_GT(scale, 50u);
}

TEST(BugsGraph, PickTakesAnElementBySubscriptsAndNothingOutside) {
  ModelGraph graph;
  std::vector<Slot> elements;
  for (int k = 0; k < 6; ++k) elements.push_back(graph.add_constant(10 + k));
  const Slot one = graph.add_constant(1);
  const NodeId i = graph.add_node(normal(one, one)), j = graph.add_node(normal(one, one));
  std::vector<Slot> arguments{graph.node(i).first, graph.node(j).first, graph.add_constant(2),
                              graph.add_constant(3)};
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  const Slot out = graph.add_operation(Function::pick, arguments, 1, 2);
  graph.finish();
  std::vector<double> values = graph.initial();
  const auto at = [&](double a, double b) {
    values[graph.node(i).first] = a;
    values[graph.node(j).first] = b;
    graph.evaluate(graph.operation_of(out), values.data());
    return values[out];
  };
  EXPECT_EQ(at(1, 1), 10);
  EXPECT_EQ(at(2, 1), 11);
  EXPECT_EQ(at(1, 3), 14);
  EXPECT_TRUE(std::isnan(at(3, 1)));  // though there is a third element
  EXPECT_TRUE(std::isnan(at(0, 1)));
  EXPECT_TRUE(std::isnan(at(1.5, 1)));
  EXPECT_TRUE(std::isnan(at(NAN, 1)));
}

TEST(BugsGraph, MatricesAreInvertedAndMultiplied) {
  ModelGraph graph;
  std::vector<Slot> matrix;
  for (const double x : {4.0, 1.0, 0.5, 1.0, 3.0, 0.25, 0.5, 0.25, 2.0}) {
    matrix.push_back(graph.add_constant(x));
  }
  const Slot inverse = graph.add_operation(Function::inverse, matrix, 9);
  std::vector<Slot> both = matrix;
  for (Slot k = 0; k < 9; ++k) both.push_back(inverse + k);
  const Slot product = graph.add_operation(Function::matrix_product, both, 9, 0, 3);
  for (Slot k = 0; k < 9; ++k) {
    EXPECT_NEAR(graph.initial()[product + k], k % 4 == 0 ? 1 : 0, 1e-15);
  }
  const Slot log = graph.add_operation(Function::log_determinant, matrix);
  EXPECT_NEAR(graph.initial()[log], std::log(21.25), 1e-14);
}

TEST(BugsGraph, SortsRanksAndInterpolates) {
  ModelGraph graph;
  std::vector<Slot> x;
  for (const double value : {3.0, 1.0, 2.0}) x.push_back(graph.add_constant(value));
  const auto three = [&](Function f) {
    const Slot out = graph.add_operation(f, x, 3);
    return std::vector(graph.initial().begin() + out, graph.initial().begin() + out + 3);
  };
  EXPECT_EQ(three(Function::sort), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(three(Function::rank), (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(three(Function::order), (std::vector<double>{2, 3, 1}));
  const auto at = [&](double place) {
    std::vector<Slot> arguments{graph.add_constant(place)};
    for (const double value : {0.0, 1.0, 3.0, 5.0, 7.0, 1.0}) {
      arguments.push_back(graph.add_constant(value));
    }
    return graph.initial()[graph.add_operation(Function::interpolate, arguments)];
  };
  EXPECT_EQ(at(-1), 5);
  EXPECT_EQ(at(0.25), 5.5);
  EXPECT_EQ(at(2), 4);
  EXPECT_EQ(at(9), 1);
}

}  // namespace
}  // namespace croft::bugs::graph_test
