// Expected log-scores under independent variables.  Internal to inference/.
#pragma once
#include <vector>

#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

class ExpectedScores {
 public:
  explicit ExpectedScores(const FactorGraph& graph) : graph_(graph) {}

  // to[x] += E[theta_f | x_k = x], for the k-th variable of the scope; -inf where a joint state of
  // weight > 0 is forbidden, however small its weight is.
  void add(Factor f, std::size_t k, const VariableMarginals& q, double* to);

 private:
  void add_table(Factor f, std::size_t k, const VariableMarginals& q, double* to);
  void add_sparse(Factor f, std::size_t k, const VariableMarginals& q, double* to);
  void add_pair(Factor f, std::size_t k, const VariableMarginals& q, double* to);
  void add_by_sum(Factor f, std::size_t k, const VariableMarginals& q, double* to);

  const FactorGraph& graph_;
  std::vector<double> table_, next_;
};

}  // namespace croft
