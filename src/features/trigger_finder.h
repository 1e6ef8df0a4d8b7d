// Triggers: attributes of a position that hold where a string stands in a window of cells near it.
//
//   x_a(t) = 1 where some p in t + from .. t + to has cell(p) = string, 0 elsewhere (JF.7)
//
// docs/math/joint_features.md section 4; docs/templates.md, "Joint templates".
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "structure/label_parts.h"

namespace croft {

struct Trigger {
  LabelWindow window;  // its track is one of cells
  std::string cell;    // that has to stand there, byte by byte
  std::size_t part;    // of y
  std::string attribute;
};

class TriggerFinder {
 public:
  TriggerFinder() = default;
  explicit TriggerFinder(std::span<const Trigger> triggers);

  struct Firing {
    std::uint32_t position, trigger;
    auto operator<=>(const Firing&) const = default;
  };
  // All triggers that hold at each position of a sequence; increasing.  Overwrites `out`.
  //   cells : [T][tracks] row-major; every track of the triggers is one of them
  // One look-up for each cell, however many triggers there are, and O(T + F + H log H) for F
  // firings and H cells that a trigger waits for: no window is searched.  Safe from many threads at
  // once.
  void find(std::span<const std::string_view> cells, std::size_t tracks,
            std::vector<Firing>& out) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Triggers = std::vector<std::uint32_t>;
  std::vector<LabelWindow> windows_;  // [triggers]
  // [tracks] for each cell that some trigger waits for, which ones do
  std::vector<std::unordered_map<std::string, Triggers, Hash, std::equal_to<>>> waiting_;
};

}  // namespace croft
