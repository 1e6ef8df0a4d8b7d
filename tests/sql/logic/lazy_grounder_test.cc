// Lazy grounding against full grounding.
#include "sql/logic/lazy_grounder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "logic/network_parser.h"
#include "sql/logic/lazy_mc_sat.h"
#include "sql/logic/logic_question.h"
#include "support/message_of.h"

namespace croft {
namespace {

struct LazyCase {
  std::string text;
  LogicNetwork network;
  LogicEvidence evidence;
  AtomSpace space;

  LazyCase(const std::string& rules, const std::string& facts)
      : text(rules + facts),
        network(parse_network(read_logic_tokens(LineReader(rules, "t.mln")))),
        evidence(facts_of(network, facts)),
        space(network, evidence, open_of(network)) {}
  LazyCase(const LazyCase&) = delete;

  static LogicEvidence facts_of(const LogicNetwork& network, const std::string& facts) {
    LogicEvidence evidence(network);
    add_evidence(network, read_fact_tokens(LineReader(facts, "t.db")), evidence);
    return evidence;
  }
  // All but E.
  static std::vector<bool> open_of(const LogicNetwork& network) {
    std::vector<bool> open(network.predicates.size(), true);
    const std::uint32_t closed = network.predicate_names.find("E");
    if (closed != kNoNumber) open[closed] = false;
    return open;
  }
};

const std::vector<std::string> kLazyRules = {
    "P(x) => Q(x)",
    "E(x, y) ^ P(x) => P(y)",
    "R(x, y) ^ R(y, z) => R(x, z)",
    "R(x, y) => R(y, x)",
    "E(x, y) => R(x, y)",
    "P(x) v Q(x)",
    "!P(x)",
    "!Q(x)",
    "!R(x, y)",
    "P(x) ^ Q(x)",
    "P(x) <=> Q(x)",
    "R(x, y) ^ P(x) => Q(y)",
    "R(x, y) => x = y",
    "Q(x) => (EXIST y R(x, y))",
    "(EXIST y R(x, y)) => P(x)",
    "P(A)",
    "!R(A, y)",
    "R(x, x)",
    "R(x, y) v P(y)",
};

// Rules of the list with weights of both signs; now and then a hard one.
std::string lazy_random_rules(Random& random, bool held) {
  std::string out = "t = {A, B}\nE(t, t)\nP(t)\nQ(t)\nR(t, t)\n";
  const std::size_t count = 1 + random.below(5);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& rule = kLazyRules[random.below(kLazyRules.size())];
    const bool hard = random.below(6) == 0 && rule.find("=>") != rule.npos &&
                      rule.find("<=>") == rule.npos && rule[0] != 'E';
    const double weight = std::round(100 * random.normal()) / 50;
    out += hard ? rule + ".\n" : std::to_string(weight) + " " + rule + "\n";
  }
  if (held) out += "0.7 !R(x, y)\n1.1 !P(x)\n";
  return out;
}

std::string lazy_random_facts(Random& random) {
  std::string out;
  for (const char* atom : {"E(A, B)", "E(B, A)", "P(A)", "R(A, B)", "!R(B, A)", "!Q(B)"}) {
    if (random.below(4) == 0) out += std::string(atom) + "\n";
  }
  return out;
}

std::vector<std::uint64_t> lazy_unknown_atoms(const AtomSpace& space) {
  std::vector<std::uint64_t> keys;
  for (std::uint32_t p = 0; p < space.network().predicates.size(); ++p) {
    for (std::uint64_t i = 0; i < space.atoms(p); ++i) {
      if (space.truth(p, space.first(p) + i) == Truth::unknown) keys.push_back(space.first(p) + i);
    }
  }
  return keys;
}

// Of the store, in the world of the bits of all unknown atoms.
double lazy_score_of(const ClauseStore& store, const std::vector<std::uint64_t>& keys,
                     std::size_t world) {
  std::vector<std::uint8_t> values(store.atoms(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint32_t atom = store.find_atom(keys[i]);
    if (atom != KeyMap::kNone) values[atom] = world >> i & 1;
  }
  double score = store.score(values);
  for (std::size_t c = 0; c < store.clauses(); ++c) {  // score() has inf - inf of two hard ones
    const auto clause = store.literals(c);
    const bool is_false = std::ranges::none_of(
        clause, [&](std::uint32_t l) { return (values[l / 2] != 0) != ((l & 1) != 0); });
    if (store.is_hard(c) && is_false) score = -std::numeric_limits<double>::infinity();
  }
  return score;
}

// None where the evidence contradicts a hard rule.
std::optional<ClauseStore> ground_or_none(const AtomSpace& space, const GroundOptions& options) {
  try {
    return ground(space, options);
  } catch (const Error&) {
    EXPECT_THROW(LazyGrounder(space, options, LazyGrounder::For::best), Error);
    return {};
  }
}

InferRequest request_for(GraphTask task) {
  InferRequest request;
  request.task = task;
  return request;
}

RC_GTEST_PROP(LazyGrounder, WorldsWithoutTrueAtomsOutsideTheClosureScoreTheSame, ()) {
  Random random(*rc::gen::inRange<std::uint64_t>(0, 1'000'000));
  const LazyCase in(lazy_random_rules(random, random.below(2) == 0), lazy_random_facts(random));
  for (const WeightReading reading : {WeightReading::formula, WeightReading::clausal}) {
    const GroundOptions options{.reading = reading};
    const std::optional<ClauseStore> ground_store = ground_or_none(in.space, options);
    RC_PRE(ground_store.has_value());
    const ClauseStore& full = *ground_store;
    const LazyGrounder lazy(in.space, options, LazyGrounder::For::best);
    const std::vector<std::uint64_t> keys = lazy_unknown_atoms(in.space);
    double best = -std::numeric_limits<double>::infinity(), best_lazy = best;
    for (std::size_t world = 0; world < std::size_t{1} << keys.size(); ++world) {
      const double score = lazy_score_of(full, keys, world);
      best = std::max(best, score);
      bool within = true;
      for (std::size_t i = 0; i < keys.size() && within; ++i) {
        within = (world >> i & 1) == 0 || lazy.closure().find_atom(keys[i]) != KeyMap::kNone;
      }
      if (!within) continue;
      const double lazily = lazy_score_of(lazy.closure(), keys, world);
      best_lazy = std::max(best_lazy, lazily);
      RC_LOG() << in.text;
      RC_ASSERT(lazily == score || std::abs(lazily - score) < 1e-9);
    }
    RC_ASSERT(best == best_lazy || std::abs(best - best_lazy) < 1e-9);
    RC_ASSERT(std::abs(full.most() - lazy.closure().most()) < 1e-9);
  }
}

// The clauses of some atoms beside the closure say what full grounding says, but for what holds
// them.
RC_GTEST_PROP(LazyGrounder, ClausesBesideTheClosureDifferByWhatHoldsTheirAtoms, ()) {
  Random random(*rc::gen::inRange<std::uint64_t>(0, 1'000'000));
  const LazyCase in(lazy_random_rules(random, true), lazy_random_facts(random));
  const GroundOptions options;
  const std::optional<ClauseStore> ground_store = ground_or_none(in.space, options);
  RC_PRE(ground_store.has_value());
  const ClauseStore& full = *ground_store;
  LazyGrounder lazy(in.space, options, LazyGrounder::For::draws);
  const std::vector<std::uint64_t> keys = lazy_unknown_atoms(in.space);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint64_t> beside;
    std::size_t allowed = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool in_closure = lazy.closure().find_atom(keys[i]) != KeyMap::kNone;
      RC_ASSERT(in_closure || lazy.held(in.space.predicate_of(keys[i])) > 0);
      const bool taken = !in_closure && random.below(2) == 0;
      if (taken) beside.push_back(keys[i]);
      if (in_closure || taken) allowed |= std::size_t{1} << i;
    }
    const ClauseStore store = lazy.with(beside);
    for (std::size_t world = 0; world < std::size_t{1} << keys.size(); ++world) {
      if ((world & ~allowed) != 0) continue;
      double held = 0;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool is_beside = std::find(beside.begin(), beside.end(), keys[i]) != beside.end();
        if (is_beside && (world >> i & 1) != 0) held += lazy.held(in.space.predicate_of(keys[i]));
      }
      const double expected = lazy_score_of(full, keys, world);
      const double found = lazy_score_of(store, keys, world) - held;
      RC_ASSERT(expected == found || std::abs(expected - found) < 1e-9);
    }
  }
}

