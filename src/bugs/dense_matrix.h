// Small dense matrices of a BUGS model, columns after each other.
#pragma once
#include <span>

namespace croft::bugs {

// x: a matrix of `rows` rows, then one of `columns` columns; out [rows x columns].
void multiply_matrices(std::span<const double> x, std::size_t rows, std::size_t columns,
                       std::span<double> out);
// NaN where the matrix has no inverse.
void invert_matrix(std::span<const double> matrix, std::span<double> out);
// ln |det|; -inf for a singular one.
double log_determinant_of(std::span<const double> matrix);

}  // namespace croft::bugs
