// The labels that stand in windows of a sequence's observations: what "occurs earlier" asks.
//
// A track is one number a position: the label that an observed cell spells, or kNoLabel.
// docs/math/joint_features.md section 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "croft/structure/transitions.h"

namespace croft {

inline constexpr Label kNoLabel = 0xFFFFFFFF;

// Positions t + from to t + to of a track, as far as the sequence has them.
struct LabelWindow {
  std::optional<std::int32_t> from, to;  // none: from the first position, to the last
  std::uint32_t track = 0;
  auto operator<=>(const LabelWindow&) const = default;
};

// The distinct labels in each window of each position.
struct WindowLists {
  std::size_t windows = 0;              // of a position
  std::vector<std::uint64_t> begin{0};  // [positions * windows + 1] into label
  std::vector<Label> label;

  void clear() {
    begin.assign(1, 0);
    label.clear();
  }
  std::span<const Label> labels(std::size_t position, std::size_t window) const {
    const std::size_t k = position * windows + window;
    return std::span(label).subspan(begin[k], begin[k + 1] - begin[k]);
  }
};

// Finds them; one a thread.
class WindowFinder {
 public:
  // Appends the positions of a sequence to `out`, whose `windows` is windows.size().
  //   tracks : [T][tracks of the windows] row-major; numbers are < labels, or kNoLabel
  // Cost O(T times the windows' lengths).
  void append(std::span<const LabelWindow> windows, std::span<const Label> tracks,
              std::size_t track_count, std::size_t labels, WindowLists& out);

 private:
  std::vector<std::uint64_t> seen_;  // [labels] the number of the last window that had it
  std::uint64_t number_ = 0;
};

}  // namespace croft
