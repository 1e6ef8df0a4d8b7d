#include "model/rows/cell_numbers.h"

#include "model/feature_table.h"

namespace croft {
namespace {

// Twice as many slots, with all that was there.
template <class Slots>
void grow(Slots& slots) {
  Slots old(2 * slots.size());
  old.swap(slots);
  const std::size_t mask = slots.size() - 1;
  for (const auto& slot : old) {
    if (slot.number == kUnknown) continue;
    std::size_t at = slot.key.hash() & mask;
    while (slots[at].number != kUnknown) at = (at + 1) & mask;
    slots[at] = slot;
  }
}

}  // namespace

std::uint64_t CellNumbers::Key::hash() const {
  return mix_words(text.word[0] ^ (std::uint64_t{column} << 56),
                   text.word[1] ^ (std::uint64_t{size} << 32));
}

std::uint64_t CellNumbers::Tuple::hash() const {
  return mix_words(cell[0] | std::uint64_t{cell[1]} << 32,
                   (cell[2] | std::uint64_t{cell[3]} << 32) + kGoldenOdd * (column + 1));
}

void CellNumbers::clear() {
  slots_.assign(1024, Slot());
  tuples_.assign(1024, TupleSlot());
  used_ = used_tuples_ = 0;
  next_ = 0;
  long_texts_.clear();
}

std::uint32_t CellNumbers::insert(const Key& key, std::uint64_t hash, std::string_view text) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].number != kUnknown; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.key == key && (text.size() <= kShort || equal_bytes(long_texts_.data() + slot.text,
                                                                 text.data(), text.size()))) {
      return slot.number;
    }
  }
  const std::uint32_t number = take(key.column);
  slots_[at] = {key, number, static_cast<std::uint32_t>(long_texts_.size())};
  if (text.size() > kShort) long_texts_ += text;
  if (2 * ++used_ > slots_.size()) grow(slots_);
  return number;
}

std::uint32_t CellNumbers::insert(const Tuple& tuple, std::uint64_t hash) {
  const std::size_t mask = tuples_.size() - 1;
  std::size_t at = hash & mask;
  for (; tuples_[at].number != kUnknown; at = (at + 1) & mask) {
    if (tuples_[at].key == tuple) return tuples_[at].number;
  }
  const std::uint32_t number = take(tuple.column);
  tuples_[at] = {tuple, number};
  if (2 * ++used_tuples_ > tuples_.size()) grow(tuples_);
  return number;
}

}  // namespace croft
