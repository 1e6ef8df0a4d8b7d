// Sums over chains whose edges share scores by groups, against the dense table.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "croft/core/random.h"
#include "croft/inference/chain_log_domain.h"
#include "croft/inference/chain_sum.h"
#include "croft/structure/edge_sharing.h"

namespace croft::shared_edges_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  std::size_t labels, groups;
  bool pattern;  // groups of edges by groups of labels; else any edges, few of them not in group 0
  double scale, background;  // of the scores; that of group 0, 1: as the others
  bool forbidden = false;    // group 1
};

// Groups of edges, and a table of their scores with and without what is known of the groups.
template <class Real>
struct Grouped {
  std::vector<std::uint32_t> number;
  TransitionScores<Real> shared, dense;

  Grouped(const Case& c, Random& random) {
    std::vector<std::size_t> from(c.labels), to(c.labels);
    for (auto* side : {&from, &to}) {
      for (auto& group : *side) group = random.below(2 + c.groups / 2);
    }
    std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> group_of;
    std::vector<Real> score;
    for (std::size_t g = 0; g < c.groups; ++g) {
      score.push_back(static_cast<Real>(c.scale * random.normal()));
    }
    if (c.background != 1) score[0] = static_cast<Real>(c.background);
    if (c.forbidden && c.groups > 1) score[1] = -std::numeric_limits<Real>::infinity();
    Matrix<Real> table(c.labels, c.labels);
    for (std::size_t i = 0; i < c.labels; ++i) {
      for (std::size_t j = 0; j < c.labels; ++j) {
        std::uint32_t g = static_cast<std::uint32_t>(random.below(c.groups));
        if (c.pattern) {
          g = group_of.try_emplace({from[i], to[j]}, g).first->second;
        } else if (random.uniform() < 0.8) {
          g = 0;
        }
        number.push_back(g);
        table(i, j) = score[g];
      }
    }
    dense.assign(table);
    shared.assign(table, find_sharing(c.labels, number, 0xFFFFFFFF));
  }

  // The expected uses of each group.
  std::vector<double> by_group(const std::vector<double>& cells, std::size_t groups) const {
    std::vector<double> sums(groups);
    const std::size_t labels = dense.labels();
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        sums[number[i * labels + j]] += cells[dense.cell(i, j)];
      }
    }
    return sums;
  }
};

template <class Real>
ChainScores<Real> random_states(const TransitionScores<Real>& transitions, std::size_t length,
                                double scale, double masked, Random& random) {
  ChainScores<Real> scores;
  scores.reset(length, transitions);
  for (std::size_t t = 0; t < length; ++t) {
    for (Real& value : scores.state[t]) {
      value = random.uniform() < masked ? ChainScores<Real>::kForbidden
                                        : static_cast<Real>(scale * random.normal());
    }
  }
  return scores;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::size_t labels : {1, 2, 3, 7, 16, 33}) {
    for (const std::size_t groups : {1, 2, 5}) {
      for (const bool pattern : {true, false}) {
        for (const double background : {0.0, -kInf, 1.0, -2.5}) {
          for (const double scale : {1.0, 40.0}) {
            all.push_back({labels, groups, pattern, scale, background, false});
            all.push_back({labels, groups, pattern, scale, background, true});
          }
        }
      }
    }
  }
  return all;
}

