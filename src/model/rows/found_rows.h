// The rows of weights of some positions: what is left of their attributes once these are looked up.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/feature_table.h"

namespace croft {

struct FoundRow {
  CompactOffsets::Row place;
  double value;
};

// Of the positions [begin, begin + end.size()), in order; end[t - begin] is where those of t end.
// Attributes that the table does not know have none.
struct FoundRows {
  std::size_t begin = 0;
  std::vector<FoundRow> rows;  // [count()], and room for more
  std::vector<std::size_t> end;

  std::size_t count() const { return end.empty() ? 0 : end.back(); }
  void start(std::size_t position) {
    begin = position;
    end.clear();
  }
  void make_room(std::size_t count) {
    if (rows.size() < count) rows.resize(count);
  }
};

// What stands in the place of a row that is still to be looked up, and may turn out to be none.
inline constexpr CompactOffsets::Row kNotYet{0, 0xFFFFFFFF};

// visit(t, place, value) of every row, the weights of later ones being on their way.
template <class Visit>
void for_each_row(const FeatureTable& table, const FoundRows& found, Visit visit) {
  constexpr std::size_t kAhead = 8;
  const std::size_t rows = found.count();
  for (std::size_t k = 0; k < std::min(kAhead, rows); ++k) table.prefetch(found.rows[k].place);
  std::size_t k = 0;
  for (std::size_t t = 0; t < found.end.size(); ++t) {
    for (; k < found.end[t]; ++k) {
      if (k + kAhead < rows) table.prefetch(found.rows[k + kAhead].place);
      visit(found.begin + t, found.rows[k].place, found.rows[k].value);
    }
  }
}

}  // namespace croft
