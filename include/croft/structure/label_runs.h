// Runs of labels: labels that stand side by side in some labelling.
//
// Runs are ordered from their last label backwards, a run before those that continue it leftwards:
//   (0) (0,0) (1,0) (0,1,0) (1) (0,1) …
// So the runs that end in the same labels stand together.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "croft/core/state_archive.h"
#include "croft/structure/transitions.h"

namespace croft {

// A list of runs, in flat storage.
struct LabelRuns {
  std::vector<std::uint32_t> begin{0};  // [runs + 1] into label
  std::vector<Label> label;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const Label> operator[](std::size_t r) const {
    return {label.data() + begin[r], begin[r + 1] - begin[r]};
  }
  void add(std::span<const Label> run);
  bool operator==(const LabelRuns&) const = default;
};

inline constexpr std::uint32_t kNoRun = 0xFFFFFFFF;

// The order above.
std::strong_ordering compare_runs(std::span<const Label> a, std::span<const Label> b);
// `runs` in that order, each once.
LabelRuns sorted_runs(const LabelRuns& runs);
// The index of `run` in sorted runs, or kNoRun.  Cost O(its length times log of the runs).
std::uint32_t find_run(const LabelRuns& sorted, std::span<const Label> run);

// Counts the runs of labels in a stream of labellings.
class SeenRuns {
 public:
  explicit SeenRuns(std::size_t longest);  // >= 1; longer runs are not counted

  // Counts every run of y.  Cost O(T longest) look-ups; memory some 70 bytes a distinct run.
  void add(std::span<const Label> y);
  // What another has counted, of the same `longest`.
  void add(const SeenRuns& other);
  void archive(StateArchive& state);

  // The runs of shortest to longest labels that were seen min_count times or more, sorted.
  LabelRuns runs(std::size_t shortest, std::size_t longest, std::size_t min_count = 1) const;

 private:
  // A run is its first labels, themselves a run, and one label more.
  struct Node {
    std::uint32_t first;  // 0: the empty run
    Label last;
    std::uint32_t length;
    std::uint64_t count;
  };
  std::uint32_t longer(std::uint32_t first, Label last);  // new or not

  std::size_t longest_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> longer_;  // (node, label) to node
  std::vector<std::uint32_t> ending_;  // [longest] runs that end at t, scratch
};

}  // namespace croft
