#include <algorithm>

#include "croft/train/chain_dual.h"

namespace croft {

SequenceRows::SequenceRows(const AttributeLists& lists,
                           std::span<const std::uint64_t> sequence_begin, const RowLayout& rows,
                           std::span<const std::uint32_t> place_of)
    : layout_(rows) {
  struct Occurrence {
    std::uint32_t attribute, place;
    double value;
  };
  std::vector<Occurrence> found;
  for (std::size_t n = 0; n + 1 < sequence_begin.size(); ++n) {
    found.clear();
    for (std::uint64_t p = sequence_begin[n]; p < sequence_begin[n + 1]; ++p) {
      for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
        found.push_back({lists.id[k], place_of[p], lists.value.empty() ? 1.0 : lists.value[k]});
      }
    }
    std::ranges::stable_sort(found, {}, &Occurrence::attribute);
    for (std::uint32_t k = 0; k < found.size(); ++k) {
      if (k == 0 || found[k].attribute != found[k - 1].attribute) {
        row_.push_back({found[k].attribute, k});
      }
      place_.push_back(found[k].place);
      if (!lists.value.empty()) value_.push_back(found[k].value);
    }
    row_begin_.push_back(row_.size());
    occurrence_begin_.push_back(place_.size());
  }
}

void SequenceRows::add_scores(std::size_t n, std::span<const double> w,
                              std::span<double> theta) const {
  const std::span<const Row> rows = rows_of(n);
  const std::uint64_t offset = occurrence_begin_[n];
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::uint32_t a = rows[r].attribute;
    const double* weight = w.data() + layout_.begin[a];
    const std::size_t length = layout_.length(a);
    const std::uint64_t end =
        r + 1 < rows.size() ? offset + rows[r + 1].first : occurrence_begin_[n + 1];
    for (std::uint64_t at = offset + rows[r].first; at < end; ++at) {
      const double value = value_.empty() ? 1.0 : value_[at];
      double* scores = theta.data() + std::size_t{place_[at]} * layout_.cells;
      if (length == layout_.cells) {
        for (std::size_t k = 0; k < length; ++k) scores[k] += value * weight[k];
      } else {
        for (std::size_t k = 0; k < length; ++k) {
          scores[layout_.cell_of(a, k)] += value * weight[k];
        }
      }
    }
  }
}

double SequenceRows::aim(std::size_t n, std::span<const double> delta) {
  const std::span<const Row> rows = rows_of(n);
  const std::uint64_t offset = occurrence_begin_[n];
  aimed_.clear();
  v_.clear();
  moved_.assign(delta.size() / layout_.cells, false);
  for (std::size_t k = 0; k < delta.size(); ++k) {
    if (delta[k] != 0) moved_[k / layout_.cells] = true;
  }
  double sum = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::uint32_t a = rows[r].attribute;
    const std::size_t length = layout_.length(a), first = v_.size();
    const std::uint64_t end =
        r + 1 < rows.size() ? offset + rows[r + 1].first : occurrence_begin_[n + 1];
    for (std::uint64_t at = offset + rows[r].first; at < end; ++at) {
      if (!moved_[place_[at]]) continue;
      if (v_.size() == first) v_.resize(first + length);
      const double value = value_.empty() ? 1.0 : value_[at];
      const double* d = delta.data() + std::size_t{place_[at]} * layout_.cells;
      for (std::size_t k = 0; k < length; ++k) v_[first + k] += value * d[layout_.cell_of(a, k)];
    }
    if (v_.size() == first) continue;
    aimed_.push_back({a, first});
    for (std::size_t k = 0; k < length; ++k) sum += v_[first + k] * v_[first + k];
  }
  return sum;
}

void SequenceRows::move(double scale, std::span<double> w) const {
  for (const Aimed& row : aimed_) {
    double* weight = w.data() + layout_.begin[row.attribute];
    const std::size_t length = layout_.length(row.attribute);
    for (std::size_t k = 0; k < length; ++k) weight[k] += scale * v_[row.first + k];
  }
}

}  // namespace croft
