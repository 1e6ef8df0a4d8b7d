// The best assignment of a factor graph whose numbers change: what margins and perceptrons need of
// inference.
#pragma once
#include <functional>
#include <memory>

#include "croft/inference/belief_propagation.h"
#include "croft/inference/map_result.h"
#include "croft/inference/trw_s.h"

namespace croft {

class MaxOracle {
 public:
  virtual ~MaxOracle() = default;
  // Of the graph's present numbers.  An assignment that was found is always there, unless none is
  // allowed; `kind` says whether it is the best one.
  virtual MapResult best() = 0;
};
// Keeps the graph by reference; its numbers may change, its shape must not.
using MaxOracleMaker = std::function<std::unique_ptr<MaxOracle>(const FactorGraph& graph)>;

// Junction trees that take more memory throw Error; 0: no limit.
MaxOracleMaker exact_best(double most_bytes = 8e9);
MaxOracleMaker max_product_best(const BeliefPropagationOptions& options = {});
MaxOracleMaker trw_s_best(const TrwSOptions& options = {});
// Exact; throws UsageError where scores are not submodular.
MaxOracleMaker graph_cut_best();
MaxOracleMaker alpha_expansion_best();
// Whatever is best for the graph: the junction tree where it is small; a minimum cut where it is
// exact; otherwise the better of alpha-expansion (pairs) and TRW-S.
MaxOracleMaker automatic_best(double most_bytes = 64e6);

}  // namespace croft
