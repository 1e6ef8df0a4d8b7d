#include "train/functions/softmax_columns.h"

#include <numeric>

#include "croft/core/error.h"
#include "model/linear_scorer.h"

namespace croft {

ColumnsOfPositions::ColumnsOfPositions(const ChainData& data, const ChainLayout& layout)
    : labels_(layout.labels), gold_(data.label.begin(), data.label.end()) {
  for (const Label y : data.label) {
    if (is_one_label(y)) continue;
    throw UsageError("coordinate descent needs data in which every label is fully known");
  }
  if (layout.constraint != nullptr) {
    throw UsageError(
        "coordinate descent takes every position by itself, and a constraint is on labels that "
        "follow each other: leave out --constrain");
  }
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    weight_.resize(data.sequence_begin[n + 1], data.sequence_weight(n));
  }
  const RowLayout& rows = layout.node;
  first_ = rows.begin;
  for (std::size_t a = 0; a < rows.rows(); ++a) {
    for (std::size_t k = 0; k < rows.length(a); ++k) label_.push_back(rows.cell_of(a, k));
  }

  std::vector<std::uint32_t> position(data.positions());
  std::iota(position.begin(), position.end(), 0u);
  const Postings postings = make_postings(data.node, 0, data.positions(), rows.rows(), position);
  begin_.assign(1, 0);
  // An attribute that a position has twice is there once, with the sum of its values.
  bool ones = true;
  for (std::size_t e = 0; e < postings.attribute.size(); ++e) {
    begin_.resize(postings.attribute[e] + std::size_t{1}, place_.size());
    for (std::uint64_t k = postings.begin[e]; k < postings.begin[e + 1]; ++k) {
      const double value = postings.value.empty() ? 1 : postings.value[k];
      if (place_.size() > begin_.back() && place_.back() == postings.place[k]) {
        value_.back() += value;
      } else {
        place_.push_back(postings.place[k]);
        value_.push_back(value);
      }
      ones = ones && value_.back() == 1;
    }
    begin_.push_back(place_.size());
  }
  begin_.resize(rows.rows() + 1, place_.size());
  if (ones) value_ = std::vector<double>();
}

SoftmaxColumns ColumnsOfPositions::view() const {
  return {.labels = labels_,
          .weight = weight_,
          .gold = gold_,
          .begin = begin_,
          .place = place_,
          .value = value_,
          .first = first_,
          .label = label_};
}

}  // namespace croft
