#include "model/cell_counts.h"

#include <algorithm>
#include <utility>

#include "croft/core/state_archive.h"

namespace croft {

void add_up(Ranks& ranks, std::vector<std::uint64_t>& counts) {
  if (ranks.alone()) return;
  std::vector<double> numbers(counts.begin(), counts.end());
  ranks.sum(numbers);
  std::ranges::transform(numbers, counts.begin(),
                         [](double number) { return static_cast<std::uint64_t>(number); });
}

CellCounts RowShares::add_up(const CellCounts& here) const {
  std::vector<std::string> to;
  for (std::size_t r = 0; r < ranks_.size(); ++r) to.push_back(pack(here, r));
  return merge(ranks_.exchange(to));
}

RawRows RowShares::join(RawRows own) const {
  RawRows all;
  StateArchive out;
  out(own.begin, own.cell);
  for (const std::string& bytes : ranks_.gather(out.bytes())) {
    StateArchive in(bytes);
    RawRows part;
    in(part.begin, part.cell);
    const std::uint64_t offset = all.cell.size();
    for (std::size_t k = 1; k < part.begin.size(); ++k) {
      all.begin.push_back(offset + part.begin[k]);
    }
    all.cell.insert(all.cell.end(), part.cell.begin(), part.cell.end());
  }
  return all;
}

std::string RowShares::pack(const CellCounts& counts, std::size_t rank) const {
  const std::size_t first = first_of(rank), last = first_of(rank + 1);
  const auto part = [&](const auto& list) {
    return std::vector(list.begin() + static_cast<std::ptrdiff_t>(counts.begin[first]),
                       list.begin() + static_cast<std::ptrdiff_t>(counts.begin[last]));
  };
  auto cell = part(counts.cell);
  auto count = part(counts.count);
  std::vector<std::uint32_t> length;
  for (std::size_t a = first; a < last; ++a) {
    length.push_back(static_cast<std::uint32_t>(counts.begin[a + 1] - counts.begin[a]));
  }
  StateArchive out;
  out(length, cell, count);
  return std::string(out.bytes());
}

CellCounts RowShares::merge(const std::vector<std::string>& from) const {
  struct Entry {
    std::uint32_t row, cell;
    std::uint64_t count;
  };
  std::vector<Entry> entries;
  for (const std::string& bytes : from) {
    StateArchive in(bytes);
    std::vector<std::uint32_t> length, cell;
    std::vector<std::uint64_t> count;
    in(length, cell, count);
    std::size_t at = 0;
    for (std::uint32_t row = 0; row < length.size(); ++row) {
      for (std::uint32_t k = 0; k < length[row]; ++k, ++at) {
        entries.push_back({row, cell[at], count[at]});
      }
    }
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row, e.cell); });
  CellCounts merged;
  auto next = entries.begin();
  const std::size_t rows = first_of(ranks_.rank() + 1) - first_of(ranks_.rank());
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (; next != entries.end() && next->row == row; ++next) {
      if (merged.cell.size() > merged.begin.back() && merged.cell.back() == next->cell) {
        merged.count.back() += next->count;
      } else {
        merged.cell.push_back(next->cell);
        merged.count.push_back(next->count);
      }
    }
    merged.begin.push_back(merged.cell.size());
  }
  return merged;
}

}  // namespace croft
