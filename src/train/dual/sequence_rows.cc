#include <algorithm>
#include <cmath>

#include "train/dual/chain_dual.h"

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
        const std::uint32_t a = found[k].attribute;
        row_.push_back({rows.begin[a], k, static_cast<std::uint32_t>(rows.length(a))});
      }
      place_.push_back(found[k].place);
      if (!lists.value.empty()) value_.push_back(found[k].value);
    }
    row_begin_.push_back(row_.size());
    occurrence_begin_.push_back(place_.size());
  }
}

// visit(row, first occurrence, its end) for each attribute of sequence n.  Rows are far apart in
// memory: they are asked for some steps ahead.
template <class Visit>
void SequenceRows::for_each_row(std::size_t n, std::span<const double> w,
                                const Visit& visit) const {
  constexpr std::size_t kAhead = 12;
  const std::span<const Row> rows = rows_of(n);
  const std::uint64_t offset = occurrence_begin_[n];
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r + kAhead < rows.size()) {
      const Row& ahead = rows[r + kAhead];
      if (!w.empty()) __builtin_prefetch(w.data() + ahead.weight);
      if (const std::uint32_t* cells = cells_of(ahead)) __builtin_prefetch(cells);
    }
    const std::uint64_t end =
        r + 1 < rows.size() ? offset + rows[r + 1].first : occurrence_begin_[n + 1];
    visit(rows[r], offset + rows[r].first, end);
  }
}

void SequenceRows::add_scores(std::size_t n, std::span<const double> w,
                              std::span<double> theta) const {
  for_each_row(n, w, [&](const Row& row, std::uint64_t at, std::uint64_t end) {
    const double* weight = w.data() + row.weight;
    const std::size_t length = row.length;
    const std::uint32_t* cell = cells_of(row);
    for (; at < end; ++at) {
      const double value = value_.empty() ? 1.0 : value_[at];
      double* scores = theta.data() + std::size_t{place_[at]} * layout_.cells;
      if (cell == nullptr) {
        for (std::size_t k = 0; k < length; ++k) scores[k] += value * weight[k];
      } else {
        for (std::size_t k = 0; k < length; ++k) scores[cell[k]] += value * weight[k];
      }
    }
  });
}

double SequenceRows::aim(std::size_t n, std::span<const double> delta, double least) {
  aimed_.clear();
  v_.clear();
  moved_.assign(delta.size() / layout_.cells, 0);
  for (std::size_t place = 0, k = 0; place < moved_.size(); ++place) {
    for (std::size_t j = 0; j < layout_.cells; ++j, ++k)
      moved_[place] |= std::abs(delta[k]) > least;
  }
  double sum = 0;
  for_each_row(n, {}, [&](const Row& row, std::uint64_t at, std::uint64_t end) {
    while (at < end && moved_[place_[at]] == 0) ++at;
    if (at == end) return;
    const std::size_t length = row.length, first = v_.size();
    const std::uint32_t* cell = cells_of(row);
    v_.resize(first + length);
    double* v = v_.data() + first;
    for (; at < end; ++at) {
      const double value = value_.empty() ? 1.0 : value_[at];
      const double* d = delta.data() + std::size_t{place_[at]} * layout_.cells;
      if (cell == nullptr) {
        for (std::size_t k = 0; k < length; ++k) v[k] += value * d[k];
      } else {
        for (std::size_t k = 0; k < length; ++k) v[k] += value * d[cell[k]];
      }
    }
    aimed_.push_back({&row, first});
    for (std::size_t k = 0; k < length; ++k) sum += v[k] * v[k];
  });
  return sum;
}

void SequenceRows::move(double scale, std::span<double> w) const {
  for (const Aimed& aimed : aimed_) {
    double* weight = w.data() + aimed.row->weight;
    const double* v = v_.data() + aimed.first;
    for (std::size_t k = 0; k < aimed.row->length; ++k) weight[k] += scale * v[k];
  }
}

}  // namespace croft
