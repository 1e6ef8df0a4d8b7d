#include "structure/label_windows.h"

#include <algorithm>

namespace croft {

void WindowFinder::append(std::span<const LabelWindow> windows, std::span<const Label> tracks,
                          std::size_t track_count, std::size_t labels, WindowLists& out) {
  if (windows.empty()) return;
  if (seen_.size() < labels) seen_.resize(labels);
  const auto length = static_cast<std::ptrdiff_t>(tracks.size() / track_count);
  for (std::ptrdiff_t t = 0; t < length; ++t) {
    for (const LabelWindow& window : windows) {
      ++number_;
      const std::ptrdiff_t first = window.from ? t + *window.from : 0;
      const std::ptrdiff_t last = window.to ? t + *window.to : length - 1;
      for (std::ptrdiff_t p = std::max<std::ptrdiff_t>(first, 0); p <= std::min(last, length - 1);
           ++p) {
        const Label y = tracks[static_cast<std::size_t>(p) * track_count + window.track];
        if (y == kNoLabel || seen_[y] == number_) continue;
        seen_[y] = number_;
        out.label.push_back(y);
      }
      out.begin.push_back(out.label.size());
    }
  }
}

}  // namespace croft
