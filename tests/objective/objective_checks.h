// What the tests of all objectives ask: the gradient by central differences, float against double.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "croft/objective/chain_objective.h"
#include "support/tangents.h"

namespace croft::testing_support {

inline std::vector<Label> random_labels(std::size_t length, std::size_t labels, Random& random) {
  std::vector<Label> y(length);
  for (Label& j : y) j = static_cast<Label>(random.below(labels));
  return y;
}

// Dense with masks and overlays, or sparse over either background; the gold labelling is allowed.
inline RandomChain<double> any_chain(std::size_t length, std::size_t labels, double scale,
                                     const std::vector<Label>& gold, Random& random) {
  for (;;) {
    const std::uint64_t kind = random.below(4);
    const double forbidden = kind % 2 == 0 ? 0 : 0.15;
    auto chain =
        kind < 2 ? random_chain<double>({length, labels, scale, forbidden, 0.4, false}, random)
                 : random_sparse_chain<double>({length, labels, scale, 0.1, 0, false},
                                               kind == 2 ? Background::zero : Background::forbidden,
                                               0.75, random);
    if (std::isfinite(score<double>(chain.scores, gold))) return chain;
  }
}

// The same chain in float, every number rounded.
inline RandomChain<float> narrow(const RandomChain<double>& chain) {
  RandomChain<float> other;
  other.transitions = std::make_unique<TransitionScores<float>>(convert<float>(*chain.transitions));
  other.scores.transitions = other.transitions.get();
  other.scores.overlay_of = chain.scores.overlay_of;
  const auto round = [](const Matrix<double>& from, Matrix<float>& to) {
    to.assign(from.rows(), from.columns(), ChainScores<float>::kForbidden);
    for (std::size_t r = 0; r < from.rows(); ++r) {
      for (std::size_t c = 0; c < from.columns(); ++c) to(r, c) = static_cast<float>(from(r, c));
    }
  };
  round(chain.scores.state, other.scores.state);
  round(chain.scores.overlay, other.scores.overlay);
  return other;
}

// All scores, and all derivatives, in the order of map_scores().
template <class Real>
std::vector<double> numbers_of(const RandomChain<Real>& chain) {
  std::vector<double> numbers;
  map_scores(chain, [&](Real value) {
    numbers.push_back(double{value});
    return value;
  });
  return numbers;
}
template <class Real>
std::vector<double> numbers_of(const RandomChain<Real>& chain, const GradientTables<Real>& tables) {
  std::vector<double> numbers;
  const auto append = [&](const auto& table) {
    for (std::size_t r = 0; r < table.rows(); ++r) {
      for (const auto value : table[r]) numbers.push_back(double{value});
    }
  };
  append(tables.state);
  append(tables.overlay);
  append(tables.transition);
  (void)chain;
  return numbers;
}

template <class Real>
struct Evaluation {
  double value;
  std::vector<double> gradient;
};
template <class Real>
Evaluation<Real> evaluate(ChainObjective<Real>& objective, const RandomChain<Real>& chain,
                          const Gold& gold, double weight = 1) {
  GradientTables<Real> tables(chain.scores);
  const double value = objective(chain.scores, gold, weight, tables.view());
  return {value, numbers_of(chain, tables)};
}

// Every entry that is not -inf, one by one; the others have derivatives of 0.
inline void expect_central_differences(ChainObjective<double>& objective,
                                       const RandomChain<double>& chain, const Gold& gold,
                                       double weight = 1) {
  constexpr double kStep = 1e-5;
  const Evaluation<double> here = evaluate(objective, chain, gold, weight);
  ASSERT_TRUE(std::isfinite(here.value));
  const std::vector<double> numbers = numbers_of(chain);
  ASSERT_EQ(numbers.size(), here.gradient.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (std::isinf(numbers[k])) {
      ASSERT_EQ(here.gradient[k], 0) << k;
      continue;
    }
    const auto value = [&](double step) {
      std::size_t at = 0;
      const auto shifted = map_scores(chain, [&](double v) { return at++ == k ? v + step : v; });
      return evaluate(objective, shifted, gold, weight).value;
    };
    const double difference = (value(kStep) - value(-kStep)) / (2 * kStep);
    ASSERT_NEAR(here.gradient[k], difference, 1e-7 * (1 + std::abs(here.value))) << k;
  }
}

inline void expect_near(const Evaluation<double>& a, const Evaluation<double>& b,
                        double tolerance) {
  ASSERT_NEAR(a.value, b.value, tolerance * (1 + std::abs(b.value)));
  ASSERT_EQ(a.gradient.size(), b.gradient.size());
  for (std::size_t k = 0; k < a.gradient.size(); ++k) {
    ASSERT_NEAR(a.gradient[k], b.gradient[k], tolerance) << k;
  }
}

// The objective in float of the rounded chain, against the one in double of the same numbers.
inline void expect_float_near_double(ChainObjective<float>& narrow_objective,
                                     ChainObjective<double>& objective,
                                     const RandomChain<double>& chain, const Gold& gold,
                                     double tolerance) {
  const RandomChain<float> rounded = narrow(chain);
  RandomChain<double> same = map_scores(
      chain, [](double value) { return static_cast<double>(static_cast<float>(value)); });
  const auto a = evaluate(narrow_objective, rounded, gold);
  const auto b = evaluate(objective, same, gold);
  expect_near({a.value, a.gradient}, b, tolerance);
}

// -inf at the gold label of a position, at a gold edge, or at its overlay: L = +inf.
template <class Real>
void expect_forbidden_gold_is_infinite(ChainObjective<Real>& objective) {
  Random random(99);
  const std::vector<Label> gold{0, 1, 2, 1};
  const double inf = std::numeric_limits<double>::infinity();
  auto state = random_chain<Real>({4, 3, 1, 0, 0.5, false}, random);
  EXPECT_TRUE(std::isfinite(evaluate(objective, state, gold).value));
  state.scores.state(2, 2) = ChainScores<Real>::kForbidden;
  EXPECT_EQ(evaluate(objective, state, gold).value, inf);
  auto edge = random_chain<Real>({4, 3, 1, 0, 0, false}, random);
  Matrix<Real> log = edge.transitions->log();
  log(1, 2) = ChainScores<Real>::kForbidden;
  edge.transitions->assign(std::move(log));
  EXPECT_EQ(evaluate(objective, edge, gold).value, inf);
  auto overlay = random_chain<Real>({4, 3, 1, 0, 1, false}, random);
  overlay.scores.overlay(overlay.scores.overlay_of[3] * 3 + 2, 1) = ChainScores<Real>::kForbidden;
  EXPECT_EQ(evaluate(objective, overlay, gold).value, inf);
}

}  // namespace croft::testing_support
