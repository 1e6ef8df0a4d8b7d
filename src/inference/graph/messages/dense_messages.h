// What a table of scores sends to its variables.  Internal to inference/.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace croft {

// table[rows][cols]:  to_rows[i] = sum_j table[i][j] col[j],  to_cols[j] = sum_i row[i]
// table[i][j], in a semiring (semirings.h).
template <class S>
void matrix_messages(const double* table, std::size_t rows, std::size_t cols, const double* row,
                     const double* col, double* to_rows, double* to_cols);

class DenseScratch {
 public:
  // Makes room for tables of that shape.
  void prepare(std::span<const std::uint32_t> states);
  double* numbers() { return numbers_.data(); }

 private:
  std::vector<double> numbers_;
};

// Messages of a table over several variables, the last of which changes fastest.
//   in, out : [sum of states], one message after the other;  scratch : prepared for `states`
// The variables are cut in two halves, and the table is gone through once as a matrix over their
// joint states; what it sends to a half is a table for the variables in it.
template <class S>
void dense_messages(const double* table, std::span<const std::uint32_t> states, const double* in,
                    double* out, DenseScratch& scratch);

}  // namespace croft
