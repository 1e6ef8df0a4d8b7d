// The K best assignments of a factor graph, from the largest scores that a clique tree has sent up.
// Internal to inference/.
//
// The best assignments of what hangs below a clique, given its separator, are ranked.  One of them
// is a joint state of what the clique eliminates and a rank for each child, so that the next ones
// after it raise one rank by 1.  A rank is found when it is asked for, and not before.  Huang and
// Chiang (2005), algorithm 3; docs/math/graph_exact.md section 8.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "croft/inference/junction_tree.h"
#include "inference/graph/exact/clique_tree.h"
#include "inference/graph/exact/scoped_table.h"

namespace croft {

class RankedAssignments {
 public:
  //   up   : [cliques] messages of maxima; kept by reference, as are the graph and the tree
  //   most : how many assignments will be asked for at most
  RankedAssignments(const FactorGraph& graph, const CliqueTree& tree,
                    const std::vector<ScopedTable>& up, std::size_t most, Watch& watch);

  // The best `most` that are allowed, or all where there are fewer; the best first, and equals in
  // the order of their states.
  std::vector<BestAssignment> all();

 private:
  using NodeId = std::size_t;
  struct Raised {
    std::size_t child, rank;
  };
  // A joint state of what a clique eliminates, and a rank for each child.
  struct Ranked {
    double score = 0;
    std::uint64_t joint = 0;
    std::vector<Raised> raised;  // the children whose rank is not 0, in their order
    std::size_t rank_of(std::size_t child) const;
  };
  // A clique with the states of its separator.
  struct Node {
    std::size_t clique;
    std::vector<State> separator;
    std::vector<Ranked> waiting;  // a heap
    std::vector<Ranked> found;    // the best first
    bool expanded = true;         // whether what follows the last one found is waiting
  };
  // Numbers over some variables of a clique.
  struct Input {
    const std::vector<double>* scores = nullptr;  // of a factor, or
    const Table* table = nullptr;                 // of a message
    std::vector<std::uint64_t> stride;            // [eliminated variables]
    std::uint64_t at = 0;                         // the place of the present states
    double value() const;
  };

  NodeId top();
  NodeId node_of(std::size_t clique);
  void rank_states(Node& node);
  std::vector<Input> inputs_of(const Clique& clique);
  void set_states(const Node& node, std::uint64_t joint);
  std::vector<NodeId> children_of(NodeId node, std::uint64_t joint);
  const std::vector<std::size_t>& child_cliques(const Node& node) const;
  bool is_there(NodeId node, std::size_t rank);
  bool settled(NodeId node, std::size_t rank) const;
  void require(NodeId node, std::size_t rank);
  bool expand(NodeId node);
  void keep_best(std::vector<Ranked>& waiting, std::size_t most) const;
  std::vector<State> assignment(std::size_t rank);

  const FactorGraph& graph_;
  const CliqueTree& tree_;
  const std::vector<ScopedTable>& up_;
  const std::size_t most_;
  Watch& watch_;
  std::vector<std::size_t> roots_;
  std::deque<Node> nodes_;  // the first one has the roots as its children
  std::map<std::pair<std::size_t, std::uint64_t>, NodeId> ids_;
  std::map<Factor, std::vector<double>> scores_;
  std::vector<State> x_;  // [variables]; those of the clique that is looked at count
  std::vector<std::pair<NodeId, std::size_t>> asked_;
};

}  // namespace croft
