// From a chain back to a hidden Markov model whose transitions depend on the position.
//
// p(y | x) of a chain is a Markov chain again: its transitions, normalised by the backward vector,
// are probabilities (HM.11).  A chain without edge observations, whose state scores are looked up
// in a table by what is observed, is in the same way an HMM (HM.12): for sequences of one length,
// exactly. docs/math/hidden_markov.md section 6.
#pragma once
#include <vector>

#include "croft/structure/chain.h"

namespace croft {

// p(y) = start(y_0) prod_{t>=1} transition[t](y_{t-1}, y_t), all in probabilities, not logarithms.
struct PositionTransitions {
  std::vector<double> start;               // [L], sums to 1
  std::vector<Matrix<double>> transition;  // [T] of [L][L], [0] is empty; a row sums to 1, or is 0
                                           // where its label cannot be reached or left
  double log_partition = 0;                // of the chain
};

// Overlays and masks included.  Where no labelling is allowed log_partition is -inf and all else
// empty.  Cost O(T L^2) exponentials; memory T L^2.
PositionTransitions locally_normalised(const ChainScores<double>& scores);

// A chain of features f(y', y) and f(y, x_t), where x_t is one of V observations.
struct ObservedChain {
  Matrix<double> transition;  // [L][L] scores, natural logarithms; -inf forbids
  Matrix<double> emission;    // [V][L] score of observation and label
  std::vector<double> start;  // [L] added at the first position; empty: 0
  std::vector<double> end;    // [L] added at the last one; empty: 0
};

struct PositionHmm {
  PositionTransitions labels;  // p(y), of a sequence of the length
  Matrix<double> emission;     // [V][L] p(x | y); a column sums to 1, or is 0
};

// The HMM over sequences of `length` positions whose p(y | x) is the chain's, for every x.  Away
// from the ends its transitions are nearly the same at every position.  Cost O(T L^2 + V L).
PositionHmm hmm_from_chain(const ObservedChain& chain, std::size_t length);

}  // namespace croft
