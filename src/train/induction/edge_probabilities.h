// p(y_{t-1}, y_t | x) of the model of the moment, at the edges that are asked for.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

#include "croft/inference/chain_sum.h"
#include "model/linear_scorer.h"

namespace croft {

class EdgeProbabilities {
 public:
  // Keeps references to the first two; data.node.id are ids of the layout.
  EdgeProbabilities(const ChainData& data, const ChainLayout& layout, std::span<const double> w,
                    ThreadPool& pool);

  struct Scratch {  // one a thread
    ChainScores<double> scores;
    ForwardBackwardWorkspace<double> work;
    Matrix<double> state, pairs;
  };
  // visit(k, p) with p[i][j] for positions[k], those of sequence n that are not its first.
  // Cost O(T L^2), and O(L^2) for each.  Thread-safe.
  using Visit = std::function<void(std::size_t k, const Matrix<double>& p)>;
  void visit(std::size_t n, std::span<const std::uint32_t> positions, Scratch& scratch,
             const Visit& visit) const;

 private:
  const ChainData& data_;
  LinearScorer<double> scorer_;
};

}  // namespace croft
