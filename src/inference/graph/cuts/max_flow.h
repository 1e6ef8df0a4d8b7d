// Maximum flow and minimum cut of a directed graph with real capacities.
//
//   MaxFlow flow(3);
//   flow.add_terminal(0, 2, 0);        // source -> 0
//   flow.add_edge(0, 1, 1.5, 0);
//   flow.add_terminal(1, 0, 4);        // 1 -> sink
//   flow.solve();                      // 1.5
//   flow.on_source_side(0);            // true: what the source still reaches
//
// Sweeps over all nodes send what they can to later, then to earlier neighbours.  Then two
// search trees, one from each terminal, that are repaired and not built anew after each
// augmentation: Boykov & Kolmogorov (2004).  Fast where paths are short (grids, moves of labels).
// The result is the same every time.
#pragma once
#include <cstdint>
#include <vector>

namespace croft {

class MaxFlow {
 public:
  using Node = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit MaxFlow(std::size_t nodes);
  // Capacities >= 0, also +inf.
  void reserve_edges(std::size_t edges) { pending_.reserve(edges); }
  void add_terminal(Node v, double from_source, double to_sink);
  void add_edge(Node u, Node v, double capacity, double back);

  // The value of the maximum flow; +inf where an unlimited path joins the terminals.  Once only.
  double solve();
  // In the smallest set that a minimum cut leaves with the source.  After solve().
  bool on_source_side(Node v) const { return tree_[v] == Tree::source; }
  // In the smallest set that a minimum cut leaves with the sink.
  bool on_sink_side(Node v) const { return tree_[v] == Tree::sink; }
  std::size_t nodes() const { return terminal_.size(); }
  // Calls visit(u, v) for each arc u -> v that has capacity left, after solve().
  template <class Visit>
  void for_each_open_arc(Visit visit) const {
    for (Node u = 0; u < nodes(); ++u) {
      for (std::uint32_t a = first_[u]; a < first_[u + 1]; ++a) {
        if (arcs_[a].left > 0) visit(u, arcs_[a].head);
      }
    }
  }

 private:
  enum class Tree : std::uint8_t { none, source, sink };
  struct Arc {
    Node head;
    std::uint32_t back;  // the arc in the other direction
    double left;         // residual capacity
  };
  struct Edge {
    Node u, v;
    double capacity, back;
  };

  void build_arcs();
  void sweep();
  template <class Wanted>
  void send_on(Node v, const Wanted& wanted);
  void activate(Node v);
  std::uint32_t grow(Node v);
  void augment(std::uint32_t middle);
  void adopt();
  void adopt_one(Node v);
  bool find_origin(Node v, std::uint32_t& distance);
  double left_towards(Tree tree, std::uint32_t arc) const {
    return tree == Tree::source ? arcs_[arc].left : arcs_[arcs_[arc].back].left;
  }

  std::vector<Edge> pending_;
  std::vector<std::uint32_t> first_;  // [nodes + 1], into the arcs
  std::vector<Arc> arcs_;             // by tail
  std::vector<double> terminal_;      // > 0: left from the source; < 0: left to the sink
  std::vector<Tree> tree_;
  std::vector<std::uint32_t> parent_;  // an arc from the node to its parent, or below
  std::vector<std::uint32_t> stamp_, distance_;
  std::vector<Node> active_, orphans_;
  std::vector<std::uint8_t> queued_;
  std::size_t next_active_ = 0;
  std::uint32_t time_ = 0;
  double flow_ = 0;
};

}  // namespace croft
