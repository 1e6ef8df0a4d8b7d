#include "bugs/samplers/sampler_runs.h"
#include "bugs/samplers/single_site.h"

namespace croft::bugs::finite_block_test {
namespace {

using Id = DistributionId;

// a -> b, and both with c the parents of an observed y that holds where a + b = c: single draws
// would never leave a state.
struct Locked {
  ModelBuilder m;
  NodeId a, b, c;
  Locked() {
    a = m.node(Id::bernoulli, m.numbers({0.3}));
    const Slot p =
        m.operation(Function::add,
                    {m.number(0.2), m.operation(Function::multiply, {m.number(0.5), m.slot(a)})});
    b = m.node(Id::bernoulli, {p});
    c = m.node(Id::binomial, m.numbers({0.4, 2}));
    const Slot sum = m.operation(Function::add, {m.slot(a), m.slot(b)});
    m.node(Id::bernoulli, {m.operation(Function::equals, {sum, m.slot(c)})}, {1});
    m.graph.finish();
  }
};

TEST(FiniteBlock, DrawsItsJointLaw) {
  const Locked model;
  const std::vector<Slot> kept = {model.m.slot(model.a), model.m.slot(model.b),
                                  model.m.slot(model.c)};
  const SampledRun run =
      run_samplers(model.m.graph, {{kept[0], 0}, {kept[1], 0}, {kept[2], 0}}, kept, 0, 40000, 1, 3);
  EXPECT_EQ(run.samplers, std::vector<std::string>{"finite block"});
  // By enumeration of a and b; c is their sum.
  const double of_c[] = {0.36, 0.48, 0.16};
  double total = 0, expected[2][2];
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const double p = 0.2 + 0.5 * a;
      total += expected[a][b] = (a == 1 ? 0.3 : 0.7) * (b == 1 ? p : 1 - p) * of_c[a + b];
    }
  }
  double found[2][2] = {};
  for (std::size_t i = 0; i < run.draws[0].size(); ++i) {
    EXPECT_EQ(run.draws[0][i] + run.draws[1][i], run.draws[2][i]);
    found[static_cast<int>(run.draws[0][i])][static_cast<int>(run.draws[1][i])] += 1.0 / 40000;
  }
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const double p = expected[a][b] / total;
      EXPECT_NEAR(found[a][b], p, 4.5 * std::sqrt(p * (1 - p) / 40000));
    }
  }
}

TEST(FiniteBlock, HasNoMoreThanTwelveStates) {
  ModelBuilder m;
  std::vector<NodeId> nodes;
  std::vector<Slot> slots;
  for (int k = 0; k < 4; ++k) {
    nodes.push_back(m.node(Id::bernoulli, m.numbers({0.3})));
    slots.push_back(m.slot(nodes.back()));
  }
  const Slot sum = m.operation(Function::sum, slots);
  m.node(Id::normal, {sum, m.number(1)}, {2.5});
  m.graph.finish();
  EXPECT_EQ(make_finite_block(m.graph, nodes), nullptr);
  std::vector<std::pair<Slot, double>> start;
  for (const Slot s : slots) start.emplace_back(s, 0);
  const SampledRun run = run_samplers(m.graph, start, {sum}, 100, 20000, 1, 4);
  EXPECT_EQ(run.samplers, (std::vector<std::string>{"finite block", "finite"}));
  // The number of ones is binomial, times the normal density.
  double total = 0, mean = 0;
  for (int k = 0; k <= 4; ++k) {
    const double p =
        std::exp(std::lgamma(5) - std::lgamma(k + 1) - std::lgamma(5 - k) + k * std::log(0.3) +
                 (4 - k) * std::log(0.7) - 0.5 * (k - 2.5) * (k - 2.5));
    total += p;
    mean += k * p;
  }
  const double found = std::accumulate(run.draws[0].begin(), run.draws[0].end(), 0.0) / 20000;
  EXPECT_NEAR(found, mean / total, 0.03);
}

}  // namespace
}  // namespace croft::bugs::finite_block_test
