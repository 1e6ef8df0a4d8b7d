// This file visits the rows of a block's quadratic form one by one, and makes the factor from them
// where the products of rows have lost their digits.  docs/math/bugs_samplers.md section 4.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bugs/distributions/dense.h"
#include "bugs/samplers/linear_model.h"

namespace croft::bugs {

using RowEntry = SparseCholesky::RowEntry;

// Calls visit(row, target) for each row  (row' x - target)^2  without tau.
template <class Visit>
void LinearModel::visit_rows_of(const ConstantRows& rows, const Visit& visit) {
  const std::span<const RowEntry> entries(rows.row_entries);
  std::size_t first = 0;
  for (std::size_t k = 0; k < rows.row_ends.size(); ++k) {
    visit(entries.subspan(first, rows.row_ends[k] - first), rows.row_targets[k]);
    first = rows.row_ends[k];
  }
}

// Calls visit(row, target) for each row  (row' x - target)^2  of the normal laws, with its
// precision.
template <class Visit>
void LinearModel::visit_normal_rows(const Visit& visit) const {
  std::vector<RowEntry> row;
  const auto add = [&](Range range, double scale) {
    for (std::uint32_t k = range.first; k < range.first + range.count; ++k)
      row.push_back({entries_[k].element, scale * numbers_[k]});
  };
  for (const ConstantRows& g : constant_rows_) {
    const double scale = std::sqrt(g.tau);
    visit_rows_of(g, [&](std::span<const RowEntry> entries, double target) {
      row.assign(entries.begin(), entries.end());
      for (RowEntry& entry : row) entry.number *= scale;
      visit(std::span<const RowEntry>(row), scale * target);
    });
  }
  for (const std::uint32_t r : moving_rows_) {
    const double scale = std::sqrt(precisions_[r]);
    row.clear();
    add(rows_[r].entries, scale);
    visit(std::span<const RowEntry>(row), -scale * residuals_[r]);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {  // L' times its rows, the matrix L L'
    const Group& group = groups_[g];
    const std::size_t n = group.value.size();
    std::vector<double> factor(n * n);
    if (!dense_cholesky(n, group_matrices_[g], factor))
      std::ranges::fill(factor, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < n; ++k) {
      row.clear();
      double target = 0;
      for (std::size_t q = k; q < n; ++q) {
        add(group.entries[q], factor[q + k * n]);
        target -= factor[q + k * n] * group_residuals_[g][q];
      }
      visit(std::span<const RowEntry>(row), target);
    }
  }
}

void LinearModel::reduce_constant_rows() {
  if (reduced_) return;
  reduced_ = true;
  std::vector<RowEntry> row;
  for (ConstantRows& g : constant_rows_) {
    cholesky_->begin_rows();
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row& of = rows_[r];
      if (!of.constant || of.precision != g.precision) continue;
      row.clear();
      for (std::uint32_t k = of.entries.first; k < of.entries.first + of.entries.count; ++k)
        row.push_back({entries_[k].element, numbers_[k]});
      cholesky_->add_row(row, -residuals_[r]);
    }
    cholesky_->visit_rows([&](std::span<const RowEntry> entries, double target) {
      g.row_entries.insert(g.row_entries.end(), entries.begin(), entries.end());
      g.row_ends.push_back(g.row_entries.size());
      g.row_targets.push_back(target);
    });
  }
}

bool LinearModel::factorise(std::vector<double>& b, const std::vector<double>& x,
                            const std::vector<double>* w, const std::vector<double>* pull) {
  // A small block keeps nine digits, and a large one, whose rows take longer, keeps six.
  constexpr std::size_t kSmall = 64;
  const double least = size() <= kSmall ? 1e-7 : 1e-10;
  held_.clear();
  by_rows_ = !(cholesky_->factorise() && cholesky_->least_pivot() >= least);
  if (by_rows_) return factorise_rows(b, x, w, pull);
  cholesky_->solve_lower(b.data());
  return true;
}

bool LinearModel::factorise_rows(std::vector<double>& b, const std::vector<double>& x,
                                 const std::vector<double>* w, const std::vector<double>* pull) {
  constexpr double kLeastWeight = 1e-200;  // below it a target pull / sqrt(w) is beyond doubles
  reduce_constant_rows();
  cholesky_->begin_rows();
  visit_normal_rows(
      [&](std::span<const RowEntry> row, double target) { cholesky_->add_row(row, target); });
  bool has_slopes = false;  // of responses without weight
  b.assign(size(), 0.0);
  std::vector<RowEntry> row;
  for (std::size_t c = 0; w != nullptr && c < terms_.size(); ++c) {
    const double weight = (*w)[c], scale = std::sqrt(weight);
    row.clear();
    for (std::uint32_t k = terms_[c].entries.first;
         k < terms_[c].entries.first + terms_[c].entries.count; ++k) {
      row.push_back({entries_[k].element, scale * numbers_[k]});
      if (!(weight >= kLeastWeight)) b[entries_[k].element] += (*pull)[c] * numbers_[k];
    }
    if (weight >= kLeastWeight) {
      cholesky_->add_row(row, (*pull)[c] / scale);
    } else {
      has_slopes = true;
    }
  }
  // Rounding in so many rotations leaves less than this of a column that depends on others.
  const double tolerance = std::numeric_limits<double>::epsilon() *
                           (32 + 4 * std::sqrt(static_cast<double>(rows_.size() + terms_.size())));
  if (!cholesky_->finish_rows(tolerance, x, held_)) {
    held_.clear();
    return false;
  }
  if (has_slopes) cholesky_->solve_lower(b.data());
  const std::span<const double> targets = cholesky_->targets();
  for (std::size_t k = 0; k < b.size(); ++k) b[k] += targets[k];
  return true;
}

void LinearModel::along_axis(std::uint32_t k, const std::vector<double>& x, double* slope,
                             double* curvature, std::vector<double>& along) const {
  *slope = *curvature = 0;
  visit_normal_rows([&](std::span<const RowEntry> row, double target) {
    double moved = 0, at = -target;
    for (const RowEntry& entry : row) {
      at += entry.number * x[entry.place];
      if (entry.place == k) moved += entry.number;
    }
    *slope += at * moved;
    *curvature += moved * moved;
  });
  along.assign(terms_.size(), 0.0);
  for (std::size_t c = 0; c < terms_.size(); ++c) {
    const Range range = terms_[c].entries;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
      if (entries_[i].element == k) along[c] += numbers_[i];
  }
}

void LinearModel::add_line_of_rows(const ConstantRows& rows, const std::vector<double>& x,
                                   const std::vector<double>& d, double* slope, double* curvature) {
  visit_rows_of(rows, [&](std::span<const RowEntry> row, double target) {
    double moved = 0, at = -target;
    for (const RowEntry& entry : row) {
      at += entry.number * x[entry.place];
      moved += entry.number * d[entry.place];
    }
    *slope += at * moved;
    *curvature += moved * moved;
  });
}

}  // namespace croft::bugs
