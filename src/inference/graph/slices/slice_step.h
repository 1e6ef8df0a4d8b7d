// One slice of a dynamic Bayesian network given what the slices before and after say of it.
// Internal to inference/; docs/math/dynamic_networks.md.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "croft/inference/elimination_order.h"
#include "croft/structure/slice_network.h"
#include "inference/graph/slices/slice_kernel.h"

namespace croft {

class SliceStep {
 public:
  //   graph : the slice's n variables, then those of the interface before, if there is a slice
  //           before
  //   after : the interface of this slice
  //   memory : bytes that the clique tree may take; more throws Error
  SliceStep(const FactorGraph& graph, std::size_t n, const std::vector<Variable>& after,
            double memory);

  // log of the sum, or of the largest product, with the offsets of the tables that are given; -inf
  // where all are 0, and nothing is set then.
  //   wanted.after : adds up to 1, or its largest number is 1
  double run(const SliceGiven& given, const SliceWanted& wanted);

 private:
  FactorGraph with(const SliceGiven& given) const;
  double run_in_logarithms(const SliceGiven& given, const SliceWanted& wanted) const;
  Table over(FactorGraph graph, const std::vector<Variable>& scope, bool largest) const;

  FactorGraph graph_;  // with a factor of no effect over `before_` and one over `after_`
  std::vector<Variable> before_, after_;
  std::size_t n_;
  EliminationOrder order_;
  std::unique_ptr<SliceKernel> kernel_;  // nullptr: its tables are too large
};

// The same numbers with an offset that makes them add up to 1, or the largest of them 1.
void set_total(Table& table, bool largest);

}  // namespace croft
