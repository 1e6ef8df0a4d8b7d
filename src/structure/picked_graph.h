// A graph over some variables of another, whose scores are picked from the other's numbers.
//
// The other variables are known: tables are sliced.  When the other graph's numbers change, pick()
// copies the new ones; what is summed over this graph's numbers, add_back() adds to the other's.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"
#include "structure/factor_numbers.h"

namespace croft {

struct PickedGraph {
  FactorGraph graph;                  // tables, and what counts; factors keep their order
  std::vector<Variable> variable;     // of each variable, its number in the other graph
  std::vector<std::uint64_t> source;  // [numbers] place in the other's; kNoScore: stays as it is

  void pick(const FactorGraph& from);
  //   gradient : by this graph's numbers;  out : by the other's
  void add_back(std::span<const double> gradient, std::span<double> out) const;
};

// Directions of the other graph's numbers, through a picked one.  Keeps its storage.
class PickedDirection {
 public:
  // Adds to `out`, by the numbers of `from`, what add(direction, change) adds to `change`; both of
  // these by the numbers of `graph`, whose scores are picked before.  Numbers that stay do not
  // move.
  template <class Add>
  void add(PickedGraph& graph, const FactorGraph& from, std::span<const double> direction,
           std::span<double> out, const Add& add) {
    graph.pick(from);
    picked_.clear();
    for (const std::uint64_t place : graph.source) {
      picked_.push_back(place == kNoScore ? 0 : direction[place]);
    }
    change_.assign(picked_.size(), 0);
    add(std::span<const double>(picked_), std::span<double>(change_));
    graph.add_back(change_, out);
  }

 private:
  std::vector<double> picked_, change_;
};

// p(unknown | known): every factor, some of them without a variable left, so that log Z is that of
// the restricted sum.  Throws Error for a factor with more than 2^24 joint states of unknown ones.
PickedGraph restrict_to_known(const FactorGraph& graph, std::span<const State> known);

// The variables `free`, given the others as in `known`, and those factors alone that have one of
// them: conditional on their Markov blanket.
PickedGraph restrict_to_block(const FactorGraph& graph, const FactorLists& factors,
                              std::span<const State> known, std::span<const Variable> free);

}  // namespace croft
