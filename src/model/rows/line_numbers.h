// Numbers the distinct lines of the data, exactly, where lines come again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/large_vector.h"
#include "features/vocabulary.h"

namespace croft {

// For what is known of a whole line: a hash of it and a comparison instead of one of each field.
// Where few of the lines come again, both are only a loss: then it rests, and tries again later.
class LineNumbers {
 public:
  LineNumbers() { clear(); }

  // Whether so many lines, which come next, are worth a look.  Ask once.
  bool tries(std::size_t lines);
  // What find() reads; and then, when this is there, the text that it compares.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask()]); }
  void prefetch_text(std::uint64_t hash) const {
    const Slot& slot = slots_[hash & mask()];
    if (slot.hash != hash) return;
    for (std::size_t k = 0; k < slot.size; k += 64) __builtin_prefetch(&texts_[slot.begin + k]);
  }
  // The line's number, or kUnknown.
  //   hash : hash_string(line)
  std::uint32_t find(std::string_view line, std::uint64_t hash);
  // The same, new or not: at most one above those that were there.  When lines have become too
  // many, all others are forgotten, and numbers begin with 0 again.
  std::uint32_t insert(std::string_view line, std::uint64_t hash);

 private:
  static constexpr std::size_t kMostLines = std::size_t{1} << 15;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 23;
  // Of kTrial lines one in kOneIn must be known, else kLeftOut trials are left out.
  static constexpr std::size_t kTrial = 4096, kOneIn = 4, kLeftOut = 15;
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t begin = 0;  // of texts_
    std::uint32_t size = 0;
    std::uint32_t number = kUnknown;  // kUnknown: free
  };
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t slot_of(std::string_view line, std::uint64_t hash) const;
  void clear();
  void grow();

  LargeVector<Slot> slots_;  // a power of two of them
  std::uint32_t lines_ = 0;
  LargeVector<char> texts_;
  std::size_t asked_ = 0, known_ = 0;  // of the trial
  std::size_t rest_ = 0;               // lines until the next one
};

}  // namespace croft
