// Which edges of a dense table share a score, so that sums over the edges cost less than L^2.
//
//   by classes : labels of one from-class have equal rows and those of one to-class equal columns:
//                edge(i, j) = q[from[i]][to[j]].  A step of the recursions costs
//                2 L + from_classes * to_classes.
//   by list    : all edges that are not listed share one score, any number or -inf.
//                A step costs L + listed.
// docs/math/large_label_sets.md section 5.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "croft/structure/transitions.h"

namespace croft {

struct EdgeSharing {
  // By classes; empty where sharing is by list.
  std::vector<std::uint32_t> from, to;  // [L] class of each label, as the left and right end
  std::size_t from_classes = 0, to_classes = 0;
  std::vector<Edge> first;  // [from_classes * to_classes] one edge of each pair of classes

  // By list.
  std::vector<Edge> listed;  // increasing
  Edge common{0, 0};         // one of the edges that are not listed

  bool by_classes() const { return !from.empty(); }
  std::size_t sums() const { return by_classes() ? first.size() : listed.size(); }
  // Multiply-adds of a step.
  std::size_t cost() const { return by_classes() ? 2 * from.size() + first.size() : listed.size(); }
};

// The cheaper way to share.
//   number : [L][L], from row i to column j; edges with equal numbers have equal scores
// Null where no way costs less than `most` in place of L^2.  Cost O(L^2 log L).
std::shared_ptr<const EdgeSharing> find_sharing(std::size_t labels,
                                                std::span<const std::uint32_t> number,
                                                std::size_t most);

}  // namespace croft
