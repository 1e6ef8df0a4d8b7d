// Cholesky factors of sparse matrices of one pattern, factorised again and again.
//
// The order of elimination (minimum degree), the pattern of L and the places that each column
// updates are found once; a factorisation is then one pass over lists of positions.
//
// The factor can also come from the rows a of P = sum of a a', by rotations: that keeps the digits
// which P loses where columns are almost parallel.  docs/math/bugs_samplers.md section 4.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace croft::bugs {

class SparseCholesky {
 public:
  // pairs : (i, j) of entries, each once or more, in any order; the diagonal is always there
  SparseCholesky(std::size_t n, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs);

  static constexpr std::size_t kMostWork = std::size_t{1} << 22;
  // False: a factorisation would take more than kMostWork products; the rest must not be used.
  bool fits() const { return fits_; }
  std::size_t size() const { return n_; }

  // Row and column i of the matrix are at place(i) in the order of elimination.  Everything below
  // is in that order.
  std::uint32_t place(std::uint32_t i) const { return place_[i]; }
  // Index of the entry (i, j) of the matrix, both by place, in entries().
  std::uint32_t position(std::uint32_t i, std::uint32_t j) const;

  std::span<double> entries() { return entries_; }  // [with the fill; 0 where there is none]
  // entries() := L.  False where the matrix is not positive definite.
  bool factorise();
  // Returns the least L_kk^2 / P_kk of the last factorise(), 0 if it failed: the worst column has
  // lost so many digits of P.
  double least_pivot() const { return least_pivot_; }

  // --- The factor of P = sum of a a', from the rows a.
  struct RowEntry {
    std::uint32_t place;
    double number;
  };
  void begin_rows();
  // Adds (a'x - target)^2.  All pairs of the row's places have to be in the pattern.
  void add_row(std::span<const RowEntry> row, double target);
  // entries() := L; targets() := q, where the sum of squares is |L'x - q|^2 and a constant.  An
  // element whose L_kk is below `tolerance` times the norm of its column is appended to `held`: the
  // factor and q are then those of the other elements, given this one's value in x, and both
  // solves leave 0 in its place.  False where a number is not finite.
  bool finish_rows(double tolerance, std::span<const double> x, std::vector<std::uint32_t>& held);
  std::span<const double> targets() const { return targets_of_rows_; }
  // Calls visit(row, target) for n rows or fewer that give the same sum of squares but for a
  // constant.
  template <class Visit>
  void visit_rows(const Visit& visit) const {
    std::vector<RowEntry> row;
    for (std::size_t k = 0; k < n_; ++k) {
      row.clear();
      for (std::uint32_t a = begin_[k]; a < begin_[k + 1]; ++a)
        if (entries_[a] != 0) row.push_back({rows_[a], entries_[a]});
      if (!row.empty()) visit(std::span<const RowEntry>(row), targets_of_rows_[k]);
    }
  }

  void solve_lower(double* x) const;     // x := L^-1 x
  void solve_upper(double* x) const;     // x := L'^-1 x
  double square(const double* x) const;  // x' L L' x
  double log_root_determinant() const;   // ln |L|

 private:
  // Rotates row_, whose places before k are 0, into the factor.
  void rotate_in(std::uint32_t k, double target);

  std::size_t n_;
  bool fits_ = true;
  std::vector<std::uint32_t> place_;                   // [n]
  std::vector<std::uint32_t> begin_, rows_, targets_;  // columns: the diagonal first
  std::vector<double> entries_, inverse_;              // inverse_: 1 / diagonal of L
  std::vector<double> diagonal_;                       // [n], of P
  std::vector<double> norms_;                          // [n], of the columns of the rows
  std::vector<double> row_, targets_of_rows_;          // [n]
  double least_pivot_ = 0;
};

}  // namespace croft::bugs
