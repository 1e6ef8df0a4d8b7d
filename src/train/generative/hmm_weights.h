// The probabilities of a hidden Markov model as softmaxes of free weights, for what is maximised by
// its gradient.  docs/math/hidden_markov.md section 7.
#pragma once
#include <cstddef>
#include <span>

#include "croft/core/matrix.h"
#include "model/kinds/hmm_parameters.h"
#include "train/generative/hmm_counts.h"

namespace croft {

// The weights: [L] of starts; [L] rows of transitions, with ends [L + 1], otherwise [L]; one of
// each cell of the layout.
class HmmWeights {
 public:
  // Keeps a reference to the layout, which has a cell for every value and label.
  //   p : the estimate of which p_k(unknown | j) stays
  HmmWeights(const HmmLayout& layout, const HmmParameters& p, bool ends);

  std::size_t dimension() const { return cells_ + layout_.cell.size(); }
  // Weights of these probabilities, which are above 0.
  void weights_of(const HmmParameters& p, std::span<double> w) const;
  // (HM.17); what p has of unknown values is left as it is.
  void set_probabilities(std::span<const double> w, HmmParameters& p) const;
  // Subtracts (HM.18) from the gradient, which is that of a function to be minimised.
  //   counts : n
  //   p      : of the weights
  void subtract_slope(const HmmCounts& counts, const HmmParameters& p,
                      std::span<double> gradient) const;

 private:
  const HmmLayout& layout_;
  std::size_t ends_;      // 1: rows have an end, or 0
  std::size_t cells_;     // the first weight of a cell
  Matrix<double> known_;  // [K][L] log(1 - p_k(unknown | j))
};

}  // namespace croft
