// The Markov blanket of nodes: what their conditional density is made of, for tight loops.
//
//   ln p(x_n | rest) = ln p(x_n | parents) + sum over children c of ln p(x_c | parents_c(x_n))
//
// Terms are sorted by distribution and by which parameters move with the node, so that a loop over
// children computes only what moves.  Children of one distribution and the same parameters are
// reduced to their sufficient statistics: however many they are, a candidate costs the same.
//
// A censored node (interval_of_censored) stands for the probability of its interval: it is summed
// out, not conditioned on.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "bugs/distributions.h"
#include "bugs/graph.h"

namespace croft::bugs {

// The parameters of a node as the functions of distributions.h take them.
class NodeView {
 public:
  NodeView(const ModelGraph& graph, NodeId id);
  // Gathers; valid until the next call.
  Parameters parameters(const double* values);
  Bounds truncation(const double* values) const;  // infinite where there is none
  bool truncated() const { return lower_ != kNothing || upper_ != kNothing; }
  DistributionId distribution() const { return distribution_; }
  Numbers value(const double* values) const { return {values + first_, count_}; }
  // With the normaliser of the truncation unless only the value moves.
  double log_density(const double* values, Part part);

 private:
  DistributionId distribution_;
  Slot first_, count_, lower_, upper_;
  std::vector<Slot> slots_;  // of all parameters
  std::vector<double> numbers_;
  std::vector<Numbers> views_;
  std::vector<double> last_parameters_;  // of the last normaliser
  Bounds last_bounds_{0, 0};
  double last_normaliser_ = 0;
  bool has_last_ = false;
};

// Cut points, as bounds of an unobserved scalar node that does nothing but be censored: its
// children are observed dinterval nodes with fixed cut points, and its law has a cdf.
std::optional<Bounds> interval_of_censored(const ModelGraph& graph, NodeId id);

class Blanket {
 public:
  // leave_out : children that the caller counts in another way; may be empty
  Blanket(const ModelGraph& graph, std::span<const NodeId> nodes,
          std::span<const NodeId> leave_out = {});

  std::span<const OperationId> operations() const { return operations_; }

  // Once before candidates of one update: sufficient statistics of children.
  void begin(const double* values);
  // Sum over children, up to what the nodes do not move; operations() must have run.
  double log_likelihood(const double* values);
  void run(double* values);
  // Runs operations(), then adds up.
  double evaluate(double* values) {
    run(values);
    return log_likelihood(values);
  }

 private:
  struct NormalTerm {
    Slot x, mu, tau;
  };
  struct CountTerm {  // x of n with a mean or a probability
    Slot x, parameter, n;
  };
  struct ScalarTerm {
    DistributionId id;
    Slot x;
    Slot p[3];
  };
  struct CategoryTerm {
    Slot x;
    std::uint32_t first, count;  // of category_slots_
  };
  struct SharedTerm {  // children of one law with the same parameters
    DistributionId id;
    Slot a, b;
    Slot lower = kNothing, upper = kNothing;
    bool fixed_bounds = true;
    std::vector<Slot> children = {};
    double log_sum = 0, other_sum = 0;                   // ln x; x of dgamma, ln(1 - x) of dbeta
    double last_a = 0, last_b = 0, last_normaliser = 0;  // of the truncation
  };
  // ln (v lambda) + (v - 1) ln x - lambda x^v of observed dweib nodes; censored from below at x:
  // only the last term.
  struct WeibullTerm {
    Slot v, rate;
    double log_x;
    bool censored;
  };
  struct IntervalTerm {
    std::uint32_t view;  // of views_
    Bounds bounds;
  };

  // Intervals of dnorm, and of dlnorm in logarithms.  Equal ones are kept once, with
  // their number as its weight.  Filled up with intervals of the whole line to whole vectors.
  struct NormalIntervals {
    std::vector<Slot> mu, tau;
    std::vector<double> lower, upper, weight;
    std::map<std::tuple<Slot, Slot, double, double>, std::size_t> places = {};
    std::vector<double> mus = {}, taus = {};  // of now
  };

  void add_normal_interval(const Node& node, Bounds bounds);
  double normal_intervals_log_likelihood(const double* values);
  void add_child(NodeId child, const std::vector<std::uint8_t>& moving);
  double weibull_log_likelihood(const double* values);
  double shared_log_likelihood(SharedTerm& term, const double* values);

  // Operations of one level and function are done side by side.
  struct Batch {
    std::uint32_t first, count;  // of operations_
    Function function;
    bool vectors;  // by SIMD: exp and ilogit, many of them
  };
  void sort_operations();

  const ModelGraph& graph_;
  std::vector<OperationId> operations_;
  std::vector<Batch> batches_;
  std::vector<double> scratch_;
  std::vector<NormalTerm> normal_means_, normal_precisions_, normals_;  // what moves
  std::vector<CountTerm> poissons_, binomials_, bernoullis_;
  std::vector<ScalarTerm> scalars_;
  std::vector<WeibullTerm> weibulls_;
  std::vector<CategoryTerm> categories_;
  std::vector<Slot> category_slots_;
  std::vector<SharedTerm> shared_;
  std::vector<NodeView> views_;
  std::vector<std::uint32_t> others_;  // of views_
  std::vector<IntervalTerm> intervals_;
  NormalIntervals normal_intervals_;
};

}  // namespace croft::bugs
