// SIMD kernels of the linear scorer.  Internal.
#pragma once
#include <cstddef>
#include <cstdint>

#include "model/linear_scorer.h"

namespace croft {

// The lists of consecutive positions, and the weights that score them.
template <class Real>
struct StateScoring {
  const std::uint64_t* begin;  // [count + 1] into id, value
  std::size_t count;
  const std::uint32_t* id;  // sorted by class of row: rich, poor, single
  const double* value;      // nullptr: all 1
  const Real* zero;         // [stride] what a row starts from
  const Real* rich;         // [rich_rows][stride]
  std::size_t rich_rows, first_single, stride;
  const CellWeight<Real>* short_weight;  // weights of the short rows
  const std::uint64_t* short_begin;      // [row - rich_rows] first weight, minus short_offset
  std::uint64_t short_offset;
  bool far;     // whether short rows are to be fetched ahead: all are more than a cache holds
  Real* state;  // out: [count][stride]
};
void score_states(const StateScoring<float>&);
void score_states(const StateScoring<double>&);

// out[c] = sum_k value[k] rows[place[k]][c], c < stride; partial sums in Real, long ones in double.
template <class Real>
struct RowSum {
  const Real* rows;
  std::size_t stride;
  const std::uint32_t* place;
  const double* value;  // nullptr: all 1
  std::size_t count;
  double* out;
};
void sum_rows(const RowSum<float>&);
void sum_rows(const RowSum<double>&);

}  // namespace croft
