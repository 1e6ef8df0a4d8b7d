// A diagonal matrix near the size of the Hessian's rows, from products with random vectors.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/vector_math.h"
#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "croft/core/random.h"
#include "croft/core/state_archive.h"

namespace croft {

// P = diag(1 / b),  b_k^2 = the mean of (H z)_k^2 over random vectors z of -1 and 1 (B.7)
class DiagonalPreconditioner {
 public:
  DiagonalPreconditioner() = default;
  // least : no b is smaller; the rows of the Hessian of f + (l2/2)|w|^2 have the size l2 at least
  DiagonalPreconditioner(std::size_t size, double least) : b_(size, 1.0), least_(least) {}

  // From so many products with the Hessian.
  //   z       : where the random vectors go
  //   product : () -> H z
  template <class Product>
  void estimate(ThreadPool& pool, std::size_t probes, std::uint64_t seed, std::span<double> z,
                const Product& product) {
    Random random(seed);
    std::ranges::fill(b_, 0.0);
    for (std::size_t p = 0; p < probes; ++p) {
      set_signs(random, z);
      const std::span<const double> hz = product();
      for_blocks(pool, b_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) b_[i] += hz[i] * hz[i];
      });
    }
    take_roots(pool, static_cast<double>(probes));
  }

  // (P g)_i
  double operator()(double g, std::size_t i) const { return g / b_[i]; }
  double b(std::size_t i) const { return b_[i]; }

  void archive(StateArchive& state) { state(b_, least_); }

 private:
  static void set_signs(Random& random, std::span<double> signs) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      if (i % 64 == 0) bits = random.next();
      signs[i] = (bits >> (i % 64) & 1) != 0 ? 1 : -1;
    }
  }

  void take_roots(ThreadPool& pool, double probes) {
    for (double& b : b_) b = std::sqrt(b / probes);
    const double sum = sum_blocks(pool, b_.size(), [&](std::size_t begin, std::size_t end) {
      return sum_abs(std::span<const double>(b_).subspan(begin, end - begin));
    });
    // A weight without curvature moves no further than a million times the average one; without
    // any, or with some that is not finite, P = I.
    const double mean = sum / static_cast<double>(std::max<std::size_t>(b_.size(), 1));
    const double least = std::max(least_, 1e-6 * mean);
    const bool usable = std::isfinite(sum) && least > 0;
    for (double& b : b_) b = usable ? std::max(b, least) : 1;
  }

  AlignedVector<double> b_;
  double least_ = 0;
};

}  // namespace croft
