#include "sql/logic/logic_learning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "core/json.h"
#include "logic/hard_conflict.h"
#include "logic/network_writer.h"
#include "logic/random_store.h"
#include "reference_network.h"
#include "sql/logic/learn/clause_objectives.h"
#include "sql/logic/learn/unit_counts.h"

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

// max over worlds of  atoms that differ + score - score(world).
double hinge_by_enumeration(ClauseStore& store, const std::vector<std::uint8_t>& world,
                            std::span<const double> w) {
  store.reweigh(w);
  double most = -HUGE_VAL;
  for (std::uint32_t number = 0; number < (1u << store.atoms()); ++number) {
    const std::vector<std::uint8_t> other = world_of(number, store.atoms());
    double cost = 0;
    for (std::size_t a = 0; a < other.size(); ++a) cost += other[a] != world[a] ? 1 : 0;
    most = std::max(most, cost + store.score(other) - store.score(world));
  }
  return most;
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
    ClauseLikelihood likelihood(sample.store, false_counts(sample.store, sample.world, 3), 1e9);
    expect_value_and_gradient(
        likelihood, [&](const auto& w) { return by_enumeration(sample.store, sample.world, w); },
        random);
    ClauseHinge hinge(sample.store, sample.world, 3, 1e9, 1);
    EXPECT_TRUE(hinge.is_exact());
    expect_value_and_gradient(
        hinge, [&](const auto& w) { return hinge_by_enumeration(sample.store, sample.world, w); },
        random);
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
    const LearnedNetwork learned = learn_weights(network, {&facts, 1}, open, options);
    EXPECT_EQ(learned.ground_atoms, 16u);
    EXPECT_TRUE(learned.result.converged()) << learned.result.message;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(learned.weights[i], expected[key]["weights"][i].template get<double>(), 1e-5);
      EXPECT_EQ(learned.network.rules[i].weight, learned.weights[i]);
    }
    EXPECT_NEAR(*learned.log_likelihood, expected[key][value].template get<double>(), 1e-8);
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
  const LearnedNetwork learned = learn_weights(network, {&facts, 1}, {true, false});
  ASSERT_EQ(learned.network.rules.size(), 3u);
  EXPECT_NEAR(learned.network.rules[0].weight, std::log(1. / 3), 1e-5);
  EXPECT_NEAR(learned.network.rules[1].weight, std::log(3.), 1e-5);
  const std::string text = write_network(learned.network);
  EXPECT_NE(text.find("P(x, A)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Q(x).\n"), std::string::npos) << text;
}

TEST(LogicLearning, SlicesAndTheirVariancesLeadToTheOptimum) {
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
  using enum LogicObjective;
  for (const LogicObjective each :
       {contrastive_divergence, diagonal_newton, scaled_conjugate_gradient}) {
    SCOPED_TRACE(name_of(each));
    LogicLearnOptions options{.objective = each};
    if (each == contrastive_divergence) options.settings = {{"chains", "16"}};
    const LearnedNetwork learned = learn_weights(network, {&facts, 1}, open, options);
    EXPECT_NEAR(learned.weights[0], 0, 0.1);
    EXPECT_NEAR(learned.weights[1], 0.478738, 0.05);
    EXPECT_EQ(learned.result.converged(), each != contrastive_divergence) << learned.result.message;
  }
}

// Smokers' friends: a world of three people, of whom the third's smoking is not known.
struct Town {
  LogicNetwork network = parse_network(read_logic_tokens(LineReader(
      std::string_view("F(p, p)\nS(p)\nC(p)\n0.3 S(x) => C(x)\n0.5 F(x, y) => (S(x) <=> S(y))\n"),
      "t.mln")));
  LogicEvidence facts{network};
  std::vector<bool> open{false, true, true};
  explicit Town(std::string_view text = "F(A, B)\nF(B, D)\nF(A, D)\nS(A)\nC(A)\nC(D)\n!S(B)\n") {
    add_evidence(network, read_fact_tokens(LineReader(text, "t.db")), facts);
  }
};

