// SIMD kernels of the dual problems.  Internal.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace croft {

// With p = mu + g delta, number by number: the sums of  -p log p,  -delta log p,  -delta^2 / p.
// The last two leave out what has delta = 0; a p of 0 counts as a very small one.
std::array<double, 3> entropy_sums(std::span<const double> mu, std::span<const double> delta,
                                   double g);
std::array<double, 3> entropy_sums(std::span<const float> mu, std::span<const float> delta,
                                   double g);

// Of one edge of a chain, whose pairs of labels have the probability alpha_i factor_ij suffix_j:
//   delta  = that - mu           [labels][labels]
//   total += mu                  [labels][stride]
template <class Real>
struct EdgeTable {
  std::size_t labels, stride;
  const Real* alpha;   // [labels]
  const Real* factor;  // [labels][stride]
  const Real* suffix;  // [labels]
};
void edge_delta(const EdgeTable<double>& p, const double* mu, double* delta, double* total);
void edge_delta(const EdgeTable<float>& p, const float* mu, float* delta, float* total);

}  // namespace croft
