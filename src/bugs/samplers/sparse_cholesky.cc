#include "bugs/samplers/sparse_cholesky.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "bugs/sampler.h"

namespace croft::bugs {

SparseCholesky::SparseCholesky(std::size_t n,
                               std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs)
    : n_(n), place_(n), inverse_(n), diagonal_(n), norms_(n), row_(n), targets_of_rows_(n) {
  std::vector<std::set<std::uint32_t>> neighbours(n);
  for (const auto& [i, j] : pairs) {
    if (i == j) continue;
    neighbours[i].insert(j);
    neighbours[j].insert(i);
  }
  std::set<std::pair<std::size_t, std::uint32_t>> queue;
  for (std::uint32_t i = 0; i < n; ++i) queue.insert({neighbours[i].size(), i});
  std::vector<std::vector<std::uint32_t>> columns;  // by place, of rows by index
  std::size_t work = 0;
  while (!queue.empty()) {
    end_if_interrupted();
    const auto [degree, i] = *queue.begin();
    queue.erase(queue.begin());
    work += (degree + 1) * (degree + 2) / 2;
    if (work > kMostWork) {
      fits_ = false;
      return;
    }
    place_[i] = static_cast<std::uint32_t>(columns.size());
    columns.emplace_back(neighbours[i].begin(), neighbours[i].end());
    const std::vector<std::uint32_t>& clique = columns.back();
    for (const std::uint32_t j : clique) {
      queue.erase({neighbours[j].size(), j});
      neighbours[j].erase(i);
      for (const std::uint32_t k : clique) {
        if (k != j) neighbours[j].insert(k);
      }
      queue.insert({neighbours[j].size(), j});
    }
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    begin_.push_back(static_cast<std::uint32_t>(rows_.size()));
    rows_.push_back(k);
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t i : columns[k]) rows.push_back(place_[i]);
    std::sort(rows.begin(), rows.end());
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }
  begin_.push_back(static_cast<std::uint32_t>(rows_.size()));
  entries_.resize(rows_.size());
  for (std::uint32_t k = 0; k < n; ++k) {
    for (std::uint32_t a = begin_[k] + 1; a < begin_[k + 1]; ++a) {
      for (std::uint32_t b = begin_[k] + 1; b <= a; ++b)
        targets_.push_back(position(rows_[a], rows_[b]));
    }
  }
}

std::uint32_t SparseCholesky::position(std::uint32_t i, std::uint32_t j) const {
  if (i < j) std::swap(i, j);
  const auto from = rows_.begin() + begin_[j], to = rows_.begin() + begin_[j + 1];
  return static_cast<std::uint32_t>(std::lower_bound(from, to, i) - rows_.begin());
}

bool SparseCholesky::factorise() {
  const std::uint32_t* target = targets_.data();
  double* const v = entries_.data();
  for (std::size_t k = 0; k < n_; ++k) diagonal_[k] = v[begin_[k]];
  least_pivot_ = 0;
  double least = 1;
  for (std::size_t k = 0; k < n_; ++k) {
    const std::uint32_t first = begin_[k], last = begin_[k + 1];
    const double diagonal = v[first];
    if (!(diagonal > 0) || !std::isfinite(diagonal)) return false;
    least = std::min(least, diagonal / diagonal_[k]);
    const double root = std::sqrt(diagonal), inverse = 1 / root;
    v[first] = root;
    inverse_[k] = inverse;
    for (std::uint32_t a = first + 1; a < last; ++a) {
      const double x = v[a] *= inverse;
      for (std::uint32_t b = first + 1; b <= a; ++b) v[*target++] -= x * v[b];
    }
  }
  least_pivot_ = least;
  return true;
}

void SparseCholesky::begin_rows() {
  std::ranges::fill(entries_, 0.0);
  std::ranges::fill(norms_, 0.0);
  std::ranges::fill(row_, 0.0);
  std::ranges::fill(targets_of_rows_, 0.0);
}

