// p(y_S | x): the probability that some positions of a chain, adjacent or not, have given labels.
//
// The constrained forward algorithm (Culotta & McCallum 2004): with every other label of these
// positions forbidden, log Z is the log-sum of the labellings that agree, so
//
//   log p(y_S | x) = log Z(restricted) - log Z                                             (Q.8)
//
// docs/math/chain_queries.md section 7.
#pragma once
#include <span>

#include "croft/inference/chain_sum.h"

namespace croft {

// y_position is one of `labels`.
struct Restriction {
  std::size_t position;
  std::span<const Label> labels;
};

// Forbids all other labels at these positions.  A position may come twice: then both must hold.
template <class Real>
void restrict_labels(std::span<const Restriction> restrictions, ChainScores<Real>& scores);

// Many questions to one chain.  Works in double, on a copy of the state scores.
class SubsetProbability {
 public:
  // Cost of one log_partition().  The transitions must outlive this (float: they are copied).
  explicit SubsetProbability(const ChainScores<double>& scores);
  explicit SubsetProbability(const ChainScores<float>& scores);
  SubsetProbability(const SubsetProbability&) = delete;
  SubsetProbability& operator=(const SubsetProbability&) = delete;

  // log p(all restrictions hold | x), <= 0; -inf when they cannot hold, or when no labelling is
  // allowed at all.  0 without restrictions.  Cost of one log_partition().
  // The absolute error does not grow with log Z, so that a tiny probability keeps its digits: it is
  // a few T times 1e-16 (sparse transitions over 0: 1e-13 at worst), in the log domain times the
  // spread of the scores.
  double log_probability(std::span<const Restriction> restrictions);

 private:
  TransitionScores<double> transitions_;  // for scores in float
  ChainScores<double> scores_;
  ForwardBackwardWorkspace<double> work_;
  CompensatedSum log_z_;
  Matrix<double> saved_;  // the rows that are restricted now
};

// One question; at twice the cost.
template <class Real>
double log_subset_probability(const ChainScores<Real>& scores,
                              std::span<const Restriction> restrictions);

// Threads: no hidden state; share scores, never a SubsetProbability.
// Related: chain_posterior.h (window_probability(): adjacent positions, much cheaper).
}  // namespace croft
