// Labels described by parts, and scores of groups of labels as scores of labels.
//
//   theta[y] = sum_b m_b(y) s[first_b + group_b(y)],     m_b(y) in {0, 1}                   (JF.3)
//
// A part puts every label into a group; one that looks at a window of the observations holds only
// for labels that stand in it, or for those that do not.  The plain label is the part whose groups
// are the labels.  A cell is a group of a part.  docs/math/joint_features.md section 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "croft/structure/transitions.h"

namespace croft {

// The labels that stand in windows of a sequence's observations: what "occurs earlier" asks.
//
// A track is one number a position: the label that an observed cell spells, or kNoLabel.
// docs/math/joint_features.md section 1.
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

// A partition of the labels.
struct LabelGroups {
  std::vector<std::uint32_t> of;  // [L] the group of each label; empty: each is one of its own
  std::uint32_t count = 0;        // groups; L where `of` is empty
};

struct LabelPart {
  static constexpr std::uint32_t kEverywhere = 0xFFFFFFFF;
  LabelGroups groups;
  std::uint32_t window = kEverywhere;  // only for the labels in this window ...
  bool negated = false;                // ... or only for the others
};

class LabelParts {
 public:
  LabelParts() = default;
  LabelParts(std::size_t labels, std::vector<LabelPart> parts);

  std::size_t labels() const { return labels_; }
  std::size_t size() const { return parts_.size(); }
  const LabelPart& operator[](std::size_t b) const { return parts_[b]; }
  std::size_t cells() const { return first_.back(); }
  std::uint32_t first(std::size_t b) const { return first_[b]; }  // cell of part b
  std::uint32_t cell(std::size_t b, Label y) const {
    const auto& of = parts_[b].groups.of;
    return first_[b] + (of.empty() ? y : of[y]);
  }
  // The part that a cell belongs to.
  std::size_t part_of(std::uint32_t cell) const;
  // m_b(y) at a position of `windows`.
  bool holds(std::size_t b, Label y, const WindowLists& windows, std::size_t position) const;

  // theta += (JF.3).
  //   s     : [cells()]
  //   theta : [labels()]
  // Cost O(L) for each part that is not for a window's labels alone.
  template <class Real>
  void spread(const Real* s, const WindowLists& windows, std::size_t position, Real* theta) const;
  // The transpose: d_s = d_theta of each cell's labels, summed; overwrites [cells()].
  template <class Real>
  void collect(const Real* d_theta, const WindowLists& windows, std::size_t position,
               Real* d_s) const;

 private:
  std::size_t labels_ = 0;
  std::vector<LabelPart> parts_;
  std::vector<std::uint32_t> first_{0};  // [parts + 1]
};

}  // namespace croft
