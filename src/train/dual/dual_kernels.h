// SIMD kernels of the dual problems, and of dual ascent over chains.  Internal.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "croft/core/matrix.h"

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

// Returns S(v) of (D.29): v moved towards 0 by the threshold l1 / l2, and 0 where v is nearer than
// that.
template <class T>
T shrunk(T v, T threshold) {
  return v > threshold ? v - threshold : v < -threshold ? v + threshold : T{0};
}

// Occurrences of attributes whose weights are rows of a table, position by position.
template <class Real>
struct RowLists {
  const std::uint64_t* begin;  // begin[k * step], end[k * step]: of the k-th position
  const std::uint64_t* end;
  std::size_t step, positions;
  const std::uint32_t* row;
  const Real* value;  // parallel to row; nullptr: all 1
};

// out[k] = sum over the k-th position's occurrences of value table.row(row), each number shrunk by
// the threshold.
//   out : [positions][table.stride()], overwritten
void add_up_rows(const RowLists<float>& lists, const Matrix<float>& table, float threshold,
                 float* out);
void add_up_rows(const RowLists<double>& lists, const Matrix<double>& table, double threshold,
                 double* out);

// table.row(row) += value change[k] in the columns of the row's mask, occurrence by occurrence.
// Returns by how much the sum of squares of the shrunk table grew.
//   mask   : [rows][stride / 8] bits; nullptr: all columns
//   change : [positions][table.stride()]
double move_rows(const RowLists<float>& lists, const std::uint8_t* mask, const float* change,
                 float threshold, Matrix<float>& table);
double move_rows(const RowLists<double>& lists, const std::uint8_t* mask, const double* change,
                 double threshold, Matrix<double>& table);

// out = (1 - share) a + share b; sizes alike.
void mix(std::span<const float> a, std::span<const float> b, double share, std::span<float> out);
void mix(std::span<const double> a, std::span<const double> b, double share, std::span<double> out);

// Of a step from the marginals `before` of exp(theta_before) to `after` of exp(theta_after), where
// w gives the scores theta: delta = after - before, and
struct StepSums {
  double expected = 0;  // theta_after . after
  double linear = 0;    // theta . delta
  double slope = 0;     // (theta - theta_before) . delta
};
template <class Real>
struct AscentStep {
  std::span<const Real> before, after, theta, theta_before, theta_after;
  double scale;
  std::span<Real> change;
};
StepSums measure(const AscentStep<float>& step);
StepSums measure(const AscentStep<double>& step);

// The same of numbers that are computed in double, and kept in Real.
template <class Real>
struct WideStep {
  std::span<const Real> before, theta_before;
  std::span<const double> after, theta, theta_after;
  std::span<double> delta;
  std::span<Real> kept;  // after
};
StepSums measure(const WideStep<float>& step);
StepSums measure(const WideStep<double>& step);

// out = (1 - share) a + share b
void mix(std::span<const float> a, std::span<const double> b, double share, std::span<double> out);

// w += scale delta.  Returns by how much the sum of copies w^2 grew.
double move_copies(std::span<const double> copies, std::span<const double> delta, double scale,
                   double threshold, std::span<double> w);

}  // namespace croft
