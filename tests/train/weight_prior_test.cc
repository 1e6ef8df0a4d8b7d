// The change of variables that a prior is, against the penalty that it stands for.
#include "train/weight_prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "croft/core/random.h"

namespace croft::weight_prior_test {
namespace {

// Rows of transitions, node and edge attributes of random lengths, some empty.
ChainLayout random_layout(Random& random) {
  ChainLayout layout;
  std::uint64_t at = 0;
  for (RowLayout* rows : {&layout.tied, &layout.node, &layout.edge}) {
    rows->begin = {at};
    const std::size_t count = random.below(4);
    for (std::size_t r = 0; r < count; ++r) rows->begin.push_back(at += random.below(3));
  }
  return layout;
}

TEST(PriorScale, IsTheRootOfTheVarianceOfEachRow) {
  Random random(1);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const ChainLayout layout = random_layout(random);
    std::vector<double> variance, expected;
    for (const RowLayout* rows : {&layout.tied, &layout.node, &layout.edge}) {
      for (std::size_t r = 0; r < rows->rows(); ++r) {
        variance.push_back(0.1 + random.uniform());
        expected.insert(expected.end(), rows->length(r), std::sqrt(variance.back()));
      }
    }
    EXPECT_EQ(prior_scale(layout, variance), expected);
  }
}

TEST(WeightPrior, ThePlainPenaltyOfItsVariablesIsThePenaltyOfTheWeights) {
  Random random(2);
  for (const bool has_mean : {false, true}) {
    for (const bool has_scale : {false, true}) {
      WeightPrior prior;
      std::vector<double> u(20);
      for (double& x : u) x = random.normal();
      if (has_mean) {
        for (std::size_t k = 0; k < u.size(); ++k) prior.mean.push_back(random.normal());
      }
      if (has_scale) {
        for (std::size_t k = 0; k < u.size(); ++k) prior.scale.push_back(0.1 + random.uniform());
      }
      EXPECT_EQ(prior.trivial(), !has_mean && !has_scale);
      double plain = 0, penalty = 0;
      for (std::size_t k = 0; k < u.size(); ++k) {
        const double w = prior.weight(k, u[k]);
        EXPECT_NEAR(prior.variable(k, w), u[k], 1e-12);
        const double away = w - (has_mean ? prior.mean[k] : 0);
        plain += u[k] * u[k];
        penalty += away * away / (has_scale ? prior.scale[k] * prior.scale[k] : 1);
      }
      EXPECT_NEAR(plain, penalty, 1e-10 * plain);
    }
  }
}

// f(w) = sum c_k (w_k - k)^2.
class Bowl final : public CurvedFunction {
 public:
  std::size_t dimension() const override { return 4; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double away = w[k] - static_cast<double>(k);
      value += curvature(k) * away * away;
      gradient[k] = 2 * curvature(k) * away;
    }
    return value;
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    for (std::size_t k = 0; k < v.size(); ++k) out[k] = 2 * curvature(k) * v[k];
  }

 private:
  static double curvature(std::size_t k) { return 1 + static_cast<double>(k * k); }
};

TEST(PriorFunction, HasTheGradientAndTheCurvatureOfItsValue) {
  Bowl bowl;
  const WeightPrior prior{.mean = {1, -1, 0, 2}, .scale = {0.5, 1, 2, 3}};
  PriorFunction f(bowl, prior);
  const std::vector<double> u{0.3, -0.2, 1, 0.7}, v{1, 2, -1, 0.5};
  std::vector<double> gradient(4), other(4), product(4);
  constexpr double kStep = 1e-5;
  f.evaluate(u, gradient);
  f.hessian_product(v, product);
  const auto moved = [&](const std::vector<double>& by, double step) {
    std::vector<double> to = u;
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += step * by[k];
    return to;
  };
  for (std::size_t k = 0; k < u.size(); ++k) {
    std::vector<double> one(4, 0.0);
    one[k] = 1;
    const double difference =
        f.evaluate(moved(one, kStep), other) - f.evaluate(moved(one, -kStep), other);
    EXPECT_NEAR(gradient[k], difference / (2 * kStep), 1e-6);
  }
  std::vector<double> ahead(4), behind(4);
  f.evaluate(moved(v, kStep), ahead);
  f.evaluate(moved(v, -kStep), behind);
  for (std::size_t k = 0; k < u.size(); ++k) {
    EXPECT_NEAR(product[k], (ahead[k] - behind[k]) / (2 * kStep), 1e-6);
  }
}

}  // namespace
}  // namespace croft::weight_prior_test
