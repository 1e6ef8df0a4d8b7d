// Kernels against the features that they stand for, one by one.
#include "train/dual/kernel_dual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "optimize/dual/dual_methods.h"
#include "optimize/memory_checkpoint.h"
#include "support/naive_features.h"

namespace croft::kernel_dual_test {
namespace {

using testing_support::append_slice;
using testing_support::DataShape;
using testing_support::random_model;
using testing_support::RandomModel;

std::vector<double> vector_at(const AttributeLists& lists, std::uint64_t p) {
  std::vector<double> x(64);
  for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
    x.at(lists.id[k]) += lists.value.empty() ? 1.0 : lists.value[k];
  }
  return x;
}

double kernel_value(const Kernel& kernel, const std::vector<double>& x,
                    const std::vector<double>& z) {
  double product = 0, distance = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    product += x[a] * z[a];
    distance += (x[a] - z[a]) * (x[a] - z[a]);
  }
  switch (kernel.type) {
    case Kernel::Type::linear:
      return product;
    case Kernel::Type::polynomial:
      return std::pow(kernel.scale * product + kernel.offset, kernel.degree);
    case Kernel::Type::rbf:
      return std::exp(-kernel.gamma * distance);
  }
  return 0;
}

std::vector<Kernel> kernels() {
  return {{},
          {.type = Kernel::Type::polynomial, .scale = 0.5, .offset = 0.25, .degree = 3},
          {.type = Kernel::Type::rbf, .gamma = 0.3}};
}

// One sequence of many positions.
AttributeLists random_lists(std::size_t positions, std::size_t attributes, bool values,
                            Random& random) {
  AttributeLists lists;
  for (std::size_t p = 0; p < positions; ++p) {
    for (std::uint64_t k = random.below(6); k > 0; --k) {
      lists.id.push_back(static_cast<std::uint32_t>(random.below(attributes)));
      if (values) lists.value.push_back(random.normal());
    }
    lists.begin.push_back(lists.id.size());
  }
  return lists;
}

// Attributes with small numbers make a dense table; with numbers far apart, lists of places.
TEST(KernelProducts, AreThoseOfTheDefinition) {
  Random random(1);
  for (const bool sparse : {false, true}) {
    for (const bool values : {false, true}) {
      const AttributeLists set = random_lists(150, 20, values, random);
      AttributeLists spread = set;
      if (sparse) {
        for (std::uint32_t& a : spread.id) a *= 1000;
      }
      AttributeLists queries = random_lists(9, 25, values, random);  // some that the set has not
      AttributeLists spread_queries = queries;
      if (sparse) {
        for (std::uint32_t& a : spread_queries.id) a *= 1000;
      }
      for (const Kernel& kernel : kernels()) {
        const KernelProducts products(kernel, spread);
        Matrix<float> out(9, 150);
        std::vector<std::uint64_t> which;
        std::vector<float*> to;
        for (std::size_t k = 0; k < 9; ++k) {
          which.push_back(8 - k);
          to.push_back(out.row(k));
        }
        products.rows(spread_queries, which, 0, 150, to);
        Matrix<float> part(9, 77);
        std::vector<float*> to_part;
        for (std::size_t k = 0; k < 9; ++k) to_part.push_back(part.row(k));
        products.rows(spread_queries, which, 31, 77, to_part);
        for (std::size_t k = 0; k < 9; ++k) {
          for (std::size_t q = 0; q < 150; ++q) {
            const double expected =
                kernel_value(kernel, vector_at(queries, 8 - k), vector_at(set, q));
            ASSERT_NEAR(out(k, q), expected, 2e-5 * (1 + std::abs(expected)));
            if (q >= 31 && q < 31 + 77) {
              ASSERT_EQ(part(k, q - 31), out(k, q));
            }
          }
        }
      }
    }
  }
}

TEST(KernelProducts, AreSymmetricToTheLastBit) {
  Random random(2);
  const AttributeLists set = random_lists(70, 20, true, random);
  for (const Kernel& kernel : kernels()) {
    const KernelProducts products(kernel, set);
    Matrix<float> out(70, 70);
    std::vector<std::uint64_t> which;
    std::vector<float*> to;
    for (std::size_t k = 0; k < 70; ++k) {
      which.push_back(k);
      to.push_back(out.row(k));
    }
    products.rows(set, which, 0, 70, to);
    for (std::size_t p = 0; p < 70; ++p) {
      for (std::size_t q = 0; q < p; ++q) ASSERT_EQ(out(p, q), out(q, p));
    }
  }
}

