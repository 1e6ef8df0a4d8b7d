#include "features/trigger_finder.h"

#include <algorithm>

namespace croft {

TriggerFinder::TriggerFinder(std::span<const Trigger> triggers) {
  for (const Trigger& trigger : triggers) {
    if (waiting_.size() <= trigger.window.track) waiting_.resize(trigger.window.track + 1);
    waiting_[trigger.window.track][trigger.cell].push_back(
        static_cast<std::uint32_t>(windows_.size()));
    windows_.push_back(trigger.window);
  }
}

// A cell at p lies in the windows of the positions p - to .. p - from: what is emitted for each
// cell are these, less those that an earlier cell of the same trigger has had.
void TriggerFinder::find(std::span<const std::string_view> cells, std::size_t tracks,
                         std::vector<Firing>& out) const {
  out.clear();
  if (windows_.empty()) return;
  const auto length = static_cast<std::ptrdiff_t>(cells.size() / tracks);
  std::vector<Firing> hits;
  for (std::ptrdiff_t p = 0; p < length; ++p) {
    for (std::size_t k = 0; k < waiting_.size(); ++k) {
      const auto found = waiting_[k].find(cells[static_cast<std::size_t>(p) * tracks + k]);
      if (found == waiting_[k].end()) continue;
      for (const std::uint32_t trigger : found->second) {
        hits.push_back({static_cast<std::uint32_t>(p), trigger});
      }
    }
  }
  std::ranges::stable_sort(hits, {}, &Firing::trigger);
  std::vector<Firing> by_trigger;
  std::vector<std::size_t> begin(static_cast<std::size_t>(length) + 1);  // of each position in out
  std::ptrdiff_t next = 0;  // the first position that the trigger has not had
  for (std::size_t n = 0; n < hits.size(); ++n) {
    const auto [position, trigger] = hits[n];
    const LabelWindow& window = windows_[trigger];
    const auto p = static_cast<std::ptrdiff_t>(position);
    if (n == 0 || hits[n - 1].trigger != trigger) next = 0;
    const std::ptrdiff_t last = window.from ? std::min(p - *window.from, length - 1) : length - 1;
    if (window.to) next = std::max(next, p - *window.to);
    for (; next <= last; ++next) {
      by_trigger.push_back({static_cast<std::uint32_t>(next), trigger});
      ++begin[static_cast<std::size_t>(next) + 1];
    }
  }
  for (std::size_t t = 1; t < begin.size(); ++t) begin[t] += begin[t - 1];
  out.resize(by_trigger.size());
  for (const Firing& each : by_trigger) out[begin[each.position]++] = each;
}

}  // namespace croft
