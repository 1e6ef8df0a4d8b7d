// Composite likelihood (Lindsay 1988): blocks of neighbouring labels given the labels around them.
//
//   L(theta, y) = - weight c sum_s log p(y_s … y_{s+b-1} | y_{s-1}, y_{s+b}, x)             (V.3)
//
// over all T - b + 1 blocks of b neighbours, with c = T / (b (T - b + 1)): all blocks together
// count as many positions as the chain has.  b = 1 is the pseudo-likelihood, b >= T the likelihood.
// Per-edge pseudo-likelihood has b = 2 and c = 1: a term for each edge, as in graphs.
// docs/math/chain_objectives.md section 3.
#pragma once
#include <span>
#include <vector>

#include "croft/objective/likelihood.h"

namespace croft {

// What the blocks of a sequence count together.
enum class BlockCount {
  positions,  // as many as there are positions, whatever b: c of (V.3)
  blocks      // one each: c = 1
};

// Gold must be complete.  L is +inf where the scores forbid the gold labelling.  Convex.
template <class Real>
class CompositeLikelihood final : public ChainObjective<Real> {
 public:
  // Throws UsageError for a block of 0 labels.
  explicit CompositeLikelihood(std::size_t block, BlockCount count = BlockCount::positions);

  // Cost: a forward-backward for each block, O(T b L^2).
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  std::size_t slow() const override { return likelihood_.slow(); }

 private:
  double one_chain(const ChainScores<Real>& scores, std::span<const Label> y, double weight,
                   const ChainGradient<Real>& out);
  // The block that begins at `first`, as a chain of its own, number `lane` of the next call.
  void cut(const ChainScores<Real>& scores, std::span<const Label> y, std::size_t first,
           std::size_t lane, double weight, double* transition);
  // The derivatives of that chain's scores to those of the whole one.
  void paste(const ChainScores<Real>& scores, std::span<const Label> y, std::size_t first,
             std::size_t lane, const ChainGradient<Real>& out);

  std::size_t block_;
  BlockCount count_;
  ChainLikelihood<Real> likelihood_;
  // Blocks, kChainLanes at a time.
  std::vector<ChainScores<Real>> scores_;
  std::vector<Matrix<Real>> state_, overlay_;  // derivatives
  std::vector<Gold> gold_;
  std::vector<double> weight_, value_;
  std::vector<ChainGradient<Real>> out_;
  Matrix<Real> row_;  // [1][L] scratch
};

}  // namespace croft
