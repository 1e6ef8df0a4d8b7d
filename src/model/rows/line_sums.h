// The sums of weights of attribute lines: those of lines that come again are remembered whole.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/large_vector.h"
#include "croft/core/matrix.h"
#include "data/attributes.h"
#include "model/rows/attribute_rows.h"
#include "model/rows/line_numbers.h"
#include "model/rows/weight_rows.h"

namespace croft {

// One a thread and table.
template <class Real>
class LineSums {
 public:
  // state(t, j) += the sum of value * weight(j) of the attributes of line t; state is 0 before.
  // Throws as rows.find().
  void add(const AttributeLines& lines, const std::string& file, AttributeRows& rows,
           WeightRows<Real>& weights, Matrix<Real>& state) {
    if (!numbers_.tries(state.rows())) {
      rows.find(lines, lines.text, 0, file,
                [&](const FoundRows& found) { weights.add(found, state); });
      return;
    }
    new_.clear();
    std::size_t t = 0;
    for (std::size_t begin = 0; begin < lines.text.size(); ++t) {
      const std::size_t end = lines.text.find('\n', begin);
      const std::string_view whole = std::string_view(lines.text).substr(begin, end - begin);
      begin = end + 1;
      const std::string_view fields = whole.substr(std::min(whole.find('\t'), whole.size()));
      const std::uint64_t hash = hash_string(fields);
      const std::uint32_t number = numbers_.find(fields, hash);
      if (number == kUnknown) {
        new_.push_back({whole.data(), fields, hash});
        continue;
      }
      add_new(lines, t, file, rows, weights, state);
      std::copy_n(sums_.data() + number * state.stride(), state.stride(), state.row(t));
    }
    add_new(lines, t, file, rows, weights, state);
  }

 private:
  struct Line {
    const char* begin;
    std::string_view fields;  // up to its newline
    std::uint64_t hash;
  };

  // Of the lines new_, which end before line `end`.
  void add_new(const AttributeLines& lines, std::size_t end, const std::string& file,
               AttributeRows& rows, WeightRows<Real>& weights, Matrix<Real>& state) {
    if (new_.empty()) return;
    const std::size_t first = end - new_.size(), stride = state.stride();
    const char* const from = new_.front().begin;
    const char* const to = new_.back().fields.data() + new_.back().fields.size() + 1;
    rows.find(lines, {from, static_cast<std::size_t>(to - from)}, first, file,
              [&](const FoundRows& found) { weights.add(found, state); });
    for (std::size_t k = 0; k < new_.size(); ++k) {
      const std::size_t at = numbers_.insert(new_[k].fields, new_[k].hash) * stride;
      if (sums_.size() < at + stride) sums_.resize(at + stride);
      std::copy_n(state.row(first + k), stride, sums_.data() + at);
    }
    new_.clear();
  }

  LineNumbers numbers_;
  LargeVector<Real> sums_;  // [numbers][stride of state]
  std::vector<Line> new_;   // one behind the other
};

}  // namespace croft
