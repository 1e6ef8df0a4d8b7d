#include "inference/graph/cuts/max_flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "croft/core/random.h"

namespace croft::max_flow_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Network {
  std::size_t nodes;
  std::vector<double> source, sink;           // [nodes]
  std::vector<std::vector<double>> capacity;  // [nodes][nodes]
};

Network random_network(std::uint64_t seed) {
  Random random(seed);
  const std::size_t n = 1 + seed % 9;
  Network net{n, std::vector<double>(n), std::vector<double>(n),
              std::vector(n, std::vector<double>(n, 0.0))};
  const auto draw = [&] {
    if (random.below(3) == 0) return 0.0;
    if (seed % 6 == 0 && random.below(12) == 0) return kInf;
    return seed % 2 == 0 ? static_cast<double>(random.below(5)) : random.uniform();
  };
  for (std::size_t u = 0; u < n; ++u) {
    net.source[u] = draw();
    net.sink[u] = draw();
    for (std::size_t v = 0; v < n; ++v) net.capacity[u][v] = u == v ? 0 : draw();
  }
  return net;
}

double cut_value(const Network& net, std::uint64_t source_side) {
  double sum = 0;
  for (std::size_t u = 0; u < net.nodes; ++u) {
    const bool here = source_side >> u & 1;
    sum += here ? net.sink[u] : net.source[u];
    for (std::size_t v = 0; here && v < net.nodes; ++v) {
      if (!(source_side >> v & 1)) sum += net.capacity[u][v];
    }
  }
  return sum;
}

MaxFlow flow_of(const Network& net) {
  MaxFlow flow(net.nodes);
  for (MaxFlow::Node u = 0; u < net.nodes; ++u) {
    flow.add_terminal(u, net.source[u], net.sink[u]);
    for (MaxFlow::Node v = u + 1; v < net.nodes; ++v) {
      flow.add_edge(u, v, net.capacity[u][v], net.capacity[v][u]);
    }
  }
  return flow;
}

TEST(MaxFlow, EqualsTheSmallestOfAllCuts) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Network net = random_network(seed);
    double least = kInf;
    for (std::uint64_t side = 0; side >> net.nodes == 0; ++side) {
      least = std::min(least, cut_value(net, side));
    }
    MaxFlow flow = flow_of(net);
    const double found = flow.solve();
    if (least == kInf) {
      EXPECT_EQ(found, kInf) << seed;
      continue;
    }
    EXPECT_NEAR(found, least, 1e-12 * std::max(1.0, least)) << seed;
  }
}

TEST(MaxFlow, BothSidesAreTheSmallestThatAMinimumCutLeaves) {
  for (std::uint64_t seed = 0; seed < 600; seed += 2) {  // whole numbers, with ties
    const Network net = random_network(seed);
    MaxFlow flow = flow_of(net);
    const double value = flow.solve();
    if (value == kInf) continue;
    // Minimum cuts are closed under intersection and union.
    const std::uint64_t all = (std::uint64_t{1} << net.nodes) - 1;
    std::uint64_t smallest = all, largest = 0;
    for (std::uint64_t side = 0; side <= all; ++side) {
      if (cut_value(net, side) != value) continue;
      smallest &= side;
      largest |= side;
    }
    for (MaxFlow::Node v = 0; v < net.nodes; ++v) {
      EXPECT_EQ(flow.on_source_side(v), (smallest >> v & 1) == 1) << seed;
      EXPECT_EQ(flow.on_sink_side(v), (largest >> v & 1) == 0) << seed;
    }
  }
}

TEST(MaxFlow, WithoutNodesOrEdgesNothingFlows) {
  EXPECT_EQ(MaxFlow(0).solve(), 0);
  MaxFlow two(2);
  two.add_terminal(0, 3, 0);
  two.add_terminal(1, 0, 3);
  EXPECT_EQ(two.solve(), 0);
  EXPECT_TRUE(two.on_source_side(0));
  EXPECT_TRUE(two.on_sink_side(1));
}

}  // namespace
}  // namespace croft::max_flow_test
