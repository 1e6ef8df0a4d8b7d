// Cutting planes, and the program inside: against all sets of variables that may be above 0, the
// conditions of Karush, Kuhn and Tucker, and the largest dual.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "croft/core/error.h"
#include "optimize/dual/dual_methods.h"
#include "optimize/dual/simplex_program.h"
#include "optimize/enumerated_dual.h"
#include "optimize/memory_checkpoint.h"

namespace croft::cutting_planes_test {
namespace {

using testing_functions::EnumeratedExample;
using testing_functions::largest_dual;
using testing_functions::random_examples;

struct Planes {
  std::vector<std::vector<double>> a;  // [variables][dimension]
  std::vector<double> b;
  std::vector<bool> share;
};

Planes random_planes(std::size_t count, std::size_t dimension, Random& random, bool all_shares) {
  Planes p;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double>& a = p.a.emplace_back(dimension);
    for (double& each : a) each = random.normal();
    p.share.push_back(all_shares || k == 0 || random.uniform() < 0.6);
    p.b.push_back(p.share[k] ? random.normal() : -random.uniform());
  }
  return p;
}

SimplexProgram program_of(const Planes& p) {
  SimplexProgram program;
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    std::vector<double> row;
    for (std::size_t j = 0; j <= k; ++j) row.push_back(dot(p.a[j], p.a[k]));
    program.add(row, p.b[k], p.share[k]);
  }
  return program;
}

double value_at(const Planes& p, std::span<const double> x) {
  std::vector<double> sum(p.a[0].size());
  double linear = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    axpy(x[k], p.a[k], sum);
    linear += x[k] * p.b[k];
  }
  return 0.5 * dot(sum, sum) - linear;
}

// The least value over every set of variables that may be above 0: of each set the stationary
// point, by Gaussian elimination, where it is feasible.
double least_value(const Planes& p) {
  const std::size_t n = p.a.size();
  double least = INFINITY;
  for (std::size_t set = 1; set < (std::size_t{1} << n); ++set) {
    std::vector<std::size_t> in;
    bool has_share = false;
    for (std::size_t k = 0; k < n; ++k) {
      if ((set >> k) & 1) in.push_back(k), has_share = has_share || p.share[k];
    }
    if (!has_share) continue;
    const std::size_t m = in.size() + 1;
    std::vector<std::vector<double>> rows(m, std::vector<double>(m + 1));
    for (std::size_t i = 0; i + 1 < m; ++i) {
      for (std::size_t j = 0; j + 1 < m; ++j) rows[i][j] = dot(p.a[in[i]], p.a[in[j]]);
      rows[i][m - 1] = rows[m - 1][i] = p.share[in[i]] ? 1 : 0;
      rows[i][m] = p.b[in[i]];
    }
    rows[m - 1][m] = 1;
    bool regular = true;
    for (std::size_t c = 0; c < m && regular; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c; r < m; ++r) {
        if (std::abs(rows[r][c]) > std::abs(rows[pivot][c])) pivot = r;
      }
      regular = std::abs(rows[pivot][c]) > 1e-9;
      if (!regular) break;
      std::swap(rows[c], rows[pivot]);
      for (std::size_t r = 0; r < m; ++r) {
        if (r == c) continue;
        const double factor = rows[r][c] / rows[c][c];
        for (std::size_t k = c; k <= m; ++k) rows[r][k] -= factor * rows[c][k];
      }
    }
    if (!regular) continue;
    std::vector<double> x(n);
    bool feasible = true;
    for (std::size_t i = 0; i + 1 < m; ++i) {
      x[in[i]] = rows[i][m] / rows[i][i];
      feasible = feasible && x[in[i]] >= -1e-12;
    }
    if (feasible) least = std::min(least, value_at(p, x));
  }
  return least;
}

void expect_feasible(const SimplexProgram& program, const Planes& p) {
  double sum = 0;
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    EXPECT_GE(program.x()[k], 0);
    if (p.share[k]) sum += program.x()[k];
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(SimplexProgram, IsTheLeastOverAllSetsOfVariables) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t count = 1 + random.below(7), dimension = 1 + random.below(9);
    const Planes p = random_planes(count, dimension, random, trial % 2 == 0);
    SimplexProgram program = program_of(p);
    EXPECT_TRUE(program.solve());
    expect_feasible(program, p);
    EXPECT_NEAR(program.value(), value_at(p, program.x()), 1e-9);
    EXPECT_NEAR(program.value(), least_value(p), 1e-7) << "trial " << trial;
    EXPECT_LE(program.violation(), 1e-6) << "trial " << trial;
  }
}

TEST(SimplexProgram, MeetsItsConditionsWithManyMorePlanesThanWeights) {
  Random random(2);
  for (const std::size_t dimension : {1, 2, 5}) {
    const Planes p = random_planes(80, dimension, random, true);
    SimplexProgram program = program_of(p);
    EXPECT_TRUE(program.solve());
    expect_feasible(program, p);
    EXPECT_LE(program.violation(), 1e-8);
  }
}

TEST(SimplexProgram, TakesPlanesThatSayTheSame) {
  Planes p{{{1, 2}, {1, 2}, {1, 2}, {-1, 0}}, {1, 1, 1, 0.5}, {true, true, true, true}};
  SimplexProgram program = program_of(p);
  EXPECT_TRUE(program.solve());
  expect_feasible(program, p);
  EXPECT_LE(program.violation(), 1e-9);
}

