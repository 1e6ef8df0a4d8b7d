// Directions of a general CRF's weights where there is no value: contrastive divergence and its
// kin, an instance at a time.
//
//   d_n(w) = q_n A_n' d(theta_n(w), y_n)                                                   (GC.10)
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "model/graph_layout.h"
#include "objective/graph/graph_objective.h"
#include "optimize/stochastic/direction_function.h"

namespace croft {

class GraphDirections final : public DirectionFunction {
 public:
  // Keeps the first four by reference; sets the numbers of the instances' graphs.
  GraphDirections(const CliqueSchema& schema, const CliqueRows& rows, const GraphLayout& layout,
                  std::span<GraphInstance> instances, std::size_t workers,
                  const GraphDirectionMaker& make_direction);

  std::size_t dimension() const override { return layout_.dimension(); }
  std::size_t samples() const override { return instances_.size(); }
  std::size_t workers() const override { return workers_.size(); }
  std::span<const Run> support(std::size_t n, std::size_t worker) override;
  Drawn draw(std::size_t n, std::span<const double> w, Random& random, std::span<double> direction,
             std::size_t worker) override;
  void archive(StateArchive& state) override;

 private:
  struct Worker {
    GraphScorer scorer;
    std::vector<double> d_numbers, dense;
    std::vector<Run> support;
  };
  const CliqueRows& rows_;
  const GraphLayout& layout_;
  std::span<GraphInstance> instances_;
  std::vector<std::unique_ptr<GraphDirection>> directions_;
  std::vector<Worker> workers_;
};

}  // namespace croft
