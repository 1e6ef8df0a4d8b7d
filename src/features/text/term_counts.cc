#include "features/text/term_counts.h"

#include <algorithm>

namespace croft {

void TermCounts::clear() {
  terms_.clear();
  spread_.clear();
  if (++generation_ != 0) return;
  std::ranges::fill(slots_, Slot{0, 0});
  generation_ = 1;
}

void TermCounts::add(std::string_view term) {
  const std::uint64_t hash = hash_string(term);
  add(term, hash, hash);
}

void TermCounts::add(std::string_view text, std::uint64_t hash, std::uint64_t spread) {
  if (2 * (terms_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (spread >> 32) & mask;
  for (;; at = (at + 1) & mask) {
    const Slot slot = slots_[at];
    if (slot.generation != generation_) break;
    CountedTerm& term = terms_[slot.index];
    if (term.hash != hash || term.text != text) continue;
    ++term.count;
    return;
  }
  slots_[at] = {generation_, static_cast<std::uint32_t>(terms_.size())};
  terms_.push_back({text, hash, 1});
  spread_.push_back(spread);
}

void TermCounts::grow() {
  slots_.assign(std::max<std::size_t>(256, 2 * slots_.size()), Slot{0, 0});
  generation_ = 1;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    std::size_t at = (spread_[k] >> 32) & mask;
    while (slots_[at].generation == generation_) at = (at + 1) & mask;
    slots_[at] = {generation_, static_cast<std::uint32_t>(k)};
  }
}

}  // namespace croft
