#include "model/rows/weight_rows.h"

#include <algorithm>
#include <bit>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/rows/weight_rows.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// For K vectors of labels.  Products are rounded before they are added, as a loop over labels has
// it.
template <int K, class Real>
HWY_INLINE void add_vectors(const FoundRows& found, WeightRows<Real>& weights,
                            Matrix<Real>& state) {
  constexpr std::size_t kAhead = 8;  // rows whose weights are on their way, of as many slots again
  const RowTag<Real> d;
  const std::size_t lanes = hn::Lanes(d), count = found.count();
  const FoundRow* const rows = found.rows.data();
  for (std::size_t k = 0; k < std::min(2 * kAhead, count); ++k) weights.prefetch(rows[k].id);
  hn::Vec<RowTag<Real>> label[K], sum[K];
  for (int c = 0; c < K; ++c) label[c] = hn::Iota(d, static_cast<Real>(c * lanes));
  std::size_t k = 0;
  for (std::size_t t = 0; t < found.end.size(); ++t) {
    Real* const of_position = state.row(found.begin + t);
    for (int c = 0; c < K; ++c) sum[c] = hn::Load(d, of_position + c * lanes);
    for (; k < found.end[t]; ++k) {
      if (k + 2 * kAhead < count) weights.prefetch(rows[k + 2 * kAhead].id);
      if (k + kAhead < count) weights.prefetch_weights(rows[k + kAhead].id);
      const auto& slot = weights.slot(rows[k].id);
      const auto value = hn::Set(d, static_cast<Real>(rows[k].value));
      if (slot.row != weights.kIsFew) {
        const Real* const row = weights.all(slot.row);
        for (int c = 0; c < K; ++c) {
          sum[c] = hn::Add(sum[c], hn::Mul(value, hn::Load(d, row + c * lanes)));
        }
        continue;
      }
      for (std::size_t n = 0; n < weights.kFew; ++n) {
        const auto product = hn::Mul(value, hn::Set(d, slot.weight[n]));
        const auto of = hn::Set(d, slot.label[n]);
        for (int c = 0; c < K; ++c) {
          sum[c] = hn::Add(sum[c], hn::IfThenElseZero(hn::Eq(label[c], of), product));
        }
      }
    }
    for (int c = 0; c < K; ++c) hn::Store(sum[c], d, of_position + c * lanes);
  }
}

// The same for any number of vectors.
template <class Real>
HWY_INLINE void add_many_vectors(const FoundRows& found, WeightRows<Real>& weights,
                                 Matrix<Real>& state) {
  const RowTag<Real> d;
  std::size_t k = 0;
  for (std::size_t t = 0; t < found.end.size(); ++t) {
    Real* const sum = state.row(found.begin + t);
    for (; k < found.end[t]; ++k) {
      const auto& slot = weights.slot(found.rows[k].id);
      const Real value = static_cast<Real>(found.rows[k].value);
      if (slot.row == weights.kIsFew) {
        for (std::size_t n = 0; n < weights.kFew; ++n) {
          sum[static_cast<std::size_t>(slot.label[n])] += value * slot.weight[n];
        }
        continue;
      }
      const Real* const row = weights.all(slot.row);
      for (std::size_t c = 0; c < state.stride(); c += hn::Lanes(d)) {
        const auto product = hn::Mul(hn::Set(d, value), hn::Load(d, row + c));
        hn::Store(hn::Add(hn::Load(d, sum + c), product), d, sum + c);
      }
    }
  }
}

template <class Real>
HWY_INLINE void add_rows(const FoundRows& found, WeightRows<Real>& weights, Matrix<Real>& state) {
  switch (state.stride() / hn::Lanes(RowTag<Real>())) {
    case 1:
      return add_vectors<1>(found, weights, state);
    case 2:
      return add_vectors<2>(found, weights, state);
    case 3:
      return add_vectors<3>(found, weights, state);
    case 4:
      return add_vectors<4>(found, weights, state);
    case 5:
      return add_vectors<5>(found, weights, state);
    case 6:
      return add_vectors<6>(found, weights, state);
    case 7:
      return add_vectors<7>(found, weights, state);
    case 8:
      return add_vectors<8>(found, weights, state);
    default:
      return add_many_vectors(found, weights, state);
  }
}

void add_rows_float(const FoundRows& found, WeightRows<float>& weights, Matrix<float>& state) {
  add_rows(found, weights, state);
}
void add_rows_double(const FoundRows& found, WeightRows<double>& weights, Matrix<double>& state) {
  add_rows(found, weights, state);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(add_rows_float);
HWY_EXPORT(add_rows_double);

template <class Real>
WeightRows<Real>::WeightRows(const FeatureTable& table)
    : table_(table), stride_(table.cells() <= kMostLabels ? padded(table.cells()) : 0) {
  slots_.resize(std::bit_ceil(std::clamp(table.size(), std::size_t{1}, kFirstSlots)));
  mask_ = slots_.size() - 1;
}

// More slots where many rows have been replaced; none of the rows where these have become too many.
template <class Real>
void WeightRows<Real>::make_room() {
  if (weights_.size() * sizeof(Real) > kMostBytes) {
    slots_.assign(slots_.size(), Slot());
    weights_.clear();
    free_.clear();
  }
  if (replaced_ <= slots_.size() / 4 || 4 * slots_.size() > kMostSlots) return;
  LargeVector<Slot> old(4 * slots_.size());
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  replaced_ = 0;
  for (const Slot& slot : old) {
    if (slot.id != kUnknown) slots_[slot.id & mask_] = slot;
  }
}

template <class Real>
void WeightRows<Real>::fill(Slot& slot, std::uint32_t id) {
  replaced_ += slot.id != kUnknown ? 1 : 0;
  if (slot.row != kIsFew) free_.push_back(slot.row);
  slot = {};
  slot.id = id;
  const CompactOffsets::Row place = table_.rows()(id);
  if (place.length <= kFew) {
    std::size_t n = 0;
    table_.visit<Real>(place, [&](std::uint32_t label, Real weight) {
      slot.weight[n] = weight;
      slot.label[n++] = static_cast<Real>(label);
    });
    return;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(weights_.size() / stride_));
    weights_.resize(weights_.size() + stride_);
  }
  slot.row = free_.back();
  free_.pop_back();
  Real* const row = weights_.data() + slot.row * stride_;
  std::fill_n(row, stride_, Real{0});
  table_.visit<Real>(place, [&](std::uint32_t label, Real weight) { row[label] = weight; });
}

template <class Real>
void WeightRows<Real>::add(const FoundRows& found, Matrix<Real>& state) {
  if (stride_ == 0) {
    add_one_by_one(found, state);
    return;
  }
  make_room();
  if constexpr (std::is_same_v<Real, float>) {
    HWY_DYNAMIC_DISPATCH(add_rows_float)(found, *this, state);
  } else {
    HWY_DYNAMIC_DISPATCH(add_rows_double)(found, *this, state);
  }
}

template <class Real>
void WeightRows<Real>::add_one_by_one(const FoundRows& found, Matrix<Real>& state) const {
  for_each_row(table_, found, [&](std::size_t t, CompactOffsets::Row place, double value) {
    Real* const sum = state.row(t);
    const Real v = static_cast<Real>(value);
    table_.visit<Real>(place, [&](std::uint32_t label, Real weight) { sum[label] += v * weight; });
  });
}

template class WeightRows<float>;
template class WeightRows<double>;

}  // namespace croft
#endif
