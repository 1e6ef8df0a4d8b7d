// A(w) of graphs without labels: log Z of what is not known, with its second derivative.
//
//   A(w) = sum_n q_n log Z(x_n, known_n; w),    A'' v = sum_n q_n A_n' Cov_n A_n v         (U.11)
//
// docs/math/unlabelled.md section 6
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "croft/optimize/function.h"
#include "objective/graph/hidden_sums.h"
#include "train/graph/graph_function.h"

namespace croft {

class GraphLogPartition final : public CurvedFunction {
 public:
  // Keeps all but the last by reference; sets the numbers of the instances' graphs.  Each instance
  // has a hidden variable.
  //   most_bytes : that a junction tree may take; 0: no limit
  // Throws UsageError, which says how much one takes, for instances whose trees take more.
  GraphLogPartition(const CliqueSchema& schema, const CliqueRows& rows, const GraphLayout& layout,
                    std::span<GraphInstance> instances, ThreadPool& pool, double most_bytes);

  std::size_t dimension() const override { return f_->dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;
  void hessian_product(std::span<const double> v, std::span<double> out) override;

 private:
  void set_direction(std::span<const double> v, std::size_t n, std::size_t worker);

  const CliqueSchema& schema_;
  const CliqueRows& rows_;
  std::span<GraphInstance> instances_;
  ThreadPool& pool_;
  std::vector<HiddenSums*> sums_;  // [instances], of f_
  std::optional<GraphFunction> f_;
  std::vector<double> w_;  // of the last evaluation
  struct Worker {
    GraphScorer scorer;
    std::vector<double> direction;
  };
  std::vector<Worker> workers_;
};

}  // namespace croft
