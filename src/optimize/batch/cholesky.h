// Linear equations with a positive definite matrix, by A = L L' (B.9).
#pragma once
#include <cstddef>
#include <span>

#include "croft/core/matrix.h"
#include "croft/core/parallel.h"

namespace croft {

// A symmetric matrix whose upper triangle stays, and whose lower one takes the factor of A, or of A
// with more on its diagonal.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t n) : a_(n, n), diagonal_(n) {}

  std::size_t size() const { return diagonal_.size(); }
  // To be filled from the diagonal on: row[j] for j >= i.  Unsolved until the next factorise().
  std::span<double> row(std::size_t i) { return a_[i]; }
  void take_diagonal();  // after row() has been filled

  // L L' = A + tau I.  False where that is not positive definite.  Time O(n^3 / 3).
  // The same bits for any number of threads.
  bool factorise(double tau, ThreadPool& pool);
  // Factorises A + tau D, D the magnitudes of A's diagonal (1e-12 of the largest at least), with
  // the smallest tau of 0, 1e-10, 1e-9 ... that works, and returns it. Infinite where none does: A
  // is not finite.
  double factorise_modified(ThreadPool& pool);
  // x <- (L L')^-1 x, after a factorisation.
  void solve(std::span<double> x) const;

 private:
  bool factorise_shifted(ThreadPool& pool);

  Matrix<double> a_;
  AlignedVector<double> diagonal_;  // of A
  AlignedVector<double> shift_;     // what is added to it
};

}  // namespace croft
