// Exact inference where a junction tree does not fit: recursive conditioning along its cliques.
//
//   const RecursionPlan plan = plan_recursion(graph, {.memory = 1 << 20});
//   RecursiveConditioning tree(graph, plan);
//   tree.log_partition();
//
// Some variables are in no message.  Each is gone through state by state where it would be
// eliminated, and only messages below that depend on it are computed again: parts of the graph that
// are independent given what is fixed add their times, and do not multiply them as cutset
// conditioning does.  Darwiche (2001); docs/math/graph_exact.md section 6.
#pragma once
#include <memory>
#include <vector>

#include "croft/inference/junction_tree.h"
#include "inference/graph/exact/conditioning.h"

namespace croft {

struct RecursionPlan {
  EliminationOrder order;
  std::vector<Variable> fixed;   // gone through state by state
  double bytes = 0;              // that marginals() takes; the others take half of it or more
  double log2_joint_states = 0;  // that log_partition() goes through; marginals(): about three
                                 // times as many where what is fixed stands side by side
};

// Orders as of options.restarts searches, or the one that is given; variables are fixed one by one,
// that which frees the most memory for the time it costs first.  Throws Error where the factors
// alone do not fit, and as find_elimination_order.
RecursionPlan plan_recursion(const FactorGraph& graph, const ConditioningOptions& options = {});

class RecursiveConditioning {
 public:
  // Keeps the graph by reference; it must not change.
  //   progress : as of JunctionTree
  RecursiveConditioning(const FactorGraph& graph, const RecursionPlan& plan,
                        GraphCallback progress = {});
  ~RecursiveConditioning();
  RecursiveConditioning(const RecursiveConditioning&) = delete;
  RecursiveConditioning& operator=(const RecursiveConditioning&) = delete;

  // The answers and errors of JunctionTree.
  double log_partition();
  GraphMarginals marginals();
  BestAssignment best();
  std::vector<std::vector<State>> samples(std::size_t count, Random& random);

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace croft
