// What a factor of any kind sends to its variables.  Internal to inference/.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"
#include "inference/graph/messages/dense_messages.h"

namespace croft {

// The joint states that a sparse table lists, as a tree of their prefixes.
struct SparseTree {
  SparseTree(std::span<const std::uint64_t> listed, std::span<const std::uint32_t> states);
  // Nodes of a depth follow each other; children of a node, too.  The leaves are in listed order.
  std::vector<std::size_t> depth_begin;  // [variables + 2]
  std::vector<std::size_t> child_begin;  // [inner nodes + 1]
  std::vector<State> state;              // [nodes], of the variable that leads to it
};

// A factor as its messages see it.
struct FactorView {
  PotentialKind kind = PotentialKind::table;
  bool odd = false;
  std::span<const std::uint32_t> states;  // of its variables
  const double* numbers = nullptr;        // of the potential, in the semiring
  const SparseTree* tree = nullptr;       // of sparse
};

struct FactorScratch {
  DenseScratch dense;
  std::vector<double> numbers;
};

// Throws Error where the sums of a cardinality factor with these scores are too many to count.
void check_counted_sums(std::span<const double> scores);

// out[k][x] = sum over the others' states of (number times the product of in[l], l != k), in a
// semiring (semirings.h).  Only sums and products of what is >= 0: nothing cancels.
//   in, out : [sum of states], one message after the other
// The truncated distances are in LogMax only.
template <class S>
void factor_messages(const FactorView& factor, const double* in, double* out,
                     FactorScratch& scratch);

}  // namespace croft
