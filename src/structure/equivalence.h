// Directed graphs up to what independence tells apart.  docs/math/structure_learning.md section 1.
//
//   const PartlyDirected c = class_of(parents);          // arrows that all equivalent graphs share
//   const Extension dag = extension_of(c);               // one of these graphs
//   const StructuralDistance d = distance(c, class_of(others));
#pragma once
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

// The parents of each variable, increasing.  [variables]
using Parents = std::vector<std::vector<Variable>>;

// The last variable of each scope has the others as its parents.  Of a graph that has been checked.
Parents parents_of(const FactorGraph& graph);
// The variables, causes before effects.  Empty where there is a cycle, or no variable.
std::vector<Variable> causal_order(const Parents& parents);

// A graph in which two variables have an arrow between them, a line without a direction, or none.
class PartlyDirected {
 public:
  explicit PartlyDirected(std::size_t variables);
  explicit PartlyDirected(const Parents& parents);  // arrows alone

  std::size_t variables() const { return near_.size(); }
  bool arrow(Variable u, Variable v) const { return mark(u, v) && !mark(v, u); }  // u -> v
  bool line(Variable u, Variable v) const { return mark(u, v) && mark(v, u); }
  bool adjacent(Variable u, Variable v) const { return mark(u, v) || mark(v, u); }
  std::span<const Variable> near(Variable v) const { return near_[v]; }  // increasing

  void connect(Variable u, Variable v);  // by a line; they were not adjacent
  void remove(Variable u, Variable v);
  void orient(Variable u, Variable v);  // what is between them becomes u -> v

  bool operator==(const PartlyDirected& other) const { return marks_ == other.marks_; }

 private:
  bool mark(Variable u, Variable v) const { return marks_[u * variables() + v] != 0; }

  std::vector<char> marks_;  // [variables][variables]: v may come behind u
  std::vector<std::vector<Variable>> near_;
};

// Meek's first three rules until none applies: arrows without which there would be a new
// v-structure or a cycle.
void close_arrows(PartlyDirected& graph);

// What all graphs with the same skeleton and v-structures have in common: an arrow where they
// agree.
PartlyDirected class_of(const Parents& parents);

struct Extension {
  Parents parents;
  bool consistent = true;  // it has the arrows of the graph, and no other v-structures
};
// A directed graph without cycles that has the same skeleton.  Where no graph is consistent, it
// goes against as few arrows as a greedy search finds.
Extension extension_of(const PartlyDirected& graph);

struct StructuralDistance {
  std::size_t missing = 0;  // edges of the second that the first does not have
  std::size_t extra = 0;    // and the other way round
  std::size_t turned = 0;   // in both, with another direction or without one
  std::size_t total() const { return missing + extra + turned; }  // structural Hamming distance
};
StructuralDistance distance(const PartlyDirected& found, const PartlyDirected& truth);

}  // namespace croft
