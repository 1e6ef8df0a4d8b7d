// Upper bounds on log Z by spanning trees, and fractional belief propagation.
//
//   TreeReweighted trw(graph);
//   trw.run();
//   trw.bound();        // >= log Z, converged or not
//
// For graphs whose factors have at most two variables; others throw UsageError.  Several factors
// of the same two variables are one.  Wainwright, Jaakkola & Willsky (2005);
// docs/math/graph_variational.md section 5.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct TreeReweightedOptions {
  double damping = 0;       // in [0, 1): the share of its old logarithms that a message keeps
  double tolerance = 1e-9;  // converged when no belief in a state changes by more; > 0
  std::size_t max_iterations = 1000;  // of messages along each edge once in both directions; >= 1
  // Random spanning trees, so that each edge is in one; more where that takes more; >= 1.
  std::size_t trees = 8;
  // Steps that move weight to the tree that lowers the bound most (conditional gradient), each
  // after messages have converged; max_iterations is of each step.
  std::size_t tree_steps = 0;
  std::uint64_t seed = 1;  // of the trees
  void validate() const;   // throws UsageError
};

// Expectations under the trees in their shares, at the messages as they are.
struct TreeExpectations {
  double bound = 0;                         // sum_T rho_T log Z(theta_T)
  std::vector<std::vector<double>> factor;  // [factors][joint states in scope order]
};

// The bound is sum_T rho_T log Z(theta_T), with explicit trees T and sum_T rho_T theta_T = theta
// (GV.9).  By convexity it holds whatever the messages are; messages lower it.
class TreeReweighted {
 public:
  // Throws UsageError for a factor of three variables or more.  Keeps the graph by reference.
  explicit TreeReweighted(const FactorGraph& graph, const TreeReweightedOptions& options = {});
  ~TreeReweighted();
  TreeReweighted(const TreeReweighted&) = delete;
  TreeReweighted& operator=(const TreeReweighted&) = delete;

  // The progress has the bound as its value.  Time of an iteration: O(trees + 2 times edges times
  // states^2).
  Convergence run(const GraphCallback& callback = {});

  bool contradiction() const;  // proved: Z = 0
  ResultKind kind() const;     // upper_bound; exact on a forest and at a contradiction
  // The lowest bound on log Z so far; before run(), that of the graph's own scores.
  double bound() const;
  // Pseudo-marginals: estimates, but on a forest after it has converged.  Throws Error at a
  // contradiction.
  VariableMarginals beliefs() const;
  // The bound of the present messages, and its derivatives by the graph's scores while the messages
  // and the trees stay.  Once messages have converged these are the derivatives of the bound
  // itself, since the messages then make it least.  Before, they are those of a convex function
  // above it. At convergence all trees agree, and these are the pseudo-marginals.  Throws Error at
  // a contradiction.
  TreeExpectations expectations() const;
  // The probability that a factor's edge is in a tree [factors]; 1 for factors of fewer variables.
  std::vector<double> edge_probabilities() const;

 private:
  class Run;
  const FactorGraph& graph_;
  std::unique_ptr<Run> run_;
};

struct FractionalOptions {
  // The weight of each factor's entropy, > 0.  1 is belief propagation; the probability that an
  // edge is in a tree makes the free energy convex.
  double weight = 0.5;
  double damping = 0, tolerance = 1e-9;  // as above
  std::size_t max_iterations = 1000;
  void validate() const;
};

struct FractionalResult {
  Convergence convergence;
  bool contradiction = false;  // proved: Z = 0; then there are no beliefs
  double log_partition = 0;    // an estimate (GV.8), at a fixed point only; -inf at a contradiction
  VariableMarginals beliefs;   // estimates
};

// Wiegerinck & Heskes (2003).  Throws UsageError for a factor of three variables or more.
FractionalResult fractional_propagation(const FactorGraph& graph,
                                        const FractionalOptions& options = {},
                                        const GraphCallback& callback = {});

}  // namespace croft