TEST(KernelRowCache, GivesTheRowsWhateverItHasRoomFor) {
  Random random(3);
  const AttributeLists set = random_lists(60, 20, true, random);
  const KernelProducts products(kernels()[1], set);
  KernelRowCache small(products, set, 1), large(products, set, 1 << 20);
  for (std::size_t round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> some;
    for (std::uint64_t p = random.below(20); p < 60 && some.size() < KernelRowCache::kTogether;
         p += 1 + random.below(9)) {
      some.push_back(p);
    }
    const auto from_small = small.rows(some);
    const auto from_large = large.rows(some);
    for (std::size_t k = 0; k < some.size(); ++k) {
      ASSERT_TRUE(std::equal(from_small[k], from_small[k] + 60, from_large[k]));
      ASSERT_NEAR(from_small[k][5],
                  kernel_value(kernels()[1], vector_at(set, some[k]), vector_at(set, 5)), 1e-4);
    }
  }
}

RandomModel model_of(double edge, Random& random) {
  const DataShape shape{.sequences = 10, .max_length = 5, .edge = edge};
  return random_model(shape, {.features = FeatureSet::all}, 1, random);
}

// All cells of all attributes: then the weights of the node features are sums over positions.
TEST(KernelDual, LinearKernelEqualsTheLinearProblem) {
  Random random(4);
  for (const double edge : {0.0, 0.5}) {
    const RandomModel model = model_of(edge, random);
    const LabelCost cost = hamming_cost(model.layout.labels, 1);
    const ChainDualOptions hinge{.l2 = 0.9, .parts = ChainParts::by_position, .cost = &cost};
    ChainDualOptions log_loss = hinge;
    log_loss.loss = DualLoss::log_loss;
    const StoppingRule stop{.max_iterations = 5000, .gradient_tolerance = 0, .gap_tolerance = 1e-5};
    ChainDualProblem linear(model.data, model.layout, hinge);
    KernelDualProblem kernel(model.data, model.layout, {.dual = hinge});
    const OptimizeResult a = smo(linear, {.stop = stop}), b = smo(kernel, {.stop = stop});
    EXPECT_EQ(a.reason, StopReason::converged_gap) << a.message;
    EXPECT_EQ(b.reason, StopReason::converged_gap) << b.message;
    EXPECT_NEAR(a.objective, b.objective, 1e-5 * a.objective);
    EXPECT_NEAR(linear.squared_norm(), kernel.squared_norm(), 1e-2 * linear.squared_norm());
    ChainDualProblem smooth(model.data, model.layout, log_loss);
    KernelDualProblem smooth_kernel(model.data, model.layout, {.dual = log_loss});
    const OptimizeResult c = sdca(smooth, {.stop = stop}), d = sdca(smooth_kernel, {.stop = stop});
    EXPECT_NEAR(c.objective, d.objective, 2e-5 * c.objective);
    EXPECT_EQ(d.reason, StopReason::converged_gap) << d.message;
  }
}

// (a x.x' + c)^2 has the features sqrt(2 a c) x_a, a x_a x_b and c.
TEST(KernelDual, PolynomialKernelEqualsItsFeatures) {
  Random random(5);
  const RandomModel model = model_of(0, random);
  const Kernel kernel{.type = Kernel::Type::polynomial, .scale = 0.5, .offset = 0.8, .degree = 2};
  ChainData explicit_data = model.data;
  explicit_data.node = {};
  const std::size_t attributes = model.layout.node.rows();
  for (std::uint64_t p = 0; p < model.data.positions(); ++p) {
    const std::vector<double> x = vector_at(model.data.node, p);
    const auto add = [&](std::size_t id, double value) {
      explicit_data.node.id.push_back(static_cast<std::uint32_t>(id));
      explicit_data.node.value.push_back(value);
    };
    for (std::size_t a = 0; a < attributes; ++a) {
      add(a, std::sqrt(2 * kernel.scale * kernel.offset) * x[a]);
      for (std::size_t b = 0; b < attributes; ++b) {
        add(attributes * (a + 1) + b, kernel.scale * x[a] * x[b]);
      }
    }
    add(attributes * (attributes + 1), kernel.offset);
    explicit_data.node.begin.push_back(explicit_data.node.id.size());
  }
  Renumbering renumbering;
  const ChainLayout layout =
      make_chain_layout(explicit_data, model.layout.labels, attributes * (attributes + 1) + 1, 0,
                        {.features = FeatureSet::all}, renumbering);
  const LabelCost cost = hamming_cost(layout.labels, 1);
  const ChainDualOptions options{.l2 = 2, .parts = ChainParts::by_position, .cost = &cost};
  // The transitions of the two layouts must be the same.
  ASSERT_EQ(layout.tied.begin.back(), model.layout.tied.begin.back());
  const StoppingRule stop{.max_iterations = 5000, .gradient_tolerance = 0, .gap_tolerance = 1e-5};
  ChainDualProblem features(explicit_data, layout, options);
  KernelDualProblem problem(model.data, model.layout, {.kernel = kernel, .dual = options});
  const OptimizeResult a = smo(features, {.stop = stop}), b = smo(problem, {.stop = stop});
  EXPECT_EQ(b.reason, StopReason::converged_gap) << b.message;
  EXPECT_NEAR(a.objective, b.objective, 2e-5 * a.objective);
}

