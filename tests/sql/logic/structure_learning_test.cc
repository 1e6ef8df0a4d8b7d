#include "sql/logic/learn/structure_learning.h"

#include <gtest/gtest.h>

#include <string>

#include "croft/core/random.h"
#include "logic/network_parser.h"
#include "logic/random_store.h"
#include "sql/logic/learn/clause_objectives.h"

namespace croft {
namespace {

// P(y) almost surely where R(x, y) and Q(x) for some x, else hardly ever.
std::string planted_facts(Random& random, int people) {
  std::string facts;
  std::vector<bool> has_q(static_cast<std::size_t>(people));
  const auto name = [](int i) { return "C" + std::to_string(i); };
  for (int i = 0; i < people; ++i) {
    has_q[static_cast<std::size_t>(i)] = random.below(2) == 0;
    if (has_q[static_cast<std::size_t>(i)]) facts += "Q(" + name(i) + ")\n";
    facts += "Likes(" + name(i) + ", " +
             name(static_cast<int>(random.below(static_cast<std::uint64_t>(people)))) + ")\n";
  }
  for (int y = 0; y < people; ++y) {
    bool caused = false;
    for (int k = 0; k < 2; ++k) {
      const auto x = random.below(static_cast<std::uint64_t>(people));
      facts += "R(" + name(static_cast<int>(x)) + ", " + name(y) + ")\n";
      caused = caused || has_q[x];
    }
    if (random.uniform() < (caused ? 0.95 : 0.05)) facts += "P(" + name(y) + ")\n";
  }
  return facts;
}

TEST(StructureLearning, FindsTheClauseThatMadeTheData) {
  Random random(3);
  const LogicNetwork network = parse_network(read_logic_tokens(
      LineReader(std::string_view("R(t, t)\nLikes(t, t)\nQ(t)\nP(t)\n"), "t.mln")));
  LogicEvidence facts(network);
  add_evidence(network, read_fact_tokens(LineReader(planted_facts(random, 60), "t.db")), facts);
  std::vector<bool> open(4, false);
  open[network.predicate_names.find("P")] = true;
  const LearnedStructure learned =
      learn_structure(network, facts, open, {.literals = 3, .variables = 2, .clauses = 2});
  ASSERT_GE(learned.steps.size(), 2u);
  EXPECT_EQ(learned.steps[1].clause, "P(x) v !R(y, x) v !Q(y)");
  EXPECT_GT(learned.steps[1].weight, 0.5);
  EXPECT_GT(learned.steps[1].log_pseudo_likelihood, learned.steps[0].log_pseudo_likelihood + 3);
  EXPECT_EQ(learned.network.rules[0].text, "P(x)");
  EXPECT_GT(learned.looked_at, 10u);
}

TEST(StructureLearning, AGainIsWhatTheWeightAloneGivesAtItsBest) {
  Random random(41);
  int usable = 0;
  for (int round = 0; round < 30; ++round) {
    constexpr std::uint32_t kAtoms = 6;
    ClauseStore store;
    for (std::uint64_t key = 0; key < kAtoms; ++key) store.atom(key);
    std::vector<std::uint32_t> literals;
    for (int i = 0; i < 14; ++i) {
      literals.clear();
      for (int k = 0; k < 2; ++k)
        literals.push_back(static_cast<std::uint32_t>(random.below(2 * kAtoms)));
      store.add(literals, 1, static_cast<std::uint32_t>(random.below(3)), 1);
    }
    const std::uint32_t block[] = {0, 1, 2};
    if (round % 2 == 0) store.add_block(block, false);
    std::vector<std::uint8_t> world =
        world_of(static_cast<std::uint32_t>(random.below(1u << kAtoms)), kAtoms);
    if (round % 2 == 0) world[0] = world[1] = 0;
    const std::vector<double> w{random.normal()};
    const double l2 = 0.3;
    const std::vector<double> gains = pseudo_likelihood_gains(store, world, w, 2, l2);
    const auto function = clause_pseudo_likelihood(store, world, 3);
    std::vector<double> gradient(3);
    const double now = function->evaluate(std::vector<double>{w[0], 0, 0}, gradient);
    for (std::size_t c = 0; c < 2; ++c) {
      double best = now;
      for (double v = -12; v <= 12; v += 0.01) {
        std::vector<double> at{w[0], 0, 0};
        at[1 + c] = v;
        best = std::min(best, function->evaluate(at, gradient) + l2 / 2 * v * v);
      }
      EXPECT_NEAR(gains[c], now - best, 1e-3);
      if (gains[c] > 0.1) ++usable;
    }
  }
  EXPECT_GT(usable, 10);
}

TEST(StructureLearning, RefusesWhatItCannotLearn) {
  const LogicNetwork network = parse_network(
      read_logic_tokens(LineReader(std::string_view("t = {A}\nP(t)\n1 P(+x)\n"), "t.mln")));
  const LogicEvidence facts(network);
  EXPECT_THROW(learn_structure(network, facts, {true}), InputError);
  EXPECT_THROW(learn_structure(network, facts, {true}, {.l2 = 0}), UsageError);
}

}  // namespace
}  // namespace croft
