#include "optimize/batch/maximum_entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::maximum_entropy_test {
namespace {

using Vector = std::vector<double>;

// Features, and what is asked of them; column by column.
struct Task {
  std::size_t outcomes, columns = 0;
  Vector features{}, base{};
  std::vector<ExpectationConstraint> constraints{};

  std::size_t add(const Vector& column) {
    Vector wider;
    for (std::size_t i = 0; i < outcomes; ++i) {
      for (std::size_t k = 0; k < columns; ++k) wider.push_back(features[i * columns + k]);
      wider.push_back(column[i]);
    }
    features = wider;
    return columns++;
  }
  void ask(std::size_t column, Relation relation, double bound) {
    constraints.push_back({column, relation, bound});
  }
  double feature(std::size_t i, std::size_t k) const { return features[i * columns + k]; }
  MaximumEntropyProblem problem() const { return {outcomes, columns, features, base, constraints}; }
  MaximumEntropyResult solve() const { return maximum_entropy(problem()); }
};

Task die() {
  Task task{6};
  task.add({1, 1, 0, 0, 0, 0});  // one of the two lowest
  task.add({1, 2, 3, 4, 5, 6});
  return task;
}

void expect_kkt(const MaximumEntropyResult& result, double tolerance = 1e-8) {
  EXPECT_LT(result.kkt.stationarity, tolerance);
  EXPECT_LT(result.kkt.primal, tolerance);
  EXPECT_LT(result.kkt.normalisation, 1e-12);
  EXPECT_EQ(result.kkt.dual, 0);
  EXPECT_LT(result.kkt.slackness, tolerance);
  EXPECT_NEAR(result.divergence, result.dual, tolerance);
}

void expect_near(const Vector& p, const Vector& q, double tolerance) {
  ASSERT_EQ(p.size(), q.size());
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p[i], q[i], tolerance) << i;
}

TEST(MaximumEntropy, ADieWithNoConstraintIsFair) {
  const MaximumEntropyResult result = die().solve();
  EXPECT_EQ(result.status, MaximumEntropyStatus::optimal);
  expect_near(result.p, Vector(6, 1.0 / 6), 1e-15);
  EXPECT_NEAR(result.entropy, std::log(6), 1e-14);
  EXPECT_EQ(result.divergence, 0);
  EXPECT_EQ(result.iterations, 0u);
}

TEST(MaximumEntropy, ADieWhoseTwoLowestHaveOneHalf) {
  Task task = die();
  task.ask(0, Relation::equal, 0.5);
  const MaximumEntropyResult result = task.solve();
  EXPECT_EQ(result.status, MaximumEntropyStatus::optimal);
  expect_near(result.p, {0.25, 0.25, 0.125, 0.125, 0.125, 0.125}, 1e-12);
  EXPECT_NEAR(result.multiplier[0], std::log(2), 1e-12);  // the odds of 1/4 to 1/8
  expect_kkt(result);
}

// Jaynes' die whose mean is 4.5 in the place of 3.5: as published.
TEST(MaximumEntropy, ADieWithMean4Point5) {
  Task task = die();
  task.ask(1, Relation::equal, 4.5);
  const MaximumEntropyResult result = task.solve();
  expect_near(result.p, {0.05435, 0.07877, 0.11416, 0.16545, 0.23977, 0.34749}, 1e-5);
  EXPECT_NEAR(result.entropy, 1.61358, 1e-5);
  expect_kkt(result);
}

TEST(MaximumEntropy, AMultiplierOfAnInequalityIsAtLeast0AndIs0WithSlack) {
  for (const double bound : {2.5, 3.0, 4.0, 5.5}) {
    for (const Relation relation : {Relation::at_most, Relation::at_least}) {
      Task task = die();
      task.ask(1, relation, bound);
      const MaximumEntropyResult result = task.solve();
      const bool slack = relation == Relation::at_most ? bound > 3.5 : bound < 3.5;
      EXPECT_EQ(result.status, MaximumEntropyStatus::optimal);
      expect_kkt(result);
      if (slack) {
        EXPECT_EQ(result.multiplier[0], 0);
        expect_near(result.p, Vector(6, 1.0 / 6), 1e-15);
        continue;
      }
      EXPECT_GT(result.multiplier[0], 0);
      Task same = die();
      same.ask(1, Relation::equal, bound);
      expect_near(result.p, same.solve().p, 1e-9);
    }
  }
}