template <class Real>
void check(double tolerance) {
  Random random(11);
  BatchWorkspace<Real> work;
  ForwardBackwardWorkspace<Real> alone;
  for (const Case& c : cases()) {
    const Grouped<Real> grouped(c, random);
    const std::size_t count = 1 + random.below(2 * kChainLanes);
    std::vector<ChainScores<Real>> scores;
    std::vector<double> scale;
    for (std::size_t k = 0; k < count; ++k) {
      const double masked = random.below(3) == 0 ? 0.3 : 0;
      scores.push_back(random_states(grouped.shared, random.below(12), c.scale, masked, random));
      scale.push_back(1 + random.uniform());
    }
    std::vector<Matrix<Real>> state;
    std::vector<double> cells(grouped.dense.cells()), own(cells.size()), expected(cells.size());
    std::vector<ChainGradient<Real>> out;
    for (const auto& s : scores) state.emplace_back(s.length(), c.labels);
    for (auto& m : state) out.push_back({m.row(0), nullptr, cells.data()});
    std::vector<CompensatedSum> log_z(count);
    marginals<Real>(scores, scale, work, out, log_z);
    for (std::size_t k = 0; k < count; ++k) {
      ChainScores<Real> dense = scores[k];
      dense.transitions = &grouped.dense;
      Matrix<Real> truth(dense.length(), c.labels), single(dense.length(), c.labels);
      LogDomainWorkspace log_work;
      const double z =
          log_domain_marginals(dense, scale[k], log_work, {truth.row(0), nullptr, expected.data()});
      const double one =
          marginals(scores[k], scale[k], alone, {single.row(0), nullptr, own.data()});
      if (z == -kInf) {
        ASSERT_EQ(one, z);
        ASSERT_EQ(log_z[k].value(), z);
        continue;
      }
      ASSERT_NEAR(one, z, tolerance * (1 + std::abs(z)));
      ASSERT_NEAR(log_partition(scores[k], alone), z, tolerance * (1 + std::abs(z)));
      ASSERT_NEAR(log_z[k].value(), z, tolerance * (1 + std::abs(z)));
      for (std::size_t t = 0; t < dense.length(); ++t) {
        for (std::size_t j = 0; j < c.labels; ++j) {
          ASSERT_NEAR(state[k](t, j), truth(t, j), 2 * tolerance);
          ASSERT_NEAR(single(t, j), truth(t, j), 2 * tolerance);
        }
      }
    }
    const auto want = grouped.by_group(expected, c.groups);
    for (const auto* got : {&cells, &own}) {
      const auto sums = grouped.by_group(*got, c.groups);
      for (std::size_t g = 0; g < c.groups; ++g) {
        ASSERT_NEAR(sums[g], want[g], 20 * tolerance) << c.labels << ' ' << c.pattern;
      }
    }
  }
}

TEST(SharedEdges, SumsOfGroupsAreThoseOfTheLogDomainInDouble) { check<double>(1e-11); }
TEST(SharedEdges, SumsOfGroupsAreThoseOfTheLogDomainInFloat) { check<float>(3e-5); }

TEST(SharedEdges, TheSumsAreTheDenseOnesToTwelveDigits) {
  Random random(5);
  ForwardBackwardWorkspace<double> work;
  for (const bool pattern : {true, false}) {
    for (const std::size_t groups : {1, 2, 3, 9}) {
      const Grouped<double> grouped({300, groups, pattern, 1, 1}, random);
      const auto shared = random_states(grouped.shared, 40, 2, 0, random);
      ChainScores<double> dense = shared;
      dense.transitions = &grouped.dense;
      std::vector<double> cells(grouped.dense.cells()), expected(cells.size());
      Matrix<double> state(40, 300), truth(40, 300);
      const double z = marginals(dense, 1, work, {truth.row(0), nullptr, expected.data()});
      EXPECT_NEAR(marginals(shared, 1, work, {state.row(0), nullptr, cells.data()}), z, 1e-12 * z);
      EXPECT_EQ(work.path, ChainPath::scaled);
      for (std::size_t t = 0; t < 40; ++t) {
        for (std::size_t j = 0; j < 300; ++j) ASSERT_NEAR(state(t, j), truth(t, j), 1e-12);
      }
      const auto sums = grouped.by_group(cells, groups), want = grouped.by_group(expected, groups);
      for (std::size_t g = 0; g < groups; ++g) EXPECT_NEAR(sums[g], want[g], 40 * 1e-12);
    }
  }
}

TEST(SharedEdges, OverlaysTakeTheTable) {
  Random random(6);
  const Grouped<double> grouped({5, 2, true, 1, 1}, random);
  auto shared = random_states(grouped.shared, 4, 1, 0, random);
  double* rows = shared.add_overlay(2);
  rows[1] = 0.7;
  ChainScores<double> dense = shared;
  dense.transitions = &grouped.dense;
  ForwardBackwardWorkspace<double> work;
  EXPECT_EQ(log_partition(shared, work), log_partition(dense, work));
}

TEST(SharedEdges, AnotherTableForgetsTheGroups) {
  Random random(7);
  Grouped<double> grouped({5, 2, true, 1, 1}, random);
  EXPECT_TRUE(grouped.shared.sharing());
  EXPECT_TRUE(convert<float>(grouped.shared).sharing());
  grouped.shared.assign(Matrix<double>(5, 5, 1.0));
  EXPECT_FALSE(grouped.shared.sharing());
}

}  // namespace
}  // namespace croft::shared_edges_test
