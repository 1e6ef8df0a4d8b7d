// This file visits the rows of a block's quadratic form one by one, and makes the factor from them
// where the products of rows have lost their digits.  docs/math/bugs_samplers.md section 4.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bugs/distributions/dense.h"
#include "bugs/samplers/linear_model.h"

namespace croft::bugs {

using RowEntry = SparseCholesky::RowEntry;

void LinearModel::ReducedRows::take(const SparseCholesky& factor) {
  *this = {};
  factor.visit_rows([&](std::span<const RowEntry> row, double target) {
    entries.insert(entries.end(), row.begin(), row.end());
    ends.push_back(entries.size());
    targets.push_back(target);
  });
}

// Calls visit(row, target) for each row  (row' x - target)^2.
template <class Visit>
void LinearModel::ReducedRows::visit(const Visit& visit) const {
  const std::span<const RowEntry> all(entries);
  std::size_t first = 0;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    visit(all.subspan(first, ends[k] - first), targets[k]);
    first = ends[k];
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
    g.rows.visit([&](std::span<const RowEntry> entries, double target) {
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
    g.rows.take(*cholesky_);
  }
}

bool LinearModel::factorise(std::vector<double>& b, const std::vector<double>& x,
                            const std::vector<double>* w, const std::vector<double>* pull) {
  constexpr double kLeast = 1e-9;  // six digits or so are left
  held_.clear();
  by_rows_ = !(cholesky_->factorise() && cholesky_->least_pivot() >= kLeast);
  if (by_rows_) return factorise_rows(b, x, w, pull);
  cholesky_->solve_lower(b.data());
  return true;
}

// Responses of hardly any weight are linear: their slopes are added.
void LinearModel::add_response_rows(const std::vector<double>& w, const std::vector<double>& pull,
                                    std::vector<double>& slopes) {
  constexpr double kLeastWeight = 1e-200;  // below it a target pull / sqrt(w) is beyond doubles
  std::vector<RowEntry> row;
  for (std::size_t c = 0; c < terms_.size(); ++c) {
    const Range range = terms_[c].entries;
    const double scale = std::sqrt(w[c]);
    const bool has_weight = w[c] >= kLeastWeight;
    row.clear();
    for (std::uint32_t k = range.first; k < range.first + range.count; ++k) {
      row.push_back({entries_[k].element, scale * numbers_[k]});
      if (!has_weight) slopes[entries_[k].element] += pull[c] * numbers_[k];
    }
    if (has_weight) cholesky_->add_row(row, pull[c] / scale);
  }
}

void LinearModel::keep_response_rows(const std::vector<double>& w,
                                     const std::vector<double>& pull) {
  if (w == kept_w_ && pull == kept_pull_) return;
  kept_w_ = w;
  kept_pull_ = pull;
  kept_slopes_.assign(size(), 0.0);
  cholesky_->begin_rows();
  add_response_rows(w, pull, kept_slopes_);
  response_rows_.take(*cholesky_);
}

bool LinearModel::factorise_rows(std::vector<double>& b, const std::vector<double>& x,
                                 const std::vector<double>* w, const std::vector<double>* pull) {
  const auto add = [&](std::span<const RowEntry> row, double target) {
    cholesky_->add_row(row, target);
  };
  const bool has_responses = w != nullptr && !terms_.empty();
  const bool keeps = has_responses && constant_responses_;
  reduce_constant_rows();
  if (keeps) keep_response_rows(*w, *pull);
  cholesky_->begin_rows();
  visit_normal_rows(add);
  b.assign(size(), 0.0);
  if (keeps) {
    response_rows_.visit(add);
    b = kept_slopes_;
  } else if (has_responses) {
    add_response_rows(*w, *pull, b);
  }
  // Rounding in so many rotations leaves less than this of a column that depends on others.
  const double tolerance = std::numeric_limits<double>::epsilon() *
                           (32 + 4 * std::sqrt(static_cast<double>(rows_.size() + terms_.size())));
  if (!cholesky_->finish_rows(tolerance, x, held_)) {
    held_.clear();
    return false;
  }
  if (has_responses) cholesky_->solve_lower(b.data());
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

void LinearModel::add_line_of_rows(const ReducedRows& rows, const std::vector<double>& x,
                                   const std::vector<double>& d, double* slope, double* curvature) {
  rows.visit([&](std::span<const RowEntry> row, double target) {
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
