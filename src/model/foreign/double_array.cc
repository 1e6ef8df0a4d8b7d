#include "model/foreign/double_array.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace croft {
namespace {

using Strings = std::span<const std::pair<std::string, std::uint32_t>>;

// How far from a cell others are that it leads to.
constexpr std::uint32_t kReach = 256;
// Free cells that are tried for a base.  Where none fits, the first half of them is not tried
// again: they stand where little is free.
constexpr std::size_t kTries = 256;

class Builder {
 public:
  std::string build(Strings strings);

 private:
  struct Cell {
    std::int32_t base = 0;
    std::uint32_t check = 0;
  };
  // Strings with the same first `depth` bytes, which lead to `cell`.
  struct Range {
    std::size_t begin, end, depth;
    std::uint32_t cell;
  };
  struct Child {
    std::uint32_t code;  // 0: the end of a string; otherwise a byte, and 1
    std::size_t begin, end;
  };

  void find_children(Strings strings, const Range& range);
  std::uint32_t find_base();
  bool fits(std::uint32_t base) const;
  void grow(std::size_t size);
  void unlink(std::uint32_t cell);

  std::vector<Child> children_;  // of one cell
  std::vector<Cell> cells_;
  std::vector<bool> taken_, is_base_;
  // Free cells that are tried, from next_[0] to 0; {0, 0} for others.
  std::vector<std::uint32_t> next_, before_;
  std::vector<bool> linked_;
};

std::string Builder::build(Strings strings) {
  grow(1 + kReach);
  taken_[0] = true;
  std::vector<Range> open{{0, strings.size(), 0, 0}};
  std::uint32_t largest = 1;
  cells_[0].base = 1;  // of no strings at all
  while (!open.empty()) {
    const Range range = open.back();
    open.pop_back();
    find_children(strings, range);
    if (children_.empty()) continue;
    const std::uint32_t base = find_base();
    largest = std::max(largest, base);
    grow(base + kReach + 1);
    is_base_[base] = true;
    cells_[range.cell].base = static_cast<std::int32_t>(base);
    for (const Child& child : children_) {
      const std::uint32_t cell = base + child.code;
      cells_[cell].check = base;
      taken_[cell] = true;
      unlink(cell);
      if (child.code == 0) {
        cells_[cell].base = -static_cast<std::int32_t>(strings[child.begin].second) - 1;
      } else {
        open.push_back({child.begin, child.end, range.depth + 1, cell});
      }
    }
  }
  cells_.resize(largest + kReach + 1);
  std::string bytes(cells_.size() * sizeof(Cell), '\0');
  std::memcpy(bytes.data(), cells_.data(), bytes.size());
  return bytes;
}

void Builder::find_children(Strings strings, const Range& range) {
  children_.clear();
  for (std::size_t k = range.begin; k < range.end; ++k) {
    const std::string& string = strings[k].first;
    const std::uint32_t code =
        string.size() == range.depth ? 0 : static_cast<unsigned char>(string[range.depth]) + 1U;
    if (children_.empty() || children_.back().code != code) children_.push_back({code, k, k});
    children_.back().end = k + 1;
  }
}

bool Builder::fits(std::uint32_t base) const {
  if (base < is_base_.size() && is_base_[base]) return false;
  for (const Child& child : children_) {
    const std::size_t cell = std::size_t{base} + child.code;
    if (cell < taken_.size() && taken_[cell]) return false;
  }
  return true;
}

std::uint32_t Builder::find_base() {
  const std::uint32_t first = children_.front().code;
  std::size_t tries = 0;
  for (std::uint32_t cell = next_[0]; cell != 0 && tries < kTries; cell = next_[cell], ++tries) {
    if (cell > first && fits(cell - first)) return cell - first;
  }
  for (std::size_t k = 0; tries == kTries && k < kTries / 2; ++k) unlink(next_[0]);
  return static_cast<std::uint32_t>(cells_.size());
}

void Builder::grow(std::size_t size) {
  const std::size_t old = cells_.size();
  if (size <= old) return;
  cells_.resize(size);
  taken_.resize(size);
  is_base_.resize(size);
  next_.resize(size);
  before_.resize(size);
  linked_.resize(size);
  for (std::size_t k = std::max<std::size_t>(old, 1); k < size; ++k) {
    const auto cell = static_cast<std::uint32_t>(k);
    before_[cell] = before_[0];
    next_[before_[0]] = cell;
    before_[0] = cell;
    linked_[cell] = true;
  }
}

void Builder::unlink(std::uint32_t cell) {
  if (!linked_[cell]) return;
  next_[before_[cell]] = next_[cell];
  before_[next_[cell]] = before_[cell];
  linked_[cell] = false;
}

}  // namespace

std::string build_double_array(Strings strings) { return Builder().build(strings); }

}  // namespace croft