// Random features, whose bounds some distribution meets.
Task random_task(Random& random, std::size_t outcomes, std::size_t constraints, bool base) {
  Task task{outcomes};
  Vector inside(outcomes);
  double sum = 0;
  for (double& p : inside) sum += p = std::exp(random.normal());
  for (double& p : inside) p /= sum;
  if (base) {
    for (std::size_t i = 0; i < outcomes; ++i) task.base.push_back(std::exp(2 * random.normal()));
  }
  for (std::size_t k = 0; k < constraints; ++k) {
    Vector column(outcomes);
    double expectation = 0;
    for (std::size_t i = 0; i < outcomes; ++i) {
      column[i] = random.normal() * std::pow(10.0, static_cast<double>(k % 5) - 2);
      expectation += inside[i] * column[i];
    }
    task.add(column);
    const auto relation = static_cast<Relation>(random.below(3));
    const double room = random.uniform() * 0.3 * std::pow(10.0, static_cast<double>(k % 5) - 2);
    task.ask(k, relation,
             relation == Relation::equal     ? expectation
             : relation == Relation::at_most ? expectation + room
                                             : expectation - room);
  }
  return task;
}

TEST(MaximumEntropy, RandomProblemsMeetEveryCondition) {
  Random random(1);
  for (int run = 0; run < 200; ++run) {
    const Task task = random_task(random, 30 + random.below(30), random.below(12), run % 2 == 1);
    const MaximumEntropyResult result = task.solve();
    ASSERT_EQ(result.status, MaximumEntropyStatus::optimal) << run << " " << result.message;
    EXPECT_LT(result.iterations, 60u);
    expect_kkt(result, 1e-6);
    EXPECT_GE(result.entropy, 0);
    EXPECT_LE(result.entropy, std::log(static_cast<double>(task.outcomes)) + 1e-12);
    for (std::size_t j = 0; j < task.constraints.size(); ++j) {
      double expectation = 0;
      for (std::size_t i = 0; i < task.outcomes; ++i) {
        expectation += result.p[i] * task.feature(i, task.constraints[j].feature);
      }
      EXPECT_NEAR(expectation, result.expectation[j], 1e-12 * std::abs(expectation) + 1e-12);
      if (task.constraints[j].relation == Relation::equal) continue;
      EXPECT_GE(result.multiplier[j], 0);
    }
  }
}

// Generalised iterative scaling on features made >= 0, with the slack that makes their sum the
// same.
Vector scaled_iteratively(const Task& task, int iterations) {
  const std::size_t n = task.outcomes, size = task.constraints.size();
  std::vector<Vector> f(size + 1, Vector(n));
  Vector target(size + 1), lambda(size + 1), p(n), total(n);
  for (std::size_t j = 0; j < size; ++j) {
    const std::size_t column = task.constraints[j].feature;
    double low = task.feature(0, column);
    for (std::size_t i = 0; i < n; ++i) low = std::min(low, task.feature(i, column));
    for (std::size_t i = 0; i < n; ++i) total[i] += f[j][i] = task.feature(i, column) - low;
    target[j] = task.constraints[j].bound - low;
  }
  const double most = *std::ranges::max_element(total) + 0.1;
  target[size] = most;
  for (std::size_t i = 0; i < n; ++i) f[size][i] = most - total[i];
  for (std::size_t j = 0; j < size; ++j) target[size] -= target[j];
  for (int k = 0; k <= iterations; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double score = std::log(task.base[i]);
      for (std::size_t j = 0; j <= size; ++j) score += lambda[j] * f[j][i];
      sum += p[i] = std::exp(score);
    }
    for (double& each : p) each /= sum;
    for (std::size_t j = 0; j <= size; ++j) {
      double expected = 0;
      for (std::size_t i = 0; i < n; ++i) expected += p[i] * f[j][i];
      lambda[j] += std::log(target[j] / expected) / most;
    }
  }
  return p;
}

