// The rows of what templates make of cells, without the strings: by the numbers of the cells.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/large_vector.h"
#include "data/columns.h"
#include "features/template.h"
#include "model/feature_table.h"
#include "model/rows/found_rows.h"
#include "model/rows/line_numbers.h"
#include "model/rows/short_text.h"

namespace croft {

// Numbers the distinct cells of each column, exactly: equal numbers, equal cells.
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
  // A number that no cell has.
  std::uint32_t take(std::uint32_t column) { return std::exchange(next_, next_ + steps_[column]); }
  std::uint32_t end() const { return next_; }  // above all numbers
  std::size_t bytes() const { return slots_.size() * sizeof(Slot) + long_texts_.size(); }
  void clear();

 private:
  struct Slot {
    Key key;
    std::uint32_t number = kUnknown;  // kUnknown: free
    std::uint32_t text = 0;           // of a longer one, where it begins in long_texts_
  };
  void grow();

  std::vector<std::uint32_t> steps_;
  LargeVector<Slot> slots_;  // a power of two of them
  std::size_t used_ = 0;
  std::uint32_t next_ = 0;
  std::string long_texts_;
};

// Templates of one kind, of positions or of edges.  What a template makes of its cells is decided
// by their numbers: its row is looked up by the string once, and then remembered for these numbers.
// One a thread; templates and table must outlive it.
class TemplateRows {
 public:
  //   first : position that has attributes: 0, or 1 for edges
  TemplateRows(const TemplateSet& templates, const std::vector<std::size_t>& which,
               std::size_t first, const FeatureTable& table);

  // take(rows) of all positions, some at a time.
  template <class Take>
  void find(const ColumnSequence& rows, const Take& take) {
    for (std::size_t begin = 0; begin < rows.rows(); begin += kNumbered) {
      const std::size_t end = std::min(begin + kNumbered, rows.rows());
      number_cells(rows, begin, end);
      for (std::size_t t = begin; t < end; t += kAtOnce) {
        find_rows(rows, t, std::min(t + kAtOnce, end), begin);
        take(found_);
      }
    }
  }

 private:
  static constexpr std::size_t kNumbered = 1024, kAtOnce = 16;  // positions
  static constexpr std::size_t kMostCells = 4;                  // of a template that is remembered
  static constexpr std::int32_t kMostAway = 8;                  // a row of such a cell
  static constexpr std::size_t kEntries = 32768;                // of templates of several cells
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 20;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;
  // In the place of a number that is still to be looked up, and may turn out to be none.
  static constexpr std::uint32_t kNotYet = kUnknown - 1;

  using Cells = std::array<std::uint32_t, kMostCells>;  // by their numbers; 0 behind the last
  struct Step {
    std::size_t which;        // the template
    bool remembered = false;  // otherwise it is made up at every position
    std::uint32_t cells = 0;
    std::uint32_t slot = 0;  // of one cell: the row's place behind the cell's number
    std::array<std::int32_t, kMostCells> at{};  // of numbers_, from the position's own row on
  };
  struct Entry {
    Cells cell;
    std::uint32_t step, id;
  };
  struct Missed {
    std::size_t row;  // of found_
    std::size_t step;
    std::size_t at;  // in ids_ or entries_, where it is to be remembered
    Cells cells;
  };

  void plan(const TemplateSet& templates, const std::vector<std::size_t>& which);
  void start();
  void number_cells(const ColumnSequence& rows, std::size_t begin, std::size_t end);
  void number_row(const ColumnSequence& rows, std::size_t t, std::uint32_t* out);
  void number_cells_of(const ColumnSequence& rows, std::size_t t, std::uint32_t* out);
  void find_rows(const ColumnSequence& rows, std::size_t begin, std::size_t end,
                 std::size_t numbered);
  void find_missed();
  Cells cells_at(const Step& step, const std::uint32_t* row) const;
  static std::size_t entry_at(std::size_t step, const Cells& cells);
  void prefetch_entries(std::size_t begin, std::size_t end, std::size_t numbered);
  // Of the cells of a position; `numbered` is the first that has them.
  const std::uint32_t* numbers_at(std::size_t t, std::size_t numbered) const {
    return numbers_.data() + (t - numbered + away_) * columns_.size();
  }

  const TemplateSet& templates_;
  const FeatureTable& table_;
  std::size_t first_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> columns_;  // that are numbered
  std::size_t away_ = 0;                // rows before and after those that are asked for
  CellNumbers cells_{{}};
  struct Numbered {
    CellNumbers::Key key;
    std::uint32_t number = 0;
  };
  std::vector<Numbered> above_;              // [columns_] of the row before
  LineNumbers row_numbers_;                  // of rows up to the last of the columns
  LargeVector<std::uint32_t> cells_of_row_;  // [numbers][columns_]
  struct Cell {
    std::string_view text;
    CellNumbers::Key key;
    std::uint64_t hash;
  };
  std::vector<Cell> others_;            // of a row, on their way to numbers
  std::vector<std::uint32_t> outside_;  // [2 away_][columns_] numbers beyond the sequence's ends
  std::vector<std::uint32_t> numbers_;  // [rows + 2 away_][columns_]
  LargeVector<std::uint32_t> ids_;      // by number and slot, of templates of one cell
  std::vector<Entry> entries_;
  FoundRows found_;
  StringLists names_;
  std::vector<Missed> missed_;
  std::vector<std::uint32_t> found_ids_;
};

}  // namespace croft
