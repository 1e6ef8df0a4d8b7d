// What a factor of any kind sends to its variables.  Internal to inference/.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"
#include "inference/graph/messages/dense_messages.h"
#include "structure/counting.h"

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
  bool odd = false;                            // of parity
  std::span<const std::uint32_t> states;       // of its variables
  const double* numbers = nullptr;             // of the potential, in the semiring
  const SparseTree* tree = nullptr;            // of sparse
  Counting counting = {};                      // of parity and cardinality
  std::span<const std::uint64_t> ranges = {};  // of cardinality
};

struct FactorScratch {
  DenseScratch dense;
  std::vector<double> numbers;
};

// Throws Error where the counts of a cardinality factor are too many for its messages.
void check_counted_sums(const FactorGraph& graph, Factor f);

// How probable each number of a cardinality factor is to score, given what enters its variables;
// and how probable the counts of each are whatever it scores.
//   in : logarithms [sum of states], one message after the other
std::vector<double> number_belief(const FactorGraph& graph, Factor f, std::span<const double> in);
std::vector<double> count_distribution(const FactorGraph& graph, Factor f,
                                       std::span<const double> in);

// out[k][x] = sum over the others' states of (number times the product of in[l], l != k), in a
// semiring (semirings.h).  Only sums and products of what is >= 0: nothing cancels.
//   in, out : [sum of states], one message after the other
// The truncated distances are in LogMax only.
template <class S>
void factor_messages(const FactorView& factor, const double* in, double* out,
                     FactorScratch& scratch);

}  // namespace croft