TEST(MaximumEntropy, AgreesWithIterativeScaling) {
  Random random(2);
  for (int run = 0; run < 5; ++run) {
    Task task = random_task(random, 12, 3, true);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < 12; ++i) task.features[i * 3 + k] = random.normal();
      double expectation = 0;
      for (std::size_t i = 0; i < 12; ++i) expectation += task.feature(i, k) / 12;
      task.constraints[k] = {k, Relation::equal, expectation};
    }
    expect_near(task.solve().p, scaled_iteratively(task, 20'000), 1e-6);
  }
}

// Three outcomes: every distribution on a fine grid.
TEST(MaximumEntropy, NoGridPointThatMeetsTheConstraintsIsNearerToTheBase) {
  Random random(3);
  constexpr int kGrid = 400;
  for (int run = 0; run < 20; ++run) {
    Task task = random_task(random, 3, 2, true);
    for (auto& each : task.constraints) {
      if (each.relation == Relation::equal) each.relation = Relation::at_least;
    }
    const MaximumEntropyResult result = task.solve();
    if (result.status == MaximumEntropyStatus::infeasible) FAIL() << result.message;
    const double norm = task.base[0] + task.base[1] + task.base[2];
    double best = INFINITY;
    for (int a = 0; a <= kGrid; ++a) {
      for (int b = 0; a + b <= kGrid; ++b) {
        const std::array<double, 3> p = {double(a) / kGrid, double(b) / kGrid,
                                         double(kGrid - a - b) / kGrid};
        bool meets = true;
        double divergence = 0;
        for (const auto& each : task.constraints) {
          double over = -each.bound;
          for (std::size_t i = 0; i < 3; ++i) over += p[i] * task.feature(i, each.feature);
          meets = meets && (each.relation == Relation::at_most ? over <= 0 : over >= 0);
        }
        for (std::size_t i = 0; i < 3; ++i) {
          if (p[i] > 0) divergence += p[i] * std::log(p[i] * norm / task.base[i]);
        }
        if (meets) best = std::min(best, divergence);
      }
    }
    EXPECT_GE(best, result.divergence - 1e-9) << run;
    EXPECT_LE(best, result.divergence + 0.05) << run;
  }
}

TEST(MaximumEntropy, AMultiplierIsTheDerivativeOfTheDivergenceByItsBound) {
  Task task = die();
  task.ask(0, Relation::at_most, 0.2);
  task.ask(1, Relation::equal, 3.9);
  const MaximumEntropyResult result = task.solve();
  for (std::size_t j = 0; j < 2; ++j) {
    const auto at = [&](double shift) {
      Task other = task;
      other.constraints[j].bound += shift;
      return other.solve().divergence;
    };
    const double sign = j == 0 ? -1 : 1;
    EXPECT_NEAR((at(1e-4) - at(-1e-4)) / 2e-4, sign * result.multiplier[j], 1e-6);
  }
}

TEST(MaximumEntropy, WithABaseThatMeetsTheConstraintsNothingChanges) {
  Task task = die();
  task.base = {2, 2, 1, 1, 1, 1};
  task.ask(0, Relation::equal, 0.5);
  task.ask(1, Relation::at_most, 4);
  const MaximumEntropyResult result = task.solve();
  expect_near(result.p, {0.25, 0.25, 0.125, 0.125, 0.125, 0.125}, 1e-12);
  EXPECT_NEAR(result.divergence, 0, 1e-12);
}

TEST(MaximumEntropy, ConstraintsThatSayTheSameTwiceAreMet) {
  Task task = die();
  task.ask(0, Relation::equal, 0.5);
  task.ask(0, Relation::equal, 0.5);
  task.ask(task.add({0, 0, 2, 2, 2, 2}), Relation::equal, 1);
  task.ask(task.add({3, 3, 3, 3, 3, 3}), Relation::equal, 3);
  const MaximumEntropyResult result = task.solve();
  EXPECT_EQ(result.status, MaximumEntropyStatus::optimal);
  expect_near(result.p, {0.25, 0.25, 0.125, 0.125, 0.125, 0.125}, 1e-9);
  expect_kkt(result);
}

