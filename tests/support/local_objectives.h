// What every objective that is a sum of local terms is tested for; chains and labels come from
// `seed`.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "croft/objective/likelihood.h"
#include "objective/objective_checks.h"

namespace croft::testing_support {

using Definition = std::function<double(const ChainScores<double>&, const std::vector<Label>&)>;

// The value is the definition's, weighted, for chains of all kinds from no position on.
inline void expect_definition(ChainObjective<double>& objective, const Definition& by_definition,
                              std::uint64_t seed) {
  Random random(seed);
  for (std::size_t length = 0; length <= 6; ++length) {
    for (std::size_t labels = 1; labels <= 9; labels += 2) {
      for (int repeat = 0; repeat < 8; ++repeat) {
        const auto y = random_labels(length, labels, random);
        const auto chain = any_chain(length, labels, 3, y, random);
        const double truth = by_definition(chain.scores, y);
        ASSERT_NEAR(evaluate<double>(objective, chain, y, 1.5).value, 1.5 * truth,
                    1e-12 * (1 + truth));
      }
    }
  }
}

inline void expect_gradient(ChainObjective<double>& objective, std::uint64_t seed) {
  Random random(seed);
  const std::size_t length = 1 + random.below(5), labels = 1 + random.below(4);
  const auto y = random_labels(length, labels, random);
  expect_central_differences(objective, any_chain(length, labels, 2, y, random), y, 0.7);
}

inline void expect_float_near_double(ChainObjective<float>& narrow, ChainObjective<double>& wide,
                                     double tolerance, std::uint64_t seed) {
  Random random(seed);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto y = random_labels(30, 11, random);
    expect_float_near_double(narrow, wide, any_chain(30, 11, 2, y, random), y, tolerance);
  }
}

// Of one position, where there is nothing else to know or to leave out.
inline void expect_likelihood_of_one_position(ChainObjective<double>& objective,
                                              std::uint64_t seed) {
  Random random(seed);
  ChainLikelihood<double> likelihood;
  const std::vector<Label> y{2};
  const auto chain = random_chain<double>({1, 5, 3, 0, 0, false}, random);
  expect_near(evaluate<double>(objective, chain, y), evaluate<double>(likelihood, chain, y), 1e-14);
}

}  // namespace croft::testing_support
