#include "train/dual/maxent_span.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/sparse_rows.h"
#include "croft/core/error.h"
#include "objective/softmax_row.h"

namespace croft {
namespace {

constexpr std::size_t kRows = 256;  // in a block of work

void for_rows(ThreadPool& pool, std::size_t rows, const auto& body) {
  pool.run((rows + kRows - 1) / kRows, [&](std::size_t block, std::size_t) {
    for (std::size_t r = block * kRows; r < std::min(rows, (block + 1) * kRows); ++r) body(r);
  });
}

}  // namespace

template <class Real>
MaxentSpan<Real>::MaxentSpan(const ChainData& data, const ChainLayout& layout, const Run& free,
                             ThreadPool& pool)
    : layout_(layout),
      free_(free),
      pool_(pool),
      labels_(layout.labels),
      stride_(padded(layout.labels)),
      gold_(data.label) {
  if (layout.constraint) {
    throw UsageError("positions that are independent of each other have no use for a constraint");
  }
  if (!std::ranges::all_of(gold_, is_one_label)) {
    throw UsageError("L-BFGS in the span of the examples wants every label known");
  }
  if (!data.weight.empty()) {
    for (std::size_t n = 0; n < data.sequences(); ++n) {
      weight_.insert(weight_.end(), data.sequence_begin[n + 1] - data.sequence_begin[n],
                     data.weight[n]);
    }
  }
  number_attributes(data.node);
  fill_rows(data.node);
  transpose();
  table_.assign(attribute_.size(), labels_, 0);
  examples_.assign(gold_.size(), labels_, 0);
}

// Those that occur often come first: their rows of the table stay in the cache.
template <class Real>
void MaxentSpan<Real>::number_attributes(const AttributeLists& lists) {
  const RowLayout& node = layout_.node;
  std::vector<std::uint64_t> occurrences(node.rows());
  for (const std::uint32_t id : lists.id) ++occurrences[id];
  const auto is_free = [&](std::uint32_t a) {
    return free_.length > 0 && node.begin[a] == free_.begin;
  };
  for (std::uint32_t a = 0; a < node.rows(); ++a) {
    if (!is_free(a)) {
      attribute_.push_back(a);
      continue;
    }
    for (std::size_t k = 0; k < node.length(a); ++k) free_cells_.push_back(node.cell_of(a, k));
  }
  all_full_ = std::ranges::all_of(attribute_, [&](auto a) { return node.length(a) == labels_; });
  std::ranges::stable_sort(attribute_, std::greater(), [&](auto a) { return occurrences[a]; });
  number_.assign(node.rows(), kUnknown);
  for (std::uint32_t k = 0; k < attribute_.size(); ++k) number_[attribute_[k]] = k;
}

template <class Real>
void MaxentSpan<Real>::fill_rows(const AttributeLists& lists) {
  std::vector<std::pair<std::uint32_t, double>> row;
  for (std::size_t p = 0; p < gold_.size(); ++p) {
    row.clear();
    for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
      const double value = lists.value.empty() ? 1.0 : lists.value[k];
      const std::uint32_t number = number_[lists.id[k]];
      if (number != kUnknown) {
        row.emplace_back(number, value);
      } else {
        free_of_.resize(gold_.size());
        free_of_[p] += value;
        free_place_.push_back(static_cast<std::uint32_t>(p));
        free_value_.push_back(value);
      }
    }
    std::ranges::sort(row);
    for (const auto& [number, value] : row) {
      by_position_.index.push_back(number);
      if (!lists.value.empty()) by_position_.value.push_back(static_cast<Real>(value));
    }
    by_position_.begin.push_back(by_position_.index.size());
  }
}

template <class Real>
void MaxentSpan<Real>::transpose() {
  const Rows& from = by_position_;
  Rows& to = by_attribute_;
  to.begin.assign(attribute_.size() + 1, 0);
  for (const std::uint32_t k : from.index) ++to.begin[k + 1];
  std::partial_sum(to.begin.begin(), to.begin.end(), to.begin.begin());
  std::vector<std::uint64_t> next(to.begin.begin(), to.begin.end() - 1);
  to.index.resize(from.index.size());
  to.value.resize(from.value.size());
  for (std::uint32_t p = 0; p < gold_.size(); ++p) {
    for (std::uint64_t i = from.begin[p]; i < from.begin[p + 1]; ++i) {
      const std::uint64_t at = next[from.index[i]]++;
      to.index[at] = p;
      if (!to.value.empty()) to.value[at] = from.value[i];
    }
  }
}

template <class Real>
void MaxentSpan<Real>::Rows::sum(std::size_t row, const Matrix<Real>& table, Real* out) const {
  const std::size_t first = begin[row], count = begin[row + 1] - first;
  const std::span<const Real> values(value);
  weighted_row_sum(std::span(index).subspan(first, count),
                   values.empty() ? values : values.subspan(first, count), table, out);
}

// 0 for labels that the attribute has no feature with.
template <class Real>
void MaxentSpan<Real>::keep_features(std::size_t row, Real* weights) const {
  if (all_full_) return;
  const RowLayout& node = layout_.node;
  const std::uint32_t a = attribute_[row];
  std::size_t label = 0;
  for (std::size_t k = 0; k < node.length(a); ++k) {
    for (; label < node.cell_of(a, k); ++label) weights[label] = 0;
    ++label;
  }
  for (; label < labels_; ++label) weights[label] = 0;
}

