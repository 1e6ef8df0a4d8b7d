// Rows of weights as they are added up: a number for every label, side by side.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/large_vector.h"
#include "croft/core/matrix.h"
#include "model/feature_table.h"
#include "model/rows/found_rows.h"

namespace croft {

// A table keeps the weights that are not 0, each with its label: to add them is a loop of unknown
// length over places of unknown order.  Of the rows that a thread meets often the longer ones have
// all labels here, zeros included, so that a position is a few vectors to which others are added,
// in registers: rows that are met often have some eight weights, and two vectors have sixteen.  The
// many rows of one or two weights, of attributes that are rare, stay as short as they are.
// One a thread and table, which must outlive it.
template <class Real>
class WeightRows {
 public:
  explicit WeightRows(const FeatureTable& table);  // whose full rows are those of labels

  // state(t, j) += value * weight(j), for every row found of t, in their order.
  void add(const FoundRows& found, Matrix<Real>& state);

  // A row of at most kFew weights is these; others are as long as a row of state.
  static constexpr std::size_t kFew = 2;
  static constexpr std::uint32_t kIsFew = 0xFFFFFFFF;
  struct Slot {
    std::uint32_t id = kUnknown;
    std::uint32_t row = kIsFew;       // of all(), or kIsFew
    std::array<Real, kFew> weight{};  // 0 where there are fewer
    std::array<Real, kFew> label{};   // of each
  };
  // Valid until the next call.
  const Slot& slot(std::uint32_t id) {
    Slot& found = slots_[id & mask_];
    if (found.id != id) [[unlikely]]
      fill(found, id);
    return found;
  }
  const Real* all(std::uint32_t row) const { return weights_.data() + row * stride_; }

  // What a later slot() reads; and then, when this is there, what all() does.
  void prefetch(std::uint32_t id) const { __builtin_prefetch(&slots_[id & mask_]); }
  void prefetch_weights(std::uint32_t id) const {
    const std::uint32_t row = slots_[id & mask_].row;
    if (row == kIsFew) return;
    constexpr std::size_t kLine = 64 / sizeof(Real);
    for (std::size_t c = 0; c < stride_; c += kLine) __builtin_prefetch(all(row) + c);
  }

 private:
  static constexpr std::size_t kMostLabels = 64;  // of more, a row has a weight for few
  static constexpr std::size_t kFirstSlots = 8192;
  static constexpr std::size_t kMostSlots = std::size_t{1} << 19;  // 12 or 20 MB
  static constexpr std::size_t kMostBytes = std::size_t{1} << 25;  // of long rows

  void make_room();
  void fill(Slot& slot, std::uint32_t id);
  void add_one_by_one(const FoundRows& found, Matrix<Real>& state) const;

  const FeatureTable& table_;
  std::size_t stride_;               // 0 where the labels are too many
  LargeVector<Slot> slots_;          // a power of two; ids rank attributes by their hashes
  std::size_t mask_ = 0;             // slots - 1
  LargeVector<Real> weights_;        // [rows][stride_]
  std::vector<std::uint32_t> free_;  // rows of slots that another took
  std::size_t replaced_ = 0;         // slots that another took, since there were more of them
};

// visit(t, place, value) of every row found, for tables of other than labels.
template <class Visit>
void for_each_row(const FeatureTable& table, const FoundRows& found, Visit visit) {
  std::size_t k = 0;
  for (std::size_t t = 0; t < found.end.size(); ++t) {
    for (; k < found.end[t]; ++k) {
      visit(found.begin + t, table.rows()(found.rows[k].id), found.rows[k].value);
    }
  }
}

}  // namespace croft
