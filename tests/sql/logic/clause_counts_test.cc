// Counts by joins against every grounding in every changed world.
#include "sql/logic/learn/clause_counts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "logic/network_parser.h"
#include "sql/logic/learn/counted_likelihood.h"

namespace croft {
namespace {

constexpr const char* kCountedNetwork =
    "t = {A, B, C}\nu = {K, L}\nP(t)\nR(t, t)\nS(t, u)\nE(t, t)\nG(u)\nZ(t)\n";

LogicEvidence random_world(Random& random, const LogicNetwork& network) {
  LogicEvidence evidence(network);
  std::string facts;
  for (std::uint32_t p = 0; p < network.predicates.size(); ++p) {
    const auto& types = network.predicates[p].types;
    for (std::size_t i = 0; i < (types.size() == 1 ? 3u : 9u); ++i) {
      std::vector<std::size_t> at{i % 3, i / 3};
      std::string text = network.predicate_names[p] + "(";
      bool fits = true;
      for (std::size_t k = 0; k < types.size(); ++k) {
        const auto& names = network.types[types[k]];
        fits = fits && at[k] < names.size();
        if (fits) text += (k == 0 ? "" : ", ") + names[static_cast<std::uint32_t>(at[k])];
      }
      if (fits && random.below(3) == 0) facts += text + ")\n";
    }
  }
  add_evidence(network, read_fact_tokens(LineReader(facts, "t.db")), evidence);
  return evidence;
}

VariableClause random_clause(Random& random, const LogicNetwork& network) {
  VariableClause out;
  const std::size_t size = 1 + random.below(4);
  while (out.literals.size() < size) {
    ClauseLiteral literal{
        .predicate = static_cast<std::uint32_t>(random.below(network.predicates.size())),
        .negated = random.below(2) == 0,
        .variables = {}};
    for (const std::uint32_t type : network.predicates[literal.predicate].types) {
      std::vector<std::uint32_t> old;
      for (std::uint32_t v = 0; v < out.types.size(); ++v) {
        if (out.types[v] == type) old.push_back(v);
      }
      if (old.empty() || (old.size() < 3 && random.below(3) == 0)) {
        old.assign(1, static_cast<std::uint32_t>(out.types.size()));
        out.types.push_back(type);
      }
      literal.variables.push_back(old[random.below(old.size())]);
    }
    const bool there = std::ranges::any_of(out.literals, [&](const ClauseLiteral& each) {
      return each.predicate == literal.predicate && each.variables == literal.variables;
    });
    if (!there) out.literals.push_back(std::move(literal));
  }
  // Variables of literals that were drawn again are none of the clause.
  std::vector<std::uint32_t> number(out.types.size(), kNoNumber), types;
  for (ClauseLiteral& each : out.literals) {
    for (std::uint32_t& v : each.variables) {
      if (number[v] == kNoNumber) {
        number[v] = static_cast<std::uint32_t>(types.size());
        types.push_back(out.types[v]);
      }
      v = number[v];
    }
  }
  out.types = types;
  return out;
}

// True groundings, with the atom `changed` otherwise.
double true_groundings(const AtomSpace& world, const VariableClause& clause,
                       std::uint64_t changed) {
  std::vector<std::uint32_t> value(clause.types.size(), 0);
  double count = 0;
  while (true) {
    const bool holds = std::ranges::any_of(clause.literals, [&](const ClauseLiteral& each) {
      std::vector<std::uint32_t> constants;
      for (const std::uint32_t v : each.variables) constants.push_back(value[v]);
      const std::uint64_t key = world.key(each.predicate, constants);
      const bool is_true = (world.truth(each.predicate, key) == Truth::yes) != (key == changed);
      return is_true != each.negated;
    });
    count += holds ? 1 : 0;
    std::size_t v = 0;
    for (; v < value.size(); ++v) {
      if (++value[v] < world.constants(clause.types[v])) break;
      value[v] = 0;
    }
    if (v == value.size()) return count;
  }
}

RC_GTEST_PROP(ClauseCounts, AreThoseOfEveryGroundingInEveryChangedWorld, ()) {
  Random random(*rc::gen::inRange<std::uint64_t>(0, 1'000'000));
  const LogicNetwork network =
      parse_network(read_logic_tokens(LineReader(std::string_view(kCountedNetwork), "t.mln")));
  const LogicEvidence evidence = random_world(random, network);
  const AtomSpace world(network, evidence, std::vector<bool>(network.predicates.size(), false));
  std::vector<bool> open(network.predicates.size(), false);
  open[0] = true;
  open[1] = true;
  open[2] = random.below(2) == 0;
  ClauseCounts counts(world, open);
  std::vector<double> d;
  for (int round = 0; round < 6; ++round) {
    const VariableClause clause = random_clause(random, network);
    counts.differences(clause, d);
    const double now = true_groundings(world, clause, ~std::uint64_t{0});
    for (std::uint32_t p = 0; p < open.size(); ++p) {
      for (std::uint64_t i = 0; open[p] && i < world.atoms(p); ++i) {
        const std::uint64_t key = world.first(p) + i;
        RC_ASSERT(counts.is_true(counts.number_of(key)) == (world.truth(p, key) == Truth::yes));
        RC_ASSERT(d[counts.number_of(key)] == now - true_groundings(world, clause, key));
      }
    }
  }
}

TEST(CountedLikelihood, HasTheValueTheGradientAndTheGainsOfItsFunction) {
  Random random(5);
  for (int round = 0; round < 4; ++round) {
    constexpr std::size_t kAtoms = 40;
    ChangeRows rows;
    for (std::size_t a = 0; a < kAtoms; ++a) {
      rows.allowed.push_back(a % 7 == 0 ? 0 : 1);
      rows.unit.push_back(0);
      rows.factor.push_back(a % 3 == 0 ? 1 : -1);
      rows.begin.push_back(rows.unit.size());
    }
    CountedPseudoLikelihood function(rows, 1);
    std::vector<double> d(kAtoms), other(kAtoms);
    for (double& each : d) each = static_cast<double>(random.below(5)) - 2;
    for (double& each : other) {
      each = (round % 2 == 0 ? 1 : 30) * (static_cast<double>(random.below(5)) - 2);
    }
    function.add(d);
    const std::vector<double> w{random.normal(), random.normal()};
    function.stand_at(w);
    const double l2 = 0.3, gain = function.gain(other, l2);
    function.add(other);
    std::vector<double> at{w[0], w[1], 0}, gradient(3), ignored(3);
    const double now = function.evaluate(at, gradient);
    for (std::size_t u = 0; u < 3; ++u) {
      std::vector<double> up = at, down = at;
      up[u] += 1e-5;
      down[u] -= 1e-5;
      const double slope =
          (function.evaluate(up, ignored) - function.evaluate(down, ignored)) / 2e-5;
      EXPECT_NEAR(gradient[u], slope, 1e-4 * std::max(1., std::abs(slope)));
    }
    double best = now;
    for (double v = -8; v <= 8; v += 0.0005) {
      at[2] = v;
      best = std::min(best, function.evaluate(at, gradient) + l2 / 2 * v * v);
    }
    EXPECT_NEAR(gain, now - best, 1e-3);
  }
}

}  // namespace
}  // namespace croft
