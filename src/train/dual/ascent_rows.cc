#include "train/dual/ascent_rows.h"

#include <algorithm>

namespace croft {

template <class Real>
AscentRows<Real>::AscentRows(const ChainData& data, const ChainLayout& layout, Real threshold)
    : data_(data),
      layout_(layout),
      threshold_(threshold),
      rich_(layout.node_classes.rich),
      table_(rich_, layout.labels),
      single_(layout.node.begin.back() - layout.node.begin[rich_]) {
  if (!layout.node.all_full()) {
    mask_.assign(rich_ * stride() / 8, 0);
    for (std::size_t a = 0; a < rich_; ++a) {
      for (std::size_t k = 0; k < layout.node.length(a); ++k) {
        const std::uint32_t cell = layout.node.cell_of(a, k);
        mask_[a * (stride() / 8) + cell / 8] |= static_cast<std::uint8_t>(1u << (cell % 8));
      }
    }
  }
  list_occurrences(data);
}

template <class Real>
void AscentRows<Real>::list_occurrences(const ChainData& data) {
  const AttributeLists& lists = data.node;
  const RowLayout& node = layout_.node;
  const bool valued = !lists.value.empty();
  row_begin_.reserve(data.positions() * kShares + 1);
  at_begin_.reserve(data.positions() * kShares + 1);
  for (std::size_t p = 0; p < data.positions(); ++p) {
    for (std::size_t share = 0; share < kShares; ++share) {
      for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
        const std::uint32_t a = lists.id[k];
        if (a % kShares != share) continue;
        if (a < rich_) {
          row_.push_back(a);
          if (valued) row_value_.push_back(static_cast<Real>(lists.value[k]));
          continue;
        }
        for (std::size_t c = 0; c < node.length(a); ++c) {
          const auto weight = static_cast<std::uint32_t>(node.begin[a] + c - node.begin[rich_]);
          at_.push_back({weight, node.cell_of(a, c)});
          if (valued) at_value_.push_back(static_cast<Real>(lists.value[k]));
        }
      }
      row_begin_.push_back(row_.size());
      at_begin_.push_back(at_.size());
    }
  }
}

template <class Real>
RowLists<Real> AscentRows<Real>::rows_of(std::size_t n, std::size_t share,
                                         std::size_t shares) const {
  const std::uint64_t first = data_.sequence_begin[n], last = data_.sequence_begin[n + 1];
  const std::uint64_t* begin = row_begin_.data() + first * kShares + share;
  return {begin,       begin + shares,
          kShares,     static_cast<std::size_t>(last - first),
          row_.data(), row_value_.empty() ? nullptr : row_value_.data()};
}

template <class Real>
void AscentRows<Real>::score(std::size_t n, Real* theta) const {
  add_up_rows(rows_of(n, 0, kShares), table_, threshold_, theta);
  const std::uint64_t first = data_.sequence_begin[n], last = data_.sequence_begin[n + 1];
  const std::uint64_t end = at_begin_[last * kShares];
  constexpr std::uint64_t kAhead = 24;
  for (std::uint64_t p = first; p < last; ++p, theta += stride()) {
    for (std::uint64_t k = at_begin_[p * kShares]; k < at_begin_[(p + 1) * kShares]; ++k) {
      if (k + kAhead < end) __builtin_prefetch(&single_[at_[k + kAhead].weight]);
      const Real value = at_value_.empty() ? Real{1} : at_value_[k];
      theta[at_[k].cell] += value * shrunk(single_[at_[k].weight], threshold_);
    }
  }
}

template <class Real>
double AscentRows<Real>::move(std::size_t n, const Real* change, std::size_t share) {
  double grown = move_rows(rows_of(n, share, 1), mask_.empty() ? nullptr : mask_.data(), change,
                           threshold_, table_);
  const std::uint64_t first = data_.sequence_begin[n], last = data_.sequence_begin[n + 1];
  for (std::uint64_t p = first; p < last; ++p, change += stride()) {
    Real sum = 0;
    const std::uint64_t* begin = at_begin_.data() + p * kShares + share;
    for (std::uint64_t k = begin[0]; k < begin[1]; ++k) {
      Real& weight = single_[at_[k].weight];
      const Real y = (at_value_.empty() ? Real{1} : at_value_[k]) * change[at_[k].cell];
      if (threshold_ > 0) {
        const Real from = shrunk(weight, threshold_), to = shrunk(weight + y, threshold_);
        sum += (to - from) * (to + from);
      } else {
        sum += y * (2 * weight + y);
      }
      weight += y;
    }
    grown += double{sum};
  }
  return grown;
}

template <class Real>
void AscentRows<Real>::to_weights(std::span<double> w) const {
  const RowLayout& node = layout_.node;
  for (std::size_t a = 0; a < rich_; ++a) {
    const std::span<double> row = w.subspan(node.begin[a], node.length(a));
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = double{table_(a, node.cell_of(a, k))};
  }
  std::ranges::copy(single_, w.begin() + static_cast<std::ptrdiff_t>(node.begin[rich_]));
}

template <class Real>
void AscentRows<Real>::set_weights(std::span<const double> w) {
  const RowLayout& node = layout_.node;
  for (std::size_t a = 0; a < rich_; ++a) {
    const std::span<const double> row = w.subspan(node.begin[a], node.length(a));
    for (std::size_t k = 0; k < row.size(); ++k) {
      table_(a, node.cell_of(a, k)) = static_cast<Real>(row[k]);
    }
  }
  const std::span<const double> single = w.subspan(node.begin[rich_], single_.size());
  std::ranges::transform(single, single_.begin(), [](double v) { return static_cast<Real>(v); });
}

template class AscentRows<float>;
template class AscentRows<double>;

}  // namespace croft
