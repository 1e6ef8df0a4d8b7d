#include <algorithm>

#include "train/dual/kernel_dual.h"

namespace croft {

KernelRowCache::KernelRowCache(const KernelProducts& products, const AttributeLists& lists,
                               std::size_t bytes)
    : products_(products),
      lists_(lists),
      slots_(
          std::max(kTogether, bytes / (sizeof(float) * std::max<std::size_t>(products.size(), 1)))),
      at_(products.size()),
      cached_(products.size()) {}

std::size_t KernelRowCache::take_slot(std::uint64_t position) {
  std::uint32_t slot;
  if (row_.size() < slots_) {
    slot = static_cast<std::uint32_t>(row_.size());
    row_.emplace_back(products_.size());
  } else {
    slot = used_.back().second;
    cached_[used_.back().first] = false;
    used_.pop_back();
  }
  used_.emplace_front(position, slot);
  at_[position] = used_.begin();
  cached_[position] = true;
  return slot;
}

std::span<const float* const> KernelRowCache::rows(std::span<const std::uint64_t> positions) {
  std::vector<std::uint64_t> missing;
  std::vector<float*> to;
  for (const std::uint64_t p : positions) {  // first: so that none of them makes room for another
    if (cached_[p]) used_.splice(used_.begin(), used_, at_[p]);
  }
  for (const std::uint64_t p : positions) {
    if (cached_[p]) continue;
    missing.push_back(p);
    to.push_back(row_[take_slot(p)].data());
  }
  if (!missing.empty()) products_.rows(lists_, missing, 0, products_.size(), to);
  found_.clear();
  for (const std::uint64_t p : positions) found_.push_back(row_[at_[p]->second].data());
  return found_;
}

}  // namespace croft