void SparseCholesky::add_row(std::span<const RowEntry> row, double target) {
  auto first = static_cast<std::uint32_t>(n_);
  for (const RowEntry& entry : row) {
    row_[entry.place] += entry.number;
    first = std::min(first, entry.place);
  }
  for (const RowEntry& entry : row) {
    double& norm = norms_[entry.place];
    norm = std::hypot(norm, entry.number);
  }
  if (!row.empty()) rotate_in(first, target);
}

// Rows of L' have the pattern of L's columns, and what a rotation leaves of the new row lies within
// the pattern of the next one on the way up (George & Heath 1980).
void SparseCholesky::rotate_in(std::uint32_t k, double target) {
  double* const v = entries_.data();
  for (;;) {
    const std::uint32_t first = begin_[k], last = begin_[k + 1];
    const double pivot = v[first], x = row_[k];
    if (x != 0) {
      const double norm = std::hypot(pivot, x), c = pivot / norm, s = x / norm;
      v[first] = norm;
      row_[k] = 0;
      for (std::uint32_t a = first + 1; a < last; ++a) {
        double& of_row = row_[rows_[a]];
        const double of_factor = v[a];
        v[a] = c * of_factor + s * of_row;
        of_row = c * of_row - s * of_factor;
      }
      double& of_factor = targets_of_rows_[k];
      const double kept = c * of_factor + s * target;
      target = c * target - s * of_factor;
      of_factor = kept;
    }
    if (first + 1 == last) return;
    k = rows_[first + 1];
  }
}

bool SparseCholesky::finish_rows(double tolerance, std::span<const double> x,
                                 std::vector<std::uint32_t>& held) {
  held.clear();
  for (std::uint32_t k = 0; k < n_; ++k) {
    const std::uint32_t first = begin_[k], last = begin_[k + 1];
    const double pivot = entries_[first];
    if (!std::isfinite(pivot) || !std::isfinite(targets_of_rows_[k])) return false;
    if (pivot > tolerance * norms_[k]) {
      inverse_[k] = 1 / pivot;
      continue;
    }
    // The rest of its row says something of elements that come later.
    held.push_back(k);
    for (std::uint32_t a = first + 1; a < last; ++a) row_[rows_[a]] = entries_[a];
    const double target = targets_of_rows_[k] - pivot * x[k];
    std::fill(entries_.begin() + first, entries_.begin() + last, 0.0);
    targets_of_rows_[k] = inverse_[k] = 0;
    if (first + 1 < last) rotate_in(rows_[first + 1], target);
  }
  for (const std::uint32_t h : held) row_[h] = x[h];
  if (held.empty()) return true;
  for (std::size_t k = 0; k < n_; ++k) {
    for (std::uint32_t a = begin_[k]; a < begin_[k + 1]; ++a)
      targets_of_rows_[k] -= entries_[a] * row_[rows_[a]];
  }
  for (const std::uint32_t h : held) row_[h] = 0;
  return true;
}

void SparseCholesky::solve_lower(double* x) const {
  for (std::size_t k = 0; k < n_; ++k) {
    const double value = x[k] *= inverse_[k];
    for (std::uint32_t a = begin_[k] + 1; a < begin_[k + 1]; ++a)
      x[rows_[a]] -= entries_[a] * value;
  }
}

double SparseCholesky::log_root_determinant() const {
  double sum = 0;
  for (std::size_t k = 0; k < n_; ++k) sum += std::log(entries_[begin_[k]]);
  return sum;
}

void SparseCholesky::solve_upper(double* x) const {
  for (std::size_t k = n_; k-- > 0;) {
    double sum = x[k];
    for (std::uint32_t a = begin_[k] + 1; a < begin_[k + 1]; ++a) sum -= entries_[a] * x[rows_[a]];
    x[k] = sum * inverse_[k];
  }
}

double SparseCholesky::square(const double* x) const {
  double sum = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    double product = 0;  // of L' x
    for (std::uint32_t a = begin_[k]; a < begin_[k + 1]; ++a) product += entries_[a] * x[rows_[a]];
    sum += product * product;
  }
  return sum;
}

}  // namespace croft::bugs
