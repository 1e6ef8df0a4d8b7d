// Answers on networks whose worlds have been enumerated: exact ones in both readings of weights,
// and those of slice sampling.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "croft/inference/junction_tree.h"
#include "logic/sampling/mc_sat.h"
#include "reference_network.h"

namespace croft {
namespace {

void compare(const Reference& reference, WeightReading reading) {
  const Json& answer = answer_of(reference.json, reading);
  const AtomSpace space = reference.space();
  ClauseStore store = ground(space, {.reading = reading});
  add_open_atoms(space, store);
  const FactorGraph graph = graph_of(store);
  JunctionTree tree(graph, find_elimination_order(graph));
  if (answer.contains("unsatisfiable")) {
    EXPECT_EQ(tree.log_partition(), -std::numeric_limits<double>::infinity());
    return;
  }
  // The reference has 12 digits.
  const auto near = [](double value, double expected) {
    return std::abs(value - expected) <= 1e-9 * std::max(1., std::abs(expected));
  };
  const GraphMarginals marginals = tree.marginals();
  const double log_z = answer["log_z"].get<double>();
  EXPECT_PRED2(near, store.base() + marginals.log_partition, log_z);
  const Json& expected = marginals_of(reference.json, reading);
  std::size_t unobserved = 0;
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    if (store.key(a) == KeyMap::kFree) continue;
    ++unobserved;
    EXPECT_NEAR(marginals.variable[a][1], expected[space.name(store.key(a))].get<double>(), 1e-9)
        << space.name(store.key(a));
  }
  EXPECT_EQ(unobserved, expected.size());
  const BestAssignment best = tree.best();
  EXPECT_PRED2(near, store.base() + best.score, answer["map_log_weight"].get<double>());
  const std::vector<std::uint8_t> values(best.states.begin(), best.states.end());
  EXPECT_PRED2(near, store.score(values), answer["map_log_weight"].get<double>());
  EXPECT_PRED2(near, store.cost(values), answer["map_cost"].get<double>());
}

TEST(ReferenceNetworks, MarginalsLogPartitionAndBestStatesAreThoseOfEnumeration) {
  const auto data = data_folder() / "mln";
  if (!std::filesystem::is_directory(data))
    GTEST_SKIP() << "CROFT_DATA names the folder of the data";
  const std::size_t networks =
      for_references(data, [](const Reference& reference, const auto& name) {
        for (const WeightReading reading : {WeightReading::formula, WeightReading::clausal}) {
          SCOPED_TRACE(name.string() + ", " + std::string(name_of(reading)));
          compare(reference, reading);
        }
      });
  EXPECT_EQ(networks, 38u);
}

// Of 300 atoms or so some are more than three standard errors off, and none far more.
TEST(ReferenceNetworks, SliceSamplingIsWithinItsStandardErrors) {
  const auto data = data_folder() / "mln";
  if (!std::filesystem::is_directory(data))
    GTEST_SKIP() << "CROFT_DATA names the folder of the data";
  std::size_t atoms = 0, beyond_three = 0;
  for_references(data, [&](const Reference& reference, const auto& name) {
    SCOPED_TRACE(name.string());
    if (answer_of(reference.json, WeightReading::formula).contains("unsatisfiable")) return;
    const AtomSpace space = reference.space();
    ClauseStore store = ground(space);
    add_open_atoms(space, store);
    const McSatResult found = mc_sat(store, {.samples = 4000});
    const Json& expected = marginals_of(reference.json, WeightReading::formula);
    for (std::uint32_t a = 0; a < store.atoms(); ++a) {
      if (store.key(a) == KeyMap::kFree) continue;
      const double exact = expected[space.name(store.key(a))].template get<double>();
      const double off = std::abs(found.probabilities[a] - exact);
      ++atoms;
      if (off > 3 * found.standard_errors[a] + 1e-6) ++beyond_three;
      EXPECT_LE(off, 5 * found.standard_errors[a] + 1e-3) << space.name(store.key(a));
    }
  });
  EXPECT_LE(beyond_three, atoms / 50);
}

}  // namespace
}  // namespace croft
