// Numbers for the distinct cells of columns, and for those that stand together.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/large_vector.h"
#include "features/vocabulary.h"
#include "model/rows/short_text.h"

namespace croft {

// Exactly: equal numbers, equal cells.  A column is one of the data, whose cells are texts, or a
// tuple of cells that have numbers.
class CellNumbers {
 public:
  // [columns] how far the next cell's number is from this one's, for each column
  explicit CellNumbers(std::vector<std::uint32_t> steps) : steps_(std::move(steps)) { clear(); }

  // A cell of up to 16 bytes is its length and its bytes; a longer one is verified by its text,
  // too.
  static constexpr std::size_t kShort = ShortText<2>::kBytes;
  struct Key {
    Key() = default;
    Key(std::uint32_t column_of, std::string_view cell)
        : text(cell.data(), cell.size()),
          size(static_cast<std::uint32_t>(cell.size())),
          column(column_of) {
      if (cell.size() > kShort) [[unlikely]]
        text.word[1] ^= hash_string(cell);
    }
    bool operator==(const Key&) const = default;
    std::uint64_t hash() const;
    ShortText<2> text;
    std::uint32_t size = 0, column = kUnknown;
  };
  std::uint32_t insert(const Key& key, std::uint64_t hash, std::string_view text);
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

  static constexpr std::size_t kMostCells = 4;  // of a tuple
  struct Tuple {
    std::array<std::uint32_t, kMostCells> cell{};  // by their numbers; 0 behind the last
    std::uint32_t column = kUnknown;
    bool operator==(const Tuple&) const = default;
    std::uint64_t hash() const;
  };
  std::uint32_t insert(const Tuple& tuple, std::uint64_t hash);
  void prefetch_tuple(std::uint64_t hash) const {
    __builtin_prefetch(&tuples_[hash & (tuples_.size() - 1)]);
  }

  // A number that no cell has.
  std::uint32_t take(std::uint32_t column) { return std::exchange(next_, next_ + steps_[column]); }
  std::uint32_t end() const { return next_; }  // above all numbers
  std::size_t bytes() const {
    return slots_.size() * sizeof(Slot) + tuples_.size() * sizeof(TupleSlot) + long_texts_.size();
  }
  void clear();

 private:
  struct Slot {
    Key key;
    std::uint32_t number = kUnknown;  // kUnknown: free
    std::uint32_t text = 0;           // of a longer one, where it begins in long_texts_
  };
  struct TupleSlot {
    Tuple key;
    std::uint32_t number = kUnknown;  // kUnknown: free
  };

  std::vector<std::uint32_t> steps_;
  LargeVector<Slot> slots_;        // a power of two of them
  LargeVector<TupleSlot> tuples_;  // likewise
  std::size_t used_ = 0, used_tuples_ = 0;
  std::uint32_t next_ = 0;
  std::string long_texts_;
};

}  // namespace croft
