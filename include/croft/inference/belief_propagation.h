// Belief propagation: sums and best assignments by messages, exact on trees.
//
//   SumProduct bp(graph);
//   const Convergence end = bp.run();
//   bp.log_partition();     // exact where bp.kind() is, else Bethe's estimate
//   bp.beliefs();
//
// Parts of a graph that are trees, and trees that hang on its cycles, take two passes.  A schedule
// goes through the rest again and again.  Pearl (1988); Sutton & McCallum (2012) section 4.2;
// docs/math/graph_variational.md sections 1 to 4.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "croft/inference/graph_result.h"
#include "croft/inference/junction_tree.h"
#include "croft/structure/factor_graph.h"

namespace croft {

// Which factor sends its messages next.
enum class MessageSchedule {
  automatic,      // sequential while that promises to end soon, then residual
  parallel,       // all at once, from the messages of the last iteration
  sequential,     // in the order of the graph
  random,         // in a new random order in each iteration
  residual,       // the one whose incoming messages have changed most (Elidan et al. 2006)
  spanning_trees  // along random spanning trees, up and down (Wainwright et al. 2003)
};
MessageSchedule message_schedule(std::string_view name);  // throws UsageError that lists the names
std::string_view name_of(MessageSchedule schedule);

// A message is relative to its largest number, and changes by the largest change of a number.
struct BeliefPropagationOptions {
  MessageSchedule schedule = MessageSchedule::automatic;
  double damping = 0;       // in [0, 1): the share of its old numbers that a message keeps
  double tolerance = 1e-9;  // converged when no message changes by more in an iteration; > 0
  std::size_t max_iterations = 1000;  // of as many factor updates as cycles have factors; >= 1
  std::uint64_t seed = 1;             // of the schedules random and spanning_trees
  void validate() const;              // throws UsageError
};

// What factors have sent, as they stand in memory: numbers, or their logarithms.
struct BeliefMessages {
  bool logarithms = false;
  std::vector<double> numbers;
};

// Sums: log Z and beliefs, which are marginals on a forest, estimates elsewhere.
//
// Messages are scaled numbers while all products of them fit a double.  They become logarithms when
// a product might not fit, so scores of any size, and -inf, are right.  Time of an iteration:
// O(joint states) for a table, O(listed states) for a sparse one, O(states) for Potts, O(scope) for
// parity, O(scope allowed sums) for cardinality; the truncated distances are tables here.
class SumProduct {
 public:
  // Keeps the graph by reference; it must not change.  Throws Error for a truncated distance of
  // more than 2^28 joint states, and for a cardinality factor of more than 2^27 variables times
  // allowed sums.  Only one thread at a time may use it, also to ask for beliefs.
  explicit SumProduct(const FactorGraph& graph, const BeliefPropagationOptions& options = {});
  ~SumProduct();
  SumProduct(const SumProduct&) = delete;
  SumProduct& operator=(const SumProduct&) = delete;

  // Begins with another run's messages, over a graph that differs from this one in its numbers at
  // most; call it before run().  A message of 0 is sent anew: what is forbidden is for this graph
  // to say.  Throws UsageError where there are more messages or less.
  void start_from(const BeliefMessages& messages);
  BeliefMessages messages() const;

  // Sends messages until they converge.  A second call goes on from where the first ended.  Call it
  // before the rest.  The progress has no value: Bethe's formula costs as much as an iteration.
  Convergence run(const GraphCallback& callback = {});

  bool is_forest() const;         // no cycles
  bool contradiction() const;     // a message is 0 everywhere, which proves Z = 0
  bool logarithms() const;        // messages have become logarithms
  ResultKind kind() const;        // exact on a forest and at a contradiction, else an estimate
  std::uint64_t updates() const;  // of factors, so far

  // log Z, or Bethe's estimate of it (GV.6); -inf at a contradiction.
  double log_partition() const;
  // The belief of a variable [states], and of all [variables][states].  These and the next throw
  // Error at a contradiction.
  std::vector<double> belief(Variable v) const;
  VariableMarginals beliefs() const;
  // The belief of a factor's scope, by joint state; throws Error for more than 2^28.
  std::vector<double> factor_belief(Factor f) const;
  // Of a cardinality factor the belief of each of its numbers: that it is what scores.
  std::vector<double> number_belief(Factor f) const;
  // The belief of variables that factors with two or more of them connect: [joint states] by
  // `variables` (GV.5).  Throws UsageError where they are not connected, listed twice or have more
  // than 2^24 joint states.
  std::vector<double> joint_belief(std::span<const Variable> variables) const;

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

// Best assignments, by the largest score in the place of the sum; all in logarithms.
// Time of an iteration: as above, and O(states) for the truncated distances (Felzenszwalb &
// Huttenlocher 2006).
class MaxProduct {
 public:
  // As SumProduct.
  explicit MaxProduct(const FactorGraph& graph, const BeliefPropagationOptions& options = {});
  ~MaxProduct();
  MaxProduct(const MaxProduct&) = delete;
  MaxProduct& operator=(const MaxProduct&) = delete;

  // Call it before the rest.  The progress has the best assignment so far, where there is one.
  Convergence run(const GraphCallback& callback = {});

  bool is_forest() const;
  bool contradiction() const;
  ResultKind kind() const;  // of best(): exact on a forest and at a contradiction; else its score
                            // is a lower bound of the best one's
  std::uint64_t updates() const;

  // Of each state the best score of an assignment that has it, relative to that of the variable's
  // best state; estimates where there are cycles.  [variables][states]
  VariableMarginals max_marginals() const;
  // The best assignment that the messages of run() have led to, at its end and, where there are
  // cycles, at some iterations before.  Variables are set one after the other, each to the best
  // state given those before, so ties are decided alike.  Empty at a contradiction, and where all
  // were forbidden.
  BestAssignment best() const;

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace croft
