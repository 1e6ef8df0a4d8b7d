// The data term of a chain's training objective, and its gradient, as a BatchFunction.
//
//   f(w) = sum_n L(theta_n(w), y_n),     df/dw = sum_n A_n^T dL/dtheta_n                   (C.11)
//
// The data is cut into waves whose dL/dtheta fits a cache-sized buffer, a wave into blocks of sequences.
// First every block is scored and its objective evaluated, sums being added in block order; then
// each attribute's owner adds up its postings.  Neither cut depends on the number of threads.
#pragma once
#include <vector>

#include "croft/core/compensated_sum.h"
#include "croft/model/linear_scorer.h"
#include "croft/optimize/function.h"

namespace croft {

// Objective: a function object (scores, gold, weight, out) -> value as ChainLikelihood; one a thread.
template <class Real, class Objective>
class ChainBatchFunction : public BatchFunction {
 public:
  // Keeps references to all three.  data.node.id are ids of the layout.
  ChainBatchFunction(const ChainData& data, const ChainLayout& layout, ThreadPool& pool);

  std::size_t dimension() const override { return layout_.dimension(); }
  // +inf where some sequence's gold labelling is forbidden.
  double evaluate(std::span<const double> w, std::span<double> gradient) override;

 private:
  struct Block {
    std::size_t first, last;  // sequences
  };
  struct Wave {
    std::uint64_t first_position;
    std::vector<Block> blocks;
    std::vector<std::uint32_t> first_overlay;  // of each sequence, in the wave's buffer
    std::size_t first_sequence = 0;
    Postings node, edge;
  };
  struct Worker {
    ChainScores<Real> scores;
    Objective objective;
    CompensatedSum value;
    Matrix<double> transition;
  };
  void make_waves();
  void close_wave(Wave& wave, std::uint64_t last_position);
  void evaluate_block(const Wave& wave, const Block& block, Worker& worker);

  const ChainData& data_;
  const ChainLayout& layout_;
  ThreadPool& pool_;
  LinearScorer<Real> scorer_;
  std::vector<Wave> waves_;
  std::vector<Worker> workers_;
  std::size_t stride_;
  AlignedVector<Real> d_state_;    // [positions of a wave][stride]
  AlignedVector<Real> d_overlay_;  // [overlays of a wave][L][stride]
};

}  // namespace croft