// table_ = X'a
template <class Real>
void MaxentSpan<Real>::set_attribute_rows(std::span<const Real> a) {
  std::ranges::copy(a, examples_.row(0));
  for_rows(pool_, table_.rows(), [&](std::size_t r) {
    by_attribute_.sum(r, examples_, table_.row(r));
    keep_features(r, table_.row(r));
  });
}

template <class Real>
void MaxentSpan<Real>::set_attribute_rows(std::span<const double> a) requires(
    !std::is_same_v<Real, double>) {
  AlignedVector<Real> rounded(a.size());
  std::ranges::transform(a, rounded.begin(), [](double x) { return static_cast<Real>(x); });
  set_attribute_rows(std::span<const Real>(rounded));
}

// examples_ = X times what the table holds
template <class Real>
void MaxentSpan<Real>::score_positions() {
  for_rows(pool_, gold_.size(),
           [&](std::size_t p) { by_position_.sum(p, table_, examples_.row(p)); });
}

template <class Real>
void MaxentSpan<Real>::gram(std::span<const Real> a, std::span<Real> out) {
  set_attribute_rows(a);
  score_positions();
  std::copy_n(examples_.row(0), out.size(), out.begin());
}

// The losses at s + step d, added up in the order of positions; d may be null.
//   visit(p, probabilities, weight of p) -> its part of the slope
template <class Real>
template <class Visit>
typename SpanFunction<Real>::Value MaxentSpan<Real>::sum_positions(std::span<const double> s,
                                                                   const Real* d, double step,
                                                                   const Visit& visit) {
  std::vector<typename SpanFunction<Real>::Value> part((gold_.size() + kRows - 1) / kRows);
  pool_.run(part.size(), [&](std::size_t block, std::size_t) {
    AlignedVector<double> at(stride_, -std::numeric_limits<double>::infinity()), p(stride_);
    auto& [value, slope] = part[block];
    for (std::size_t n = block * kRows; n < std::min(gold_.size(), (block + 1) * kRows); ++n) {
      const std::size_t row = n * stride_;
      for (std::size_t y = 0; y < labels_; ++y) at[y] = s[row + y];
      if (d != nullptr) {
        for (std::size_t y = 0; y < labels_; ++y) at[y] += step * double{d[row + y]};
      }
      const double q = weight_.empty() ? 1.0 : weight_[n];
      SoftmaxLoss own;
      softmax_row({.state = at.data()}, gold_[n], stride_, 1.0, p.data(), own);
      value += q * own.value();
      slope += visit(n, std::span<const double>(p), q);
    }
  });
  typename SpanFunction<Real>::Value sum;
  for (const auto& [value, slope] : part) {
    sum.value += value;
    sum.slope += slope;
  }
  return sum;
}

template <class Real>
typename SpanFunction<Real>::Value MaxentSpan<Real>::along(std::span<const double> s,
                                                           std::span<const Real> d, double step) {
  return sum_positions(s, d.data(), step, [&](std::size_t n, std::span<const double> p, double q) {
    const Real* change = d.data() + n * stride_;
    double mean = 0;
    for (std::size_t y = 0; y < labels_; ++y) mean += p[y] * double{change[y]};
    return q * (mean - double{change[gold_[n]]});
  });
}

template <class Real>
double MaxentSpan<Real>::evaluate(std::span<const double> s, std::span<Real> gradient) {
  const auto visit = [&](std::size_t n, std::span<const double> p, double q) {
    Real* g = gradient.data() + n * stride_;
    for (std::size_t y = 0; y < stride_; ++y) {
      g[y] = static_cast<Real>(q * (p[y] - (y == gold_[n] ? 1.0 : 0.0)));
    }
    return 0.0;
  };
  return sum_positions(s, nullptr, 0, visit).value;
}

template <class Real>
void MaxentSpan<Real>::add_free(std::span<const double> b, std::span<double> s) {
  for (std::size_t i = 0; i < free_place_.size(); ++i) {
    double* row = s.data() + std::size_t{free_place_[i]} * stride_;
    for (std::size_t k = 0; k < b.size(); ++k) row[free_cells_[k]] += free_value_[i] * b[k];
  }
}

template <class Real>
void MaxentSpan<Real>::free_gradient(std::span<const Real> d, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < free_place_.size(); ++i) {
    const Real* row = d.data() + std::size_t{free_place_[i]} * stride_;
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] += free_value_[i] * double{row[free_cells_[k]]};
  }
}

template <class Real>
void MaxentSpan<Real>::weights(std::span<const double> a, std::span<const double> b,
                               std::span<double> w) {
  set_attribute_rows(a);
  const RowLayout& node = layout_.node;
  for_rows(pool_, table_.rows(), [&](std::size_t r) {
    const std::uint32_t at = attribute_[r];
    for (std::size_t k = 0; k < node.length(at); ++k) {
      w[node.begin[at] + k] = double{table_(r, node.cell_of(at, k))};
    }
  });
  std::ranges::copy(b, w.begin() + static_cast<std::ptrdiff_t>(free_.begin));
}

template class MaxentSpan<float>;
template class MaxentSpan<double>;

}  // namespace croft
