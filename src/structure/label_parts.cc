#include "structure/label_parts.h"

#include <algorithm>
#include <utility>

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

LabelParts::LabelParts(std::size_t labels, std::vector<LabelPart> parts)
    : labels_(labels), parts_(std::move(parts)) {
  for (const LabelPart& part : parts_) first_.push_back(first_.back() + part.groups.count);
}

std::size_t LabelParts::part_of(std::uint32_t cell) const {
  const auto next = std::ranges::upper_bound(first_, cell);
  return static_cast<std::size_t>(next - first_.begin()) - 1;
}

bool LabelParts::holds(std::size_t b, Label y, const WindowLists& windows,
                       std::size_t position) const {
  const LabelPart& part = parts_[b];
  if (part.window == LabelPart::kEverywhere) return true;
  const std::span<const Label> present = windows.labels(position, part.window);
  return (std::ranges::find(present, y) != present.end()) != part.negated;
}

template <class Real>
void LabelParts::spread(const Real* s, const WindowLists& windows, std::size_t position,
                        Real* theta) const {
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const LabelPart& part = parts_[b];
    const std::vector<std::uint32_t>& of = part.groups.of;
    const Real* of_part = s + first_[b];
    const bool everywhere = part.window == LabelPart::kEverywhere;
    if ((everywhere || part.negated) && of.empty()) {
      for (std::size_t y = 0; y < labels_; ++y) theta[y] += of_part[y];
    } else if (everywhere || part.negated) {
      for (std::size_t y = 0; y < labels_; ++y) theta[y] += of_part[of[y]];
    }
    if (everywhere) continue;
    const Real sign = part.negated ? Real{-1} : Real{1};
    for (const Label y : windows.labels(position, part.window)) {
      theta[y] += sign * of_part[of.empty() ? y : of[y]];
    }
  }
}

template <class Real>
void LabelParts::collect(const Real* d_theta, const WindowLists& windows, std::size_t position,
                         Real* d_s) const {
  std::fill_n(d_s, cells(), Real{0});
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const LabelPart& part = parts_[b];
    const std::vector<std::uint32_t>& of = part.groups.of;
    Real* of_part = d_s + first_[b];
    const bool everywhere = part.window == LabelPart::kEverywhere;
    if ((everywhere || part.negated) && of.empty()) {
      std::copy_n(d_theta, labels_, of_part);
    } else if (everywhere || part.negated) {
      for (std::size_t y = 0; y < labels_; ++y) of_part[of[y]] += d_theta[y];
    }
    if (everywhere) continue;
    const Real sign = part.negated ? Real{-1} : Real{1};
    for (const Label y : windows.labels(position, part.window)) {
      of_part[of.empty() ? y : of[y]] += sign * d_theta[y];
    }
  }
}

template void LabelParts::spread(const float*, const WindowLists&, std::size_t, float*) const;
template void LabelParts::spread(const double*, const WindowLists&, std::size_t, double*) const;
template void LabelParts::collect(const float*, const WindowLists&, std::size_t, float*) const;
template void LabelParts::collect(const double*, const WindowLists&, std::size_t, double*) const;

}  // namespace croft
