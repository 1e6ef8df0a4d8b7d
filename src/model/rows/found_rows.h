// The attributes of some positions once these are looked up: the numbers of their rows of weights.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/vocabulary.h"

namespace croft {

struct FoundRow {
  std::uint32_t id;  // of a FeatureTable; kUnknown has no weights
  double value;
};

// Of the positions [begin, begin + end.size()), in order; end[t - begin] is where those of t end.
// Attributes that the table does not know need not be here.
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

}  // namespace croft
