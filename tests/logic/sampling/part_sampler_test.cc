#include "logic/sampling/part_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace croft {
namespace {

struct Part {
  std::size_t atoms = 0;
  std::vector<std::vector<std::uint32_t>> clauses = {}, marks = {};
  bool exact = true;  // of marks

  bool holds(std::span<const std::uint8_t> x) const {
    for (const auto& clause : clauses) {
      bool some = false;
      for (const std::uint32_t literal : clause) some = some || x[literal / 2] != (literal & 1);
      if (!some) return false;
    }
    for (const auto& mark : marks) {
      int held = 0;
      for (const std::uint32_t atom : mark) held += x[atom];
      if (held > 1 || (exact && held == 0)) return false;
    }
    return true;
  }
  std::vector<std::uint8_t> world(std::uint32_t bits) const {
    std::vector<std::uint8_t> x(atoms);
    for (std::size_t a = 0; a < atoms; ++a) x[a] = bits >> a & 1;
    return x;
  }
};

std::size_t draw(PartSampler& sampler, Random& random, std::span<std::uint8_t> x) {
  const StepCheck for_ever;
  StepWork work(for_ever);
  return sampler.draw(random, x, work);
}

// Every world that keeps the part is drawn about equally often, and no other.  Returns the most
// atoms that were held in a draw.
std::size_t expect_uniform(const Part& part, int draws) {
  PartSampler sampler;
  Random random(3);
  std::vector<int> seen(std::size_t{1} << part.atoms, 0);
  std::vector<std::uint8_t> x;
  double allowed = 0;
  for (std::uint32_t bits = 0; bits < seen.size(); ++bits) {
    if (!part.holds(part.world(bits))) continue;
    ++allowed;
    x = part.world(bits);
  }
  std::size_t held = 0;
  for (int i = 0; i < draws; ++i) {
    sampler.begin(part.atoms);
    for (const auto& each : part.clauses) sampler.add_clause(each);
    for (const auto& each : part.marks) sampler.add_mark(each, part.exact);
    held = std::max(held, draw(sampler, random, x));
    std::uint32_t bits = 0;
    for (std::size_t a = 0; a < part.atoms; ++a) bits |= std::uint32_t{x[a]} << a;
    ++seen[bits];
  }
  const double expected = draws / allowed;
  double squares = 0;
  for (std::uint32_t bits = 0; bits < seen.size(); ++bits) {
    if (!part.holds(part.world(bits))) {
      EXPECT_EQ(seen[bits], 0) << bits;
    } else {
      squares += (seen[bits] - expected) * (seen[bits] - expected) / expected;
    }
  }
  // Chi-square: its mean is the degrees of freedom, its variance twice that.  Draws that depend on
  // each other have more.
  EXPECT_LT(squares, (held == 0 ? 1 : 4) * (allowed + 6 * std::sqrt(2 * allowed)));
  return held;
}

TEST(PartSampler, EachWorldOfAChainIsAsLikely) {
  Part part{.atoms = 12};
  for (std::uint32_t a = 0; a + 1 < part.atoms; ++a) {
    part.clauses.push_back({2 * a + 1, 2 * (a + 1) + 1});  // not both
  }
  part.clauses.push_back({0, 6, 11});
  EXPECT_EQ(expect_uniform(part, 20'000), 0u);
}

TEST(PartSampler, MarksAreKept) {
  for (const bool exact : {true, false}) {
    Part part{.atoms = 12, .exact = exact};
    part.marks = {{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9, 10, 11}};
    part.clauses = {{1, 8}, {9, 15, 4}, {3, 17}};
    EXPECT_EQ(expect_uniform(part, 20'000), 0u);
  }
}

TEST(PartSampler, HeldAtomsLeaveTheDistributionAsItIs) {
  Random random(11);
  Part part{.atoms = 13};
  part.clauses.emplace_back();  // of all atoms: more neighbours than are eliminated
  for (std::uint32_t a = 0; a < part.atoms; ++a) part.clauses[0].push_back(2 * a + a % 2);
  for (int i = 0; i < 14; ++i) {
    std::vector<std::uint32_t> clause;
    while (clause.size() < 3) {
      clause.push_back(static_cast<std::uint32_t>(random.below(2 * part.atoms)));
    }
    part.clauses.push_back(clause);
  }
  EXPECT_GT(expect_uniform(part, 10'000), 0u);
}

TEST(PartSampler, AtomsThatAreEqualCountAsOne) {
  // All pairs of the first atoms are equal or opposite, and a mark stands beside them.
  Part part{.atoms = 15};
  for (std::uint32_t a = 0; a < 11; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      const std::uint32_t opposite = (a + b) % 2;
      part.clauses.push_back({2 * a, 2 * b + 1 - opposite});
      part.clauses.push_back({2 * a + 1, 2 * b + opposite});
    }
  }
  part.marks = {{12, 13, 14}};
  part.clauses.push_back({0, 22});
  part.clauses.push_back({3, 23, 24});
  part.clauses.push_back({24, 1});
  EXPECT_EQ(expect_uniform(part, 5000), 0u);
}

TEST(PartSampler, WhatIsTiedToManyAtomsMoves) {
  // A chain of equivalences: two worlds, however long it is.
  PartSampler sampler;
  Random random(5);
  constexpr std::uint32_t kAtoms = 500;
  std::vector<std::uint8_t> x(kAtoms, 0);
  int ones = 0;
  for (int i = 0; i < 200; ++i) {
    sampler.begin(kAtoms);
    for (std::uint32_t a = 0; a + 1 < kAtoms; ++a) {
      const std::uint32_t there[] = {2 * a, 2 * a + 3}, back[] = {2 * a + 1, 2 * a + 2};
      sampler.add_clause(there);
      sampler.add_clause(back);
    }
    EXPECT_EQ(draw(sampler, random, x), 0u);
    for (const std::uint8_t each : x) EXPECT_EQ(each, x[0]);
    ones += x[0];
  }
  EXPECT_NEAR(ones, 100, 45);
}

}  // namespace
}  // namespace croft
