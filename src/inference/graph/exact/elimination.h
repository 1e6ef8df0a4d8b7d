// Elimination of the variables of a graph one after the other, by a greedy rule.  Internal to
// inference/; docs/math/graph_exact.md section 2.
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "croft/structure/factor_graph.h"

namespace croft {

using Neighbours = std::vector<std::vector<Variable>>;  // [variables] of two states or more

// What the rules ask for is kept up to date, edge by edge.  A copy for each try.
class Elimination {
 public:
  //   spend : told of steps of some nanoseconds, as they are done
  using Spend = std::function<void(double)>;
  Elimination(const FactorGraph& graph, Neighbours lists, EliminationRule rule, const Spend& spend);

  // Stops, with an empty order, where the cliques come to more than `most` joint states, or one of
  // them to more than 2^most_log2_largest; log2_largest is then that of those until there.
  EliminationOrder run(double most, double most_log2_largest, Random& random, const Spend& spend);
  double work() const { return work_; }  // steps, from the beginning

 private:
  struct Entry {
    double cost;
    std::uint64_t key;
    Variable variable;
    bool operator<(const Entry& other) const {  // the queue has the largest first
      return cost != other.cost ? cost > other.cost : key > other.key;
    }
  };

  bool counts_missing() const;
  double missing_around(Variable v);
  double cost(Variable v) const;
  void mark_neighbours(Variable v);
  void enter(Variable v, Random& random);
  void touch(Variable v);
  void eliminate(Variable v);
  void join(Variable a, Variable b);

  EliminationRule rule_;
  Neighbours lists_;  // among those that are left, in no order
  std::vector<double> log2_, weight_;
  std::vector<double> log2_size_;     // [variables] of the clique that it would make
  std::vector<double> around_;        // [variables] the neighbours' weights
  std::vector<double> missing_;       // [variables] w_a w_b of neighbours a, b that are not joined
  std::vector<std::uint64_t> key_;    // [variables] of its entry that counts
  std::priority_queue<Entry> queue_;  // with entries from before
  std::vector<std::uint32_t> mark_, touched_;
  std::uint32_t stamp_ = 0, round_ = 0;
  std::vector<Variable> changed_;
  double work_ = 0;
};

}  // namespace croft
