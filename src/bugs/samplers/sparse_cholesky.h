// Cholesky factors of sparse matrices of one pattern, factorised again and again.
//
// The order of elimination (minimum degree), the pattern of L and the places that each column
// updates are found once; a factorisation is then one pass over lists of positions.
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
  void solve_lower(double* x) const;     // x := L^-1 x
  void solve_upper(double* x) const;     // x := L'^-1 x
  double square(const double* x) const;  // x' L L' x
  double log_root_determinant() const;   // ln |L|

 private:
  std::size_t n_;
  bool fits_ = true;
  std::vector<std::uint32_t> place_;                   // [n]
  std::vector<std::uint32_t> begin_, rows_, targets_;  // columns: the diagonal first
  std::vector<double> entries_, inverse_;              // inverse_: 1 / diagonal of L
};

}  // namespace croft::bugs
