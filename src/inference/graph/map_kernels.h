// Maxima that factors pass on.  Internal to inference/.  Inputs are numbers, or -inf for a state
// that is out of the question; docs/math/graph_map.md section 1.
#pragma once
#include <cstddef>
#include <span>

namespace croft {

// out[i] = max_j rows[j][i] + in[j],  j < many, i < wanted
void max_plus(const double* rows, const double* in, std::size_t many, std::size_t wanted,
              double* out);

// The same where rows[j][i] is a function of i and j, in O(many + wanted):
// `equal` for i = j, else `unequal`;
void potts_message(const double* in, std::size_t many, double equal, double unequal,
                   std::size_t wanted, double* out);
// -min(weight |i - j|, limit);
void truncated_linear_message(const double* in, std::size_t many, double weight, double limit,
                              std::size_t wanted, double* out);
// -min(weight (i - j)^2, limit): an upper envelope of parabolas (Felzenszwalb & Huttenlocher 2012).
void truncated_quadratic_message(const double* in, std::size_t many, double weight, double limit,
                                 std::size_t wanted, double* out);

// Of variables of two states, what a factor is given of each, and what it answers:
// m_s = max over the others' states of the factor's score and all inputs, the variable in state s.
struct BinaryInput {
  double in0, in1;
  double m0 = 0, m1 = 0;
};
// 0 where the sum of the states is odd (or even), else `floor`.  O(n).
void parity_marginals(std::span<BinaryInput> inputs, bool odd, double floor);
// scores[sum of the states].  O(n log n).
void cardinality_marginals(std::span<BinaryInput> inputs, const double* scores);

}  // namespace croft
