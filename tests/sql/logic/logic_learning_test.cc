#include "sql/logic/logic_learning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "core/json.h"
#include "logic/network_writer.h"
#include "logic/random_store.h"
#include "reference_network.h"
#include "sql/logic/clause_objectives.h"

namespace croft {
namespace {

// Clauses with the shares of three units, and a world that keeps the hard ones.
struct Sample {
  ClauseStore store;
  std::vector<std::uint8_t> world;

  Sample(Random& random, bool with_block) {
    constexpr std::uint32_t kAtoms = 7;
    for (std::uint64_t key = 0; key < kAtoms; ++key) store.atom(key);
    std::vector<std::uint32_t> literals;
    for (int i = 0; i < 20; ++i) {
      literals.clear();
      const auto size = 1 + random.below(3);
      for (std::uint64_t k = 0; k < size; ++k) {
        literals.push_back(static_cast<std::uint32_t>(random.below(2 * kAtoms)));
      }
      const auto unit = static_cast<std::uint32_t>(random.below(3));
      const double factor = random.below(4) == 0 ? -1 : 0.5 * (1 + random.below(3));
      const bool hard = size == 3 && random.below(3) == 0;
      store.add(literals, hard ? kHardWeight : factor, unit, factor);
    }
    const std::uint32_t block[] = {0, 3, 5};
    if (with_block) store.add_block(block, random.below(2) == 0);
    for (std::uint32_t number = 0; number < (1u << kAtoms); ++number) {
      world = world_of(number, kAtoms);
      if (!std::isinf(store.score(world)) && random.below(3) == 0) return;
    }
  }
  bool is_usable() const { return !std::isinf(store.score(world)); }
};

// - log p(world) by all worlds.
double by_enumeration(ClauseStore& store, const std::vector<std::uint8_t>& world,
                      std::span<const double> w) {
  store.reweigh(w);
  double sum = 0;
  for (std::uint32_t number = 0; number < (1u << store.atoms()); ++number) {
    sum += std::exp(store.score(world_of(number, store.atoms())) - store.score(world));
  }
  return std::log(sum);
}

// - sum of log p(atom | others), of a block all its values together.
double pseudo_by_enumeration(ClauseStore& store, const std::vector<std::uint8_t>& world,
                             std::span<const double> w) {
  store.reweigh(w);
  const std::span<const std::uint32_t> block =
      store.blocks() > 0 ? store.block(0).atoms : std::span<const std::uint32_t>();
  const auto term = [&](std::uint32_t within) {  // bits of the atoms that may differ
    double sum = 0;
    for (std::uint32_t number = 0; number < (1u << store.atoms()); ++number) {
      const std::vector<std::uint8_t> other = world_of(number, store.atoms());
      bool same = true;
      for (std::size_t a = 0; a < other.size(); ++a) {
        same = same && (other[a] == world[a] || (within >> a & 1) != 0);
      }
      if (same) sum += std::exp(store.score(other) - store.score(world));
    }
    return std::log(sum);
  };
  double value = 0;
  std::uint32_t in_block = 0;
  for (const std::uint32_t atom : block) in_block |= 1u << atom;
  if (in_block != 0) value += term(in_block);
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    if ((in_block >> a & 1) == 0) value += term(1u << a);
  }
  return value;
}

template <class Value>
void expect_value_and_gradient(BatchFunction& function, const Value& expected, Random& random) {
  std::vector<double> w(3), gradient(3), other(3);
  for (double& each : w) each = random.normal();
  EXPECT_NEAR(function.evaluate(w, gradient), expected(w), 1e-9);
  for (std::size_t u = 0; u < 3; ++u) {
    std::vector<double> up = w, down = w;
    up[u] += 1e-5;
    down[u] -= 1e-5;
    const double central = (function.evaluate(up, other) - function.evaluate(down, other)) / 2e-5;
    EXPECT_NEAR(gradient[u], central, 1e-6);
  }
}

TEST(ClauseObjectives, ValuesAreThoseOfAllWorldsAndGradientsTheirDifferences) {
  Random random(23);
  int usable = 0;
  for (int round = 0; round < 40; ++round) {
    Sample sample(random, round % 2 == 0);
    if (!sample.is_usable()) continue;
    SCOPED_TRACE(round);
    ++usable;
    expect_value_and_gradient(
        *clause_pseudo_likelihood(sample.store, sample.world, 3),
        [&](const auto& w) { return pseudo_by_enumeration(sample.store, sample.world, w); },
        random);
    expect_value_and_gradient(
        *clause_likelihood(sample.store, sample.world, 3, 1e9),
        [&](const auto& w) { return by_enumeration(sample.store, sample.world, w); }, random);
  }
  EXPECT_GT(usable, 20);
}

TEST(LogicLearning, FriendsAndSmokersHaveTheWeightsOfTheReference) {
  const auto data = data_folder() / "mln";
  if (!std::filesystem::is_directory(data))
    GTEST_SKIP() << "CROFT_DATA names the folder of the data";
  const Json all = Reference::parse(data / "reference" / "learning_friends_smokers.json");
  const Json& expected = all["friends_smokers:formula"];
  const LogicNetwork network = read_network((data / expected["mln"].string()).string());
  LogicEvidence facts(network);
  add_evidence(network, read_fact_tokens(LineReader((data / expected["train"].string()).string())),
               facts);
  std::vector<bool> open(network.predicates.size(), false);
  open[network.predicate_names.find("Smokes")] = true;
  open[network.predicate_names.find("Cancer")] = true;
  const auto compare = [&](const LogicLearnOptions& options, const char* key, const char* value) {
    const LearnedNetwork learned = learn_weights(network, facts, open, options);
    EXPECT_EQ(learned.ground_atoms, 16u);
    EXPECT_TRUE(learned.result.converged()) << learned.result.message;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(learned.weights[i], expected[key]["weights"][i].template get<double>(), 1e-5);
      EXPECT_EQ(learned.network.rules[i].weight, learned.weights[i]);
    }
    EXPECT_NEAR(learned.log_likelihood, expected[key][value].template get<double>(), 1e-8);
  };
  compare({}, "pseudo_likelihood_ml", "log_pseudo_likelihood");
  compare({.objective = LogicObjective::likelihood}, "cll_ml", "log_likelihood");
  compare({.l2 = 1e-4}, "pseudo_likelihood_gaussian_prior_sd100",
          "log_pseudo_likelihood_without_prior");
  compare({.objective = LogicObjective::likelihood, .l2 = 0.25}, "cll_gaussian_prior_sd2",
          "log_likelihood_without_prior");
}

TEST(LogicLearning, AWeightForEachConstantIsARuleOfItsOwn) {
  const LogicNetwork network = parse_network(read_logic_tokens(
      LineReader(std::string_view("t = {A, B}\nP(u, t)\nQ(u)\nP(x, +y)\nQ(x).\n"), "t.mln")));
  LogicEvidence facts(network);
  // A holds of one of four, B of three.
  add_evidence(network,
               read_fact_tokens(LineReader(
                   std::string_view("P(U1, A)\nP(U1, B)\nP(U2, B)\nP(U3, B)\nQ(U1)\nQ(U2)\nQ(U3)\n"
                                    "Q(U4)\n"),
                   "t.db")),
               facts);
  const LearnedNetwork learned = learn_weights(network, facts, {true, false});
  ASSERT_EQ(learned.network.rules.size(), 3u);
  EXPECT_NEAR(learned.network.rules[0].weight, std::log(1. / 3), 1e-5);
  EXPECT_NEAR(learned.network.rules[1].weight, std::log(3.), 1e-5);
  const std::string text = write_network(learned.network);
  EXPECT_NE(text.find("P(x, A)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Q(x).\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace croft