TEST(KernelDual, ExpansionScoresAsTheProblemDoes) {
  Random random(6);
  for (const double edge : {0.0, 0.5}) {
    const RandomModel model = model_of(edge, random);
    const LabelCost cost = hamming_cost(model.layout.labels, 1);
    for (const Kernel& kernel : kernels()) {
      const ChainDualOptions options{
          .l2 = 0.5, .parts = ChainParts::by_position, .loss = DualLoss::log_loss};
      KernelDualProblem problem(model.data, model.layout, {.kernel = kernel, .dual = options});
      sdca(problem, {.stop = {.max_iterations = 5}});
      const KernelExpansion expansion = problem.expansion();
      EXPECT_GT(expansion.support_vectors(), 0u);
      const KernelScorer scorer(expansion);
      for (std::size_t n = 0; n < problem.samples(); ++n) {
        std::vector<double> theta(problem.parts(n));
        problem.scores(n, theta);
        Matrix<double> state;
        scorer.score(model.data.node, model.data.sequence_begin[n],
                     model.data.sequence_begin[n + 1], state);
        for (std::size_t t = 0; t < state.rows(); ++t) {
          for (std::size_t j = 0; j < state.columns(); ++j) {
            const double expected = theta[t * state.columns() + j];
            EXPECT_NEAR(state(t, j), expected, 1e-4 * (1 + std::abs(expected)));
          }
        }
      }
    }
  }
}

TEST(KernelDual, CacheAndResumptionChangeNoBit) {
  Random random(7);
  const RandomModel model = model_of(0.5, random);
  const LabelCost cost = hamming_cost(model.layout.labels, 1);
  const ChainDualOptions options{.l2 = 0.5, .parts = ChainParts::by_position, .cost = &cost};
  const auto run_with = [&](std::size_t cache) {
    return [&, cache](std::vector<double>& w, Checkpointer* checkpoints) {
      KernelDualProblem problem(model.data, model.layout,
                                {.kernel = kernels()[2], .cache_bytes = cache, .dual = options});
      const OptimizeResult result =
          smo(problem, {.stop = {.max_iterations = 6, .gap_tolerance = 0}}, {}, checkpoints);
      const KernelExpansion expansion = problem.expansion();
      w = expansion.w;
      for (std::size_t s = 0; s < expansion.support_vectors(); ++s) {
        for (const float c : expansion.coefficients[s]) w.push_back(double{c});
      }
      return result;
    };
  };
  std::vector<double> a, b;
  run_with(1)(a, nullptr);
  run_with(1 << 20)(b, nullptr);
  EXPECT_EQ(a, b);
  EXPECT_GT(expect_resumed_runs_to_agree(a, run_with(1)), 3u);
}

TEST(Kernel, NamesWhatIsWrong) {
  const auto message = [](const Kernel& kernel) {
    try {
      kernel.validate();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({.scale = 0}), "scale is 0; it must be > 0");
  EXPECT_EQ(message({.offset = -1}), "offset is -1; it must be >= 0");
  EXPECT_EQ(message({.degree = 11}), "degree is 11; it must be from 1 to 10");
  EXPECT_EQ(message({.gamma = 0}), "gamma is 0; it must be > 0");
}

}  // namespace
}  // namespace croft::kernel_dual_test
