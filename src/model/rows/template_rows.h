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
#include "model/rows/cell_numbers.h"
#include "model/rows/found_rows.h"
#include "model/rows/line_numbers.h"

namespace croft {

// Templates of one kind, of positions or of edges.  What a template makes of its cells is decided
// by their numbers: its row is looked up by the string once, and then remembered for these numbers.
// The cells of one template, seen from the first of their rows, are a column as those of the data
// are: of a tuple of cells.  Templates that differ in the first row alone share it.
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
  static constexpr std::size_t kNumbered = 1024, kAtOnce = 16;        // positions
  static constexpr std::size_t kMostCells = CellNumbers::kMostCells;  // of one remembered
  static constexpr std::int32_t kMostAway = 8;                        // a row of such a cell
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 20;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;
  // In the place of a number that is still to be looked up, and may turn out to be none.
  static constexpr std::uint32_t kNotYet = kUnknown - 1;

  struct Step {
    std::size_t which;        // the template
    bool remembered = false;  // otherwise it is made up at every position
    std::int32_t at = 0;      // of numbers_, from the position's own row on
    std::uint32_t slot = 0;   // the row's place behind the number that is there
  };
  struct Tuple {
    std::uint32_t cells = 0;
    std::array<std::int32_t, kMostCells> at{};  // of numbers_, from the first row on
    std::int32_t first = 0, last = 0;           // where that row is, from the positions on that ask
  };
  struct Missed {
    std::size_t row;  // of found_
    std::size_t step;
    std::size_t at;  // in ids_, where it is to be remembered
  };

  void plan(const TemplateSet& templates, const std::vector<std::size_t>& which);
  void start();
  void number_cells(const ColumnSequence& rows, std::size_t begin, std::size_t end);
  void number_rows(const ColumnSequence& rows, std::size_t first, std::size_t count,
                   std::uint32_t* out);
  void number_cells_of(const ColumnSequence& rows, std::size_t t, std::uint32_t* out);
  void find_rows(const ColumnSequence& rows, std::size_t begin, std::size_t end,
                 std::size_t numbered);
  void find_missed();
  Tuple tuple_of(const std::vector<TemplateSet::CellAt>& cells) const;
  CellNumbers::Tuple tuple_at(std::size_t column, const std::uint32_t* row) const;
  void number_tuples(std::size_t count);
  // Of the cells of a position; `numbered` is the first that has them.
  const std::uint32_t* numbers_at(std::size_t t, std::size_t numbered) const {
    return numbers_.data() + (t - numbered + away_) * width_;
  }

  const TemplateSet& templates_;
  const FeatureTable& table_;
  std::size_t first_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> columns_;  // that are numbered
  std::vector<Tuple> tuples_;           // the columns behind these, those of one row first
  // Of numbers_, from a position's row on: the last of each column that its templates look at.
  std::vector<std::int32_t> newest_;
  std::size_t width_ = 0;       // columns of both
  std::size_t of_one_row_ = 0;  // without tuples of several rows
  std::size_t away_ = 0;        // rows before and after those that are asked for
  CellNumbers cells_{{}};
  struct Numbered {
    CellNumbers::Key key;
    std::uint32_t number = 0;
  };
  std::vector<Numbered> above_;              // [columns_] of the row before
  LineNumbers row_numbers_;                  // of rows up to the last of the columns
  LargeVector<std::uint32_t> cells_of_row_;  // [numbers][of_one_row_]
  struct Cell {
    std::string_view text;
    CellNumbers::Key key;
    std::uint64_t hash;
  };
  std::vector<Cell> others_;            // of a row, on their way to numbers
  std::vector<std::uint32_t> outside_;  // [2 away_][of_one_row_] beyond the sequence's ends
  std::vector<std::uint32_t> numbers_;  // [rows + 2 away_][width_]
  LargeVector<std::uint32_t> ids_;      // by number and slot
  FoundRows found_;
  StringLists names_;
  std::vector<Missed> missed_;
  std::vector<std::uint32_t> found_ids_;
};

}  // namespace croft
