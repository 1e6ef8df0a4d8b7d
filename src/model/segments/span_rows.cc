#include "model/segments/span_rows.h"

namespace croft {
namespace {

using Reach = SegmentTemplate::Reach;

}  // namespace

std::size_t SpanRows::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t part : key) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

void SpanRows::start(std::span<const SegmentRow> row, std::span<const std::uint32_t> number,
                     std::size_t length, std::size_t longest) {
  length_.assign(longest, kNone);
  begin_.assign(length, kNone);
  end_.assign(length, kNone);
  own_.clear();
  for (std::size_t r = 0; r < row.size(); ++r) {
    if (number[r] == kNone) continue;
    const SegmentRow& one = row[r];
    if (one.reach == Reach::length) {
      if (one.length <= longest) length_[one.length - 1] = number[r];
    } else if (one.reach == Reach::segment) {
      if (one.length <= longest) own_.push_back({one.begin, one.length, number[r]});
    } else {
      (one.reach == Reach::begin ? begin_ : end_)[one.begin] = number[r];
    }
  }
}

}  // namespace croft