TEST(LazyGrounder, DrawsThatGroundAsTheyGoHaveTheTrueMarginals) {
  Random random(17);
  std::size_t atoms = 0, beside = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const LazyCase in(lazy_random_rules(random, true), lazy_random_facts(random));
    const GroundOptions options;
    std::optional<ClauseStore> ground_store = ground_or_none(in.space, options);
    if (!ground_store) continue;
    ClauseStore& full = *ground_store;
    const std::vector<std::uint64_t> keys = lazy_unknown_atoms(in.space);
    for (const std::uint64_t key : keys) full.atom(key);
    std::vector<double> sums(keys.size(), 0);
    double total = 0;
    for (std::size_t world = 0; world < std::size_t{1} << keys.size(); ++world) {
      const double weight = std::exp(lazy_score_of(full, keys, world) - full.base());
      total += weight;
      for (std::size_t i = 0; i < keys.size(); ++i) sums[i] += (world >> i & 1) != 0 ? weight : 0;
    }
    if (total == 0) continue;
    const McSatResult found =
        lazy_mc_sat(in.space, full, options, {.samples = 4000, .seed = 3}, {});
    const LazyGrounder lazy(in.space, options, LazyGrounder::For::draws);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t atom = full.find_atom(keys[i]);
      ++atoms;
      if (lazy.closure().find_atom(keys[i]) == KeyMap::kNone) ++beside;
      EXPECT_NEAR(found.probabilities[atom], sums[i] / total,
                  4.5 * found.standard_errors[atom] + 0.01)
          << "trial " << trial << ", " << in.space.name(keys[i]);
    }
  }
  EXPECT_GT(4 * beside, atoms);  // or nothing was tested
}

