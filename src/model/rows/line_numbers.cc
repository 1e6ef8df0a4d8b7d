#include "model/rows/line_numbers.h"

#include <algorithm>

namespace croft {

bool LineNumbers::tries(std::size_t lines) {
  if (rest_ > 0) {
    rest_ -= std::min(rest_, lines);
    return false;
  }
  if (asked_ >= kTrial) {
    if (kOneIn * known_ < asked_) rest_ = kLeftOut * kTrial;
    asked_ = known_ = 0;
  }
  asked_ += lines;
  return true;
}

// Where the line is, or the free slot where it belongs.
std::size_t LineNumbers::slot_of(std::string_view line, std::uint64_t hash) const {
  std::size_t at = hash & mask();
  for (; slots_[at].number != kUnknown; at = (at + 1) & mask()) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && std::string_view(texts_.data() + slot.begin, slot.size) == line) {
      return at;
    }
  }
  return at;
}

std::uint32_t LineNumbers::find(std::string_view line, std::uint64_t hash) {
  const std::uint32_t number = slots_[slot_of(line, hash)].number;
  known_ += number != kUnknown ? 1 : 0;
  return number;
}

std::uint32_t LineNumbers::insert(std::string_view line, std::uint64_t hash) {
  if (lines_ == kMostLines || texts_.size() > kMostBytes) clear();
  Slot& slot = slots_[slot_of(line, hash)];
  if (slot.number != kUnknown) return slot.number;
  const std::uint32_t number = lines_++;
  slot = {hash, texts_.size(), static_cast<std::uint32_t>(line.size()), number};
  texts_.insert(texts_.end(), line.begin(), line.end());
  if (2 * std::size_t{lines_} > slots_.size()) grow();
  return number;
}

void LineNumbers::clear() {
  slots_.assign(1024, Slot());
  lines_ = 0;
  texts_.clear();
}

void LineNumbers::grow() {
  LargeVector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.number == kUnknown) continue;
    std::size_t at = slot.hash & mask();
    while (slots_[at].number != kUnknown) at = (at + 1) & mask();
    slots_[at] = slot;
  }
}

}  // namespace croft