TEST(LogicLearning, CountsOfTheRestAndTheConstantAreThoseOfTheWhole) {
  Random random(5);
  int checked = 0;
  for (int round = 0; round < 60; ++round) {
    Sample sample(random, round % 2 == 0);
    if (!sample.is_usable()) continue;
    std::vector<std::uint8_t> known = sample.world;
    for (std::uint8_t& each : known) {
      if (random.below(2) == 0) each = kUndecided;
    }
    const RestrictedStore rest = restrict_store(sample.store, known, 3);
    for (std::uint32_t number = 0; number < (1u << rest.whole.size()); ++number) {
      std::vector<std::uint8_t> world = known;
      const std::vector<std::uint8_t> values = world_of(number, rest.whole.size());
      for (std::size_t a = 0; a < values.size(); ++a) world[rest.whole[a]] = values[a];
      const bool allowed = !std::isinf(sample.store.score(world));
      ASSERT_EQ(allowed, !std::isinf(rest.store.score(values)));
      if (!allowed) continue;
      const std::vector<double> whole = false_counts(sample.store, world, 3);
      const std::vector<double> part = false_counts(rest.store, values, 3);
      for (std::size_t u = 0; u < 3; ++u) {
        ASSERT_NEAR(whole[u], rest.constant[u] + part[u], 1e-12);
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(LogicLearning, HiddenAtomsAreSummedOut) {
  const Town town;
  // D's smoking is not known: log p(known) by both its values, with the weights that EM found.
  LogicLearnOptions options{.objective = LogicObjective::likelihood, .l2 = 0.5};
  options.hidden = {false, true, false};
  const LearnedNetwork learned = learn_weights(town.network, {&town.facts, 1}, town.open, options);
  EXPECT_TRUE(learned.result.converged()) << learned.result.message;
  const auto log_likelihood = [&](const std::vector<double>& w) {
    const auto log_p = [&](bool smokes) {
      Town whole("F(A, B)\nF(B, D)\nF(A, D)\nS(A)\nC(A)\nC(D)\n" +
                 std::string(smokes ? "S(D)\n" : ""));
      LogicNetwork network = whole.network;
      for (std::size_t r = 0; r < 2; ++r) network.rules[r].weight = w[r];
      LogicLearnOptions fixed{
          .objective = LogicObjective::likelihood, .l2 = 1e12, .prior_as_written = true};
      return *learn_weights(network, {&whole.facts, 1}, whole.open, fixed).log_likelihood;
    };
    return std::log(std::exp(log_p(false)) + std::exp(log_p(true)));
  };
  EXPECT_NEAR(*learned.log_likelihood, log_likelihood(learned.weights), 1e-6);
  for (std::size_t u = 0; u < 2; ++u) {
    std::vector<double> up = learned.weights, down = learned.weights;
    up[u] += 1e-4;
    down[u] -= 1e-4;
    const double slope = (log_likelihood(up) - log_likelihood(down)) / 2e-4;
    EXPECT_NEAR(slope, options.l2 * learned.weights[u], 1e-3);
  }
  // The same by draws.
  options.objective = LogicObjective::diagonal_newton;
  const LearnedNetwork drawn = learn_weights(town.network, {&town.facts, 1}, town.open, options);
  for (std::size_t u = 0; u < 2; ++u) EXPECT_NEAR(drawn.weights[u], learned.weights[u], 0.1);
  options.objective = LogicObjective::perceptron;
  EXPECT_THROW(learn_weights(town.network, {&town.facts, 1}, town.open, options), UsageError);
}

// The clauses of a town, and the truth of their atoms in its facts.
std::pair<ClauseStore, std::vector<std::uint8_t>> ground_world(const Town& town) {
  const AtomSpace space(town.network, town.facts, town.open);
  LogicNetwork unit = town.network;
  for (LogicRule& rule : unit.rules) rule.weight = 1;
  LogicEvidence asked = town.facts;
  asked.predicates[1] = asked.predicates[2] = LogicFacts();
  ClauseStore store = ground(AtomSpace(unit, asked, town.open));
  std::vector<std::uint8_t> world(store.atoms());
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    world[a] = space.truth(space.predicate_of(store.key(a)), store.key(a)) == Truth::yes ? 1 : 0;
  }
  return {std::move(store), std::move(world)};
}

TEST(LogicLearning, TheLargestMarginIsReachedWithinItsGap) {
  const Town town;
  const LogicLearnOptions options{.objective = LogicObjective::max_margin, .l2 = 0.5};
  const LearnedNetwork learned = learn_weights(town.network, {&town.facts, 1}, town.open, options);
  EXPECT_TRUE(learned.result.converged()) << learned.result.message;
  // By all worlds: no point of a grid is lower.
  auto [store, world] = ground_world(town);
  const auto objective = [&, &clauses = store, &truth = world](const std::vector<double>& w) {
    return hinge_by_enumeration(clauses, truth, w) + 0.25 * (w[0] * w[0] + w[1] * w[1]);
  };
  const double found = objective(learned.weights);
  EXPECT_NEAR(found, learned.result.objective, 1e-9);
  for (double a = -3; a <= 3; a += 0.25) {
    for (double b = -3; b <= 3; b += 0.25) EXPECT_LE(found, objective({a, b}) + 1e-5);
  }
  EXPECT_THROW(learn_weights(town.network, {&town.facts, 1}, town.open,
                             {.objective = LogicObjective::max_margin}),
               UsageError);
}

TEST(LogicLearning, ThePerceptronFindsWeightsUnderWhichTheWorldIsTheBestOne) {
  const auto as_good_as_its_own = [](const char* facts) {
    const Town town(facts);
    const LearnedNetwork learned = learn_weights(town.network, {&town.facts, 1}, town.open,
                                                 {.objective = LogicObjective::perceptron});
    EXPECT_FALSE(learned.log_likelihood.has_value());
    auto [store, world] = ground_world(town);
    store.reweigh(learned.weights);
    const double own = store.score(world);
    std::size_t as_good = 0;
    for (std::uint32_t number = 0; number < (1u << store.atoms()); ++number) {
      const double other = store.score(world_of(number, store.atoms()));
      EXPECT_LE(other, own + 1e-12) << facts;
      if (other > own - 1e-12) ++as_good;
    }
    return as_good;
  };
  // No rule is broken: the first guess makes no mistake, and no step is taken.
  EXPECT_EQ(as_good_as_its_own("F(A, B)\nF(D, E)\nS(A)\nS(B)\nC(A)\nC(B)\nC(D)\nC(E)\n"), 256u);
  // All smoke and none is ill: one rule has to be false everywhere.
  EXPECT_EQ(as_good_as_its_own("F(A, B)\nF(D, E)\nS(A)\nS(B)\nS(D)\nS(E)\n"), 1u);
}

TEST(LogicLearning, WorldsAddUpAndShareTheConstantsOfWeights) {
  LogicNetwork network = parse_network(
      read_logic_tokens(LineReader(std::string_view("P(u, t)\nQ(u)\nP(x, +y)\nQ(x).\n"), "t.mln")));
  const auto read = [&] {
    std::vector<LogicEvidence> worlds(2, LogicEvidence(network));
    const std::string_view texts[] = {"Q(U1)\nP(U1, A)\nP(U1, B)\n",
                                      "Q(U2)\nQ(U3)\nQ(U4)\nP(U2, B)\nP(U3, B)\n"};
    for (std::size_t i = 0; i < 2; ++i) {
      add_evidence(network, read_fact_tokens(LineReader(texts[i], "t.db")), worlds[i]);
    }
    return worlds;
  };
  EXPECT_THROW(learn_weights(network, read(), {true, false}), UsageError);
  share_constants(network, read());
  const LearnedNetwork learned = learn_weights(network, read(), {true, false});
  // A holds of one of four, B of three; a hard rule has no weight.
  ASSERT_EQ(learned.weights.size(), 2u);
  EXPECT_NEAR(learned.weights[0], std::log(1. / 3), 1e-5);
  EXPECT_NEAR(learned.weights[1], std::log(3.), 1e-5);
}

TEST(LogicLearning, AWeightThatGrowsWithoutEndIsNamed) {
  const LogicNetwork network = parse_network(
      read_logic_tokens(LineReader(std::string_view("P(t)\nP(x)\n1.5 P(x) v !P(x)\n"), "t.mln")));
  LogicEvidence facts(network);
  add_evidence(network, read_fact_tokens(LineReader(std::string_view("P(A)\nP(B)\n"), "t.db")),
               facts);
  const LearnedNetwork learned = learn_weights(network, {&facts, 1}, {true});
  ASSERT_EQ(learned.warnings.size(), 1u);
  EXPECT_NE(learned.warnings[0].text().find("t.mln:2:1"), std::string::npos);
  EXPECT_NE(learned.warnings[0].text().find("--l2"), std::string::npos);
  const LearnedNetwork bounded = learn_weights(network, {&facts, 1}, {true}, {.l2 = 0.1});
  EXPECT_TRUE(bounded.warnings.empty());
  // Much of a penalty around what is written leaves that.
  const LearnedNetwork as_written =
      learn_weights(network, {&facts, 1}, {true}, {.l2 = 1e9, .prior_as_written = true});
  EXPECT_NEAR(as_written.weights[1], 1.5, 1e-6);
}

}  // namespace
}  // namespace croft