TEST(LazyGrounder, TransitivityOverManyConstantsGroundsWhatFactsReach) {
  std::string facts, constants;
  for (int i = 0; i < 300; ++i) {
    constants += (i == 0 ? "" : ", ") + ("C" + std::to_string(i));
    if (i % 3 != 0) facts += "R(C" + std::to_string(i - 1) + ", C" + std::to_string(i) + ")\n";
  }
  const LazyCase in(
      "t = {" + constants + "}\nR(t, t)\n2 R(x, y) ^ R(y, z) => R(x, z)\n1 !R(x, y)\n", facts);
  const LazyGrounder lazy(in.space, {}, LazyGrounder::For::best);
  EXPECT_EQ(lazy.closure().atoms(), 100u);    // R(C0, C2) and its like
  EXPECT_EQ(lazy.closure().clauses(), 100u);  // the rule of each and its !R, added up
  EXPECT_LT(lazy.closure().bytes(), 100'000u);
  // The best world has them: 2 > 1.
  const GroundNetwork network(
      in.space,
      parse_atom_patterns(in.network,
                          read_fact_tokens(LineReader(std::string_view("R(C0, x)"), "q"))),
      {}, Grounding::lazy);
  const LogicAnswer answer = network.answer(request_for(GraphTask::map));
  EXPECT_EQ(answer.atoms[2].probability, 1);
  EXPECT_EQ(answer.atoms[3].probability, 0);
  EXPECT_NEAR(*answer.cost, 300, 1e-6);  // of 200 facts and 100 more atoms
}

TEST(LazyGrounder, WhatItDoesNotAnswerIsRefused) {
  const LazyCase in("t = {A, B}\nP(t)\n1 !P(x)\n", "");
  EXPECT_NE(message_of<UsageError>([&] {
              GroundNetwork(in.space, {}, {}, Grounding::lazy, GraphTask::partition);
            }).find("log Z needs all clauses"),
            std::string::npos);
  const GroundNetwork network(in.space, {}, {}, Grounding::lazy, GraphTask::marginals);
  InferRequest request = request_for(GraphTask::marginals);
  request.method = "junction-tree";
  EXPECT_NE(message_of<UsageError>([&] { network.answer(request); }).find("by mc-sat"),
            std::string::npos);
  request.method = "auto";
  EXPECT_EQ(network.answer(request).result.method, "mc-sat");
  request.task = GraphTask::map;
  EXPECT_NE(message_of<UsageError>([&] { network.answer(request); }).find("no other task"),
            std::string::npos);
}

}  // namespace
}  // namespace croft
