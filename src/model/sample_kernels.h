// SIMD kernels of the sample scorer.  Internal.
#pragma once
#include <cstddef>
#include <cstdint>

namespace croft {

// State scores of consecutive positions.
struct SampleScoring {
  const std::uint64_t* begin;  // [count + 1] into id, value
  std::size_t count;
  const std::uint32_t* id;  // rich ones first
  const double* value;      // nullptr: all 1
  const double* zero;       // [stride] what a row starts from
  const double* rich;       // [rich_rows][stride] weights
  std::size_t rich_rows, stride;
  std::size_t first_single;         // from this id on rows have one weight
  const double* short_weight;       // of the short rows, by their place in w
  const std::uint32_t* short_cell;  // parallel
  const std::uint64_t* row_begin;   // [rows + 1] place in w
  std::uint64_t short_offset;       // place in w of short_weight[0]
  double* state;                    // out: [count][stride]
};
void score_sample(const SampleScoring&);

// Gradients of the rows of the attributes of one sequence, one after the other.
struct SampleGradient {
  const std::uint32_t* id;         // [count]
  const std::uint64_t* place_end;  // [count]; those of id[0] begin at place_begin
  std::uint64_t place_begin;
  std::size_t count;
  const std::uint32_t* place;
  const double* value;       // nullptr: all 1
  const double* d_state;     // [positions][stride]
  const std::uint8_t* mask;  // [rich_rows][stride / 8]
  std::size_t rich_rows, stride;
  const std::uint32_t* short_cell;
  const std::uint64_t* row_begin;
  std::uint64_t short_offset;
  double* out;
};
// Returns where `out` ends.
double* sample_gradient(const SampleGradient&);

}  // namespace croft