// What the certificate says, from the features alone.
void expect_certificate(const Task& task, const MaximumEntropyResult& result) {
  ASSERT_EQ(result.status, MaximumEntropyStatus::infeasible) << result.message;
  EXPECT_GT(result.margin, 0);
  double size = 0, most = -INFINITY;
  for (std::size_t i = 0; i < task.outcomes; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < task.constraints.size(); ++j) {
      const auto& each = task.constraints[j];
      sum += result.certificate[j] * (task.feature(i, each.feature) - each.bound);
    }
    most = std::max(most, sum);
  }
  for (std::size_t j = 0; j < task.constraints.size(); ++j) {
    size += std::abs(result.certificate[j]);
    const Relation relation = task.constraints[j].relation;
    EXPECT_TRUE(relation != Relation::at_most || result.certificate[j] <= 0);
    EXPECT_TRUE(relation != Relation::at_least || result.certificate[j] >= 0);
  }
  EXPECT_NEAR(size, 1, 1e-12);
  EXPECT_LE(most, -result.margin + 1e-12);
}

TEST(MaximumEntropy, WhatNoDistributionMeetsHasACertificate) {
  Task probability = die();
  probability.ask(0, Relation::equal, 1.5);
  const MaximumEntropyResult result = probability.solve();
  expect_certificate(probability, result);
  EXPECT_NEAR(result.margin, 0.5, 1e-6);  // P1 + P2 can be 1

  Task mean = die();
  mean.ask(1, Relation::at_most, 0.9);
  expect_certificate(mean, mean.solve());

  Task two = die();  // half of all throws are 1 or 2, so that the mean is 4.0 at most
  two.ask(0, Relation::at_least, 0.5);
  two.ask(1, Relation::at_least, 4.1);
  expect_certificate(two, two.solve());

  Task both = die();
  both.ask(1, Relation::equal, 3);
  both.ask(1, Relation::equal, 3.001);
  expect_certificate(both, both.solve());
}

TEST(MaximumEntropy, ConstraintsOnTheBoundaryLeaveOutcomesWithoutProbability) {
  Task one = die();
  one.ask(1, Relation::equal, 6);
  const MaximumEntropyResult certain = one.solve();
  EXPECT_EQ(certain.status, MaximumEntropyStatus::boundary) << certain.message;
  expect_near(certain.p, {0, 0, 0, 0, 0, 1}, 0);
  EXPECT_EQ(certain.entropy, 0);
  EXPECT_NEAR(certain.divergence, certain.dual, 1e-6);

  Task two = die();  // half of all throws are 1 or 2, so that the mean is 4 at most
  two.ask(0, Relation::equal, 0.5);
  two.ask(1, Relation::at_least, 4);
  const MaximumEntropyResult result = two.solve();
  EXPECT_EQ(result.status, MaximumEntropyStatus::boundary) << result.message;
  EXPECT_LT(result.kkt.primal, 1e-8);
  expect_near(result.p, {0, 0.5, 0, 0, 0, 0.5}, 1e-8);

  Task face = die();  // 1 and 2 never; the others stay alike
  face.ask(0, Relation::at_most, 0);
  expect_near(face.solve().p, {0, 0, 0.25, 0.25, 0.25, 0.25}, 1e-9);
}

TEST(MaximumEntropy, SmallProbabilitiesThatAreNot0AreKept) {
  Task task{12};
  Vector squares, base;
  for (int i = 0; i < 12; ++i) squares.push_back(i * i);
  task.ask(task.add(squares), Relation::equal, 0.3);
  const MaximumEntropyResult result = task.solve();
  EXPECT_EQ(result.status, MaximumEntropyStatus::optimal) << result.message;
  EXPECT_GT(result.p[11], 0);
  EXPECT_LT(result.p[11], 1e-40);
  expect_kkt(result, 1e-6);
}

TEST(MaximumEntropy, WhatIsNoProblemIsRefused) {
  Task task = die();
  task.ask(7, Relation::equal, 0);
  EXPECT_THROW(task.solve(), UsageError);
  task = die();
  task.features[3] = NAN;
  EXPECT_THROW(task.solve(), UsageError);
  task = die();
  task.base = {1, 1, 1, 1, 1, 0};
  EXPECT_THROW(task.solve(), UsageError);
  task.base = {1, 1};
  EXPECT_THROW(task.solve(), UsageError);
  EXPECT_THROW(maximum_entropy({}, {}), UsageError);
}

}  // namespace
}  // namespace croft::maximum_entropy_test
