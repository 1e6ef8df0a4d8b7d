// Exact inference in any factor graph whose cliques fit: sums, marginals, the best assignments,
// samples.
//
//   JunctionTree tree(graph, find_elimination_order(graph));
//   if (tree.bytes() > limit) …                    // known before the memory is taken
//   const double log_z = tree.log_partition();
//   const GraphMarginals p = tree.marginals();
//
// Messages are kept, cliques never.  Their tables are gone through block by block, as products of
// what enters them.  Koller & Friedman (2009) chapter 10; docs/math/graph_exact.md.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_result.h"
#include "croft/inference/map_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct GraphMarginals {
  double log_partition = 0;
  std::vector<std::vector<double>> variable;  // [variables][states]
  std::vector<std::vector<double>>
      factor;  // of the factors asked for: [joint states] in scope order
};

class JunctionTree {
 public:
  // Keeps the graph by reference; its scores may change between calls, its shape must not.
  //   progress : asked every 2^20 joint states or so, a few milliseconds, with their number in
  //              millions as the iteration; where it says false, the call throws Interrupted
  JunctionTree(const FactorGraph& graph, const EliminationOrder& order,
               GraphCallback progress = {});
  ~JunctionTree();
  JunctionTree(const JunctionTree&) = delete;
  JunctionTree& operator=(const JunctionTree&) = delete;

  // The memory that a call takes at most, without the part that depends only on the number of
  // variables and factors.
  double bytes() const;
  double log2_joint_states() const;  // of all cliques: what a call's time grows with

  // log Z; -inf where no assignment is allowed.  Half of the cost of marginals().
  double log_partition();
  // Throws Error where no assignment is allowed.
  //   factors : whose joint marginals are wanted, too
  GraphMarginals marginals(std::span<const Factor> factors = {});
  // The first in the order of its cliques among equals.
  BestAssignment best();
  // The k best that are allowed, or all where there are fewer; the best first, and equals in the
  // order of their states.  Beside the cost of best(): for each clique as many of its rows as the k
  // use, each gone through once.
  std::vector<BestAssignment> k_best(std::size_t k);
  // Assignments drawn from p, independent of each other; after a stop those drawn by then, if any.
  // Throws Error where none is allowed.
  std::vector<std::vector<State>> samples(std::size_t count, Random& random);
  // Of an order that lacks variables, which stay:  score(x_A) = log of the sum of exp score(x) over
  // all others.  Variables keep their numbers; one that is summed out has one state, and is in no
  // scope.  The other questions are for orders of all variables.
  FactorGraph sum_out();
  // The same with max for the sum:  score(x_A) = max of score(x) over all others.
  FactorGraph max_out();

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace croft