TEST(SimplexProgram, GoesOnFromTheSolutionBeforeAndWithoutWhatIsDropped) {
  Random random(3);
  const Planes p = random_planes(20, 6, random, false);
  SimplexProgram grown;
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    std::vector<double> row;
    for (std::size_t j = 0; j <= k; ++j) row.push_back(dot(p.a[j], p.a[k]));
    grown.add(row, p.b[k], p.share[k]);
    EXPECT_TRUE(grown.solve());
  }
  SimplexProgram whole = program_of(p);
  whole.solve();
  EXPECT_NEAR(grown.value(), whole.value(), 1e-9);
  std::vector<bool> stays;
  for (const double x : grown.x()) stays.push_back(x > 0);
  const double before = grown.value();
  grown.keep(stays);
  EXPECT_LT(grown.size(), p.a.size());
  EXPECT_NEAR(grown.value(), before, 1e-12);
  grown.solve();
  EXPECT_NEAR(grown.value(), before, 1e-9);
}

// sum_n C_n max_y (cost + w.(f(y) - f(gold))), with its subgradient.
class Hinge : public BatchFunction {
 public:
  explicit Hinge(const std::vector<EnumeratedExample>& examples) : examples_(examples) {}
  std::size_t dimension() const override { return examples_[0].features[0].size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    std::ranges::fill(gradient, 0.0);
    double value = 0;
    for (const EnumeratedExample& x : examples_) {
      std::size_t best = x.gold;
      double most = dot(w, x.features[x.gold]);
      for (std::size_t y = 0; y < x.cost.size(); ++y) {
        const double score = dot(w, x.features[y]) + x.cost[y];
        if (score > most) most = score, best = y;
      }
      value += x.weight * (most - dot(w, x.features[x.gold]));
      axpy(x.weight, x.features[best], gradient);
      axpy(-x.weight, x.features[x.gold], gradient);
    }
    return value;
  }

 private:
  const std::vector<EnumeratedExample>& examples_;
};

constexpr double kL2 = 0.7;

TEST(CuttingPlanes, ReachTheLargestDual) {
  Random random(4);
  for (const std::size_t dimension : {2, 6, 30}) {
    const auto examples = random_examples(15, 4, dimension, random);
    Hinge f(examples);
    const double least = largest_dual(examples, kL2, 300000);
    std::vector<double> w(dimension);
    const auto check = [&](const Iteration& now) {
      EXPECT_GE(*now.gap, 0);
      EXPECT_LE(now.objective - least, *now.gap * std::max(1.0, now.objective) + 1e-6);
      return true;
    };
    CuttingPlaneOptions options{.l2 = kL2};
    options.stop.gradient_tolerance = 0;
    options.stop.gap_tolerance = 1e-9;
    const OptimizeResult result = cutting_planes(f, w, options, check);
    EXPECT_EQ(result.reason, StopReason::converged_gap) << result.message;
    EXPECT_LE(result.gap.value(), 1e-9);
    EXPECT_NEAR(result.objective, least, 1e-5 * least);
    std::vector<double> gradient(dimension);
    EXPECT_NEAR(f.evaluate(w, gradient) + 0.5 * kL2 * dot(w, w), result.objective, 1e-12);
  }
}

// Where a weight is to be >= 0, against the projection of each point of a fine grid.
TEST(CuttingPlanes, KeepWeightsFromBecomingNegative) {
  Random random(5);
  int held = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const auto examples = random_examples(8, 3, 2, random);
    Hinge f(examples);
    const std::vector<croft::Run> second{{1, 1}};
    std::vector<double> w(2), gradient(2);
    CuttingPlaneOptions options{.l2 = kL2, .nonnegative = second};
    options.stop.gap_tolerance = 1e-9;
    const OptimizeResult result = cutting_planes(f, w, options);
    EXPECT_TRUE(result.converged()) << result.message;
    EXPECT_GE(w[1], 0);
    held += w[1] == 0;
    for (int k = 0; k < 3000; ++k) {
      const std::vector<double> other{w[0] + 0.3 * random.normal(),
                                      std::max(0.0, w[1] + 0.3 * random.normal())};
      EXPECT_GE(f.evaluate(other, gradient) + 0.5 * kL2 * dot(other, other),
                result.objective - 1e-8 * result.objective);
    }
  }
  EXPECT_GT(held, 0);
  EXPECT_LT(held, 10);
}

TEST(CuttingPlanes, StartAnywhereAndEndAtTheSameMinimum) {
  Random random(6);
  const auto examples = random_examples(10, 4, 5, random);
  Hinge f(examples);
  CuttingPlaneOptions options{.l2 = kL2};
  options.stop.gap_tolerance = 1e-10;
  std::vector<double> from_zero(5), from_far(5, 3.0);
  cutting_planes(f, from_zero, options);
  cutting_planes(f, from_far, options);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(from_far[k], from_zero[k], 1e-4);
}

TEST(CuttingPlanes, ResumedRunsAgreeToTheLastBit) {
  Random random(7);
  const auto examples = random_examples(12, 4, 4, random);
  const std::vector<croft::Run> last{{3, 1}};
  const auto run = [&](std::vector<double>& w, Checkpointer* checkpoints) {
    Hinge f(examples);
    CuttingPlaneOptions options{.l2 = kL2, .nonnegative = last};
    options.stop.max_iterations = 12;
    options.stop.gap_tolerance = 0;
    return cutting_planes(f, w, options, {}, checkpoints);
  };
  EXPECT_GT(expect_resumed_runs_to_agree(std::vector<double>(4), run), 4u);
}

TEST(CuttingPlanes, WantAPenalty) {
  EXPECT_THROW(CuttingPlaneOptions{.l2 = 0}.validate(), UsageError);
}

}  // namespace
}  // namespace croft::cutting_planes_test
