// Elimination of the variables of a graph one after the other, by a greedy rule.  Internal to
// inference/; docs/math/graph_exact.md section 2.
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "croft/structure/factor_graph.h"

namespace croft {

using NeighbourLists = std::vector<std::vector<Variable>>;  // [variables] of two states or more

// Those that share a factor, sorted.
NeighbourLists neighbours_of(const FactorGraph& graph);

// What the rules ask for is kept up to date, edge by edge.  A copy for each try.
class Elimination {
 public:
  //   spend : told of steps of some nanoseconds, as they are done
  using Spend = std::function<void(double)>;
  Elimination(const FactorGraph& graph, NeighbourLists lists, EliminationRule rule,
              const Spend& spend);

  // These leave the queue after all others, or, if they stay, not at all.
  void postpone(std::span<const Variable> last, bool stay);
  // About how far the logarithm of the next variable's cost may be above the least.
  void set_noise(double noise) { noise_ = noise; }
  // Stops, with an empty order, where the cliques come to more than `most` joint states, or one of
  // them to more than 2^most_log2_largest; log2_largest is then that of those until there.
  //   first : eliminated before the rule chooses
  EliminationOrder run(double most, double most_log2_largest, std::span<const Variable> first,
                       Random& random, const Spend& spend);
  // The order of those that are left where no clique may have more joint states: whenever the next
  // one has, a variable of it is taken out; none of `first` as long as another one is there.
  //   first : eliminated before the rule chooses
  std::vector<Variable> run_within(double most_log2_largest, Random& random,
                                   std::span<const Variable> first = {});
  // Log2 of the joint states of the largest clique of that order.
  double log2_largest() const { return log2_largest_; }
  // Leaves the graph; its neighbours are not joined.
  void take_out(Variable v);
  double work() const { return work_; }  // steps, from the beginning

 private:
  struct Entry {
    std::uint8_t late;
    double cost;
    std::uint64_t key;
    Variable variable;
    bool operator<(const Entry& other) const {  // the queue has the largest first
      if (late != other.late) return late > other.late;
      return cost != other.cost ? cost > other.cost : key > other.key;
    }
  };

  bool counts_missing() const;
  void count_missing(const Spend& spend);
  double cost(Variable v) const;
  double noisy_cost(Variable v, Random& random) const;
  Variable widest_of_clique(Variable v, std::span<const std::uint8_t> stays) const;
  Variable take_next();
  void set_all_changed();
  void mark_neighbours(Variable v);
  void enter(Variable v, Random& random);
  void touch(Variable v);
  void eliminate(Variable v);
  void join_all(const std::vector<Variable>& clique);
  void join(Variable a, Variable b);
  void drop(Variable v, std::uint32_t at);

  EliminationRule rule_;
  NeighbourLists lists_;  // among those that are left, in no order
  // The place of this variable in each neighbour's list: a hub's list is never gone through
  // for one of its leaves.
  std::vector<std::vector<std::uint32_t>> place_;
  std::vector<double> log2_, weight_;
  std::vector<double> log2_size_;   // [variables] of the clique that it would make
  std::vector<double> around_;      // [variables] the neighbours' weights
  std::vector<double> missing_;     // [variables] w_a w_b of neighbours a, b that are not joined
  std::vector<std::uint64_t> key_;  // [variables] of its entry that counts
  std::vector<std::uint8_t> gone_;  // [variables]
  std::vector<std::uint8_t> late_;  // [variables] whether others go first
  bool late_stay_ = false;
  double noise_ = 0;
  std::priority_queue<Entry> queue_;  // with entries from before
  std::vector<std::uint32_t> mark_, touched_;
  std::uint32_t stamp_ = 0, round_ = 0;
  std::vector<Variable> changed_;
  double work_ = 0, log2_largest_ = 0;
};

}  // namespace croft
