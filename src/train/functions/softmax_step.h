// One step of dual coordinate ascent on a softmax, exactly (SIMD, run-time dispatch).
#pragma once
#include <cstddef>

namespace croft {

// mu <- the distribution of the largest  H(mu) + s.mu - sum_y c[y] (mu[y] - old[y])^2 / 2   (B.35)
// where `old` is what mu holds before.  Rows of stride = padded(labels) numbers, aligned as rows of
// a Matrix are; in the padding s = -inf, mu = 0, c any.  s finite, c > 0, mu >= 0 otherwise.
// The new mu sums up to 1 whatever the rounding.  Returns softmax_gap(s, old).  Cost: some ten exp
// a number.
double softmax_step(const double* s, const double* c, double* mu, std::size_t stride);

// KL(mu | softmax s), in nats: how far mu is from what is best for s, and 0 there alone.
double softmax_gap(const double* s, const double* mu, std::size_t stride);

// H(mu), in nats.
double entropy_of(const double* mu, std::size_t stride);

}  // namespace croft
