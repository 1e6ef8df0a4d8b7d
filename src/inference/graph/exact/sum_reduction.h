// A smaller factor graph with the same log Z.  Internal to inference/; docs/math/graph_exact.md
// section 10.
//
//   const SumReduction reduced(graph);
//   JunctionTree(reduced.graph(), …).log_partition();      // that of `graph`
//
// States that no factor allows are removed, factors that are products are taken apart, what lies
// within another factor is added to it, and variables of a single factor are summed out.  A network
// without evidence, or a formula of gates, vanishes altogether.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

class SumReduction {
 public:
  //   keep_variables : none is summed out, so that all marginals are those of the smaller graph
  //   progress       : as of an elimination order; where it says false, the reduction ends early
  SumReduction(const FactorGraph& graph, bool keep_variables, GraphCallback progress = {});

  const FactorGraph& graph() const { return reduced_; }
  bool contradiction() const { return contradiction_; }  // proved: Z = 0
  std::size_t summed_out() const { return eliminated_.size(); }

  // Marginals of the first graph.  Those of variables that were summed out follow from draws where
  // they depend on two others or more.
  //   left  : of graph()
  //   draws : from graph(), as many as `weights`, which need not add up to 1
  VariableMarginals marginals(const VariableMarginals& left,
                              std::span<const std::vector<State>> draws,
                              std::span<const double> weights) const;
  bool needs_draws() const;
  // An assignment of the first graph, given one of graph(); what was summed out is drawn.
  std::vector<State> whole(std::span<const State> x, Random& random) const;

 private:
  struct Part {
    std::vector<Variable> scope;  // increasing
    std::vector<double> scores;   // the last variable changes fastest
    bool alive = true, queued = false, opaque = false;
    Factor factor = 0;  // of an opaque one
  };
  // p(v | given), [given..., v] by the states of the first graph.
  struct Eliminated {
    Variable v;
    std::vector<Variable> given;
    std::vector<double> p;
  };
  using PartId = std::uint32_t;

  void load();
  void add_part(Part part);
  void queue(PartId id);
  void queue_all_of(Variable v);
  std::vector<PartId>& parts_of(Variable v);
  void drop(PartId id);
  std::size_t states(Variable v) const { return left_[v].size(); }
  // The parts of a step; each leaves all of it as it should be.
  void reduce(PartId id);
  void keep_allowed(PartId id);
  void keep_states(Variable v, const std::vector<std::uint8_t>& allowed);
  void take_apart(PartId id);
  bool take_out(PartId id, std::size_t place);
  bool absorb(PartId id);
  void sum_out(PartId id);
  void write();

  const FactorGraph& first_;
  const bool keep_variables_;
  GraphCallback progress_;
  std::vector<std::vector<State>> left_;  // [variables] states of the first graph that are left
  std::vector<std::uint8_t> pinned_;      // in a factor that is no table here
  std::vector<Part> parts_;
  std::vector<std::vector<PartId>> of_;  // [variables] dead ones, too
  std::vector<std::size_t> alive_of_;    // [variables]
  std::deque<PartId> queue_;
  std::vector<Eliminated> eliminated_;
  double constant_ = 0;
  bool contradiction_ = false;
  FactorGraph reduced_;
  std::vector<Variable> number_;  // [variables of the first graph] in reduced_; none: all ones
};

}  // namespace croft
