// Questions to p(y | x) after its marginals: edges, samples, entropy, expected counts, windows.
//
// Given x, a labelling is a Markov chain, and the tables that marginals() leaves in its workspace
// are that chain (Q.4).  All functions here read them and run no recursion of their own.  Equation
// numbers (Q.n) point to docs/math/chain_queries.md.
//
// When no labelling is allowed, sums over labellings are empty: probabilities, counts and the
// entropy are 0, and there is no sample.
#pragma once
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/chain_sum.h"

namespace croft {

// What marginals(scores, 1, work, out) left, all of one call; a view.
template <class Real>
struct ChainPosterior {
  const ChainScores<Real>& scores;
  const ForwardBackwardWorkspace<Real>& work;
  const Real* state;  // out.state: [T][stride] p(y_t = j | x)
};

// out[i][j] = p(y_{t-1} = i, y_t = j | x), t >= 1; reshaped to [L][L], padding 0.  Sums to 1.
// Cost O(L^2).
template <class Real>
void edge_marginals(const ChainPosterior<Real>& posterior, std::size_t t, Matrix<double>& out);

// sum_t p(y_t = j | x), [L]: the expected number of times that each label occurs.  Cost O(T L).
template <class Real>
std::vector<double> expected_label_counts(const ChainPosterior<Real>& posterior);

// out[i][j] = sum_{t>=1} p(y_{t-1} = i, y_t = j | x), for all pairs.  Cost O(T L^2).  For the edges
// of the tied table alone, ChainGradient::transition of marginals(…, 1, …) has the same sums.
template <class Real>
void expected_edge_counts(const ChainPosterior<Real>& posterior, Matrix<double>& out);

// One exact draw from p(y | x), written to y (y.size() == T): filtered forward, sampled backward
// (Q.5).
// Needs alpha alone: after log_partition(scores, work) it works as after marginals().
// False, with y untouched, when no labelling is allowed.
// Consumes T numbers of `random` and depends on nothing else.  Cost O(T L).
template <class Real>
bool sample(const ChainScores<Real>& scores, const ForwardBackwardWorkspace<Real>& work,
            Random& random, std::span<Label> y);

// -sum_y p(y|x) log p(y|x), in nats, by conditional entropies (Q.6): terms >= 0, among which
// nothing cancels, however large the scores.  Terms below 5e-19 are left out, and with them most of
// the O(T L^2) steps where the posterior is peaked.
template <class Real>
double entropy(const ChainPosterior<Real>& posterior);

// p(y_first in labels[0], y_{first+1} in labels[1], … | x), by (Q.7).
//   labels  : at least one list, first + labels.size() <= T; in a list each label stands once, and
//             an empty list makes the probability 0
//   scratch : grows, never shrinks
// Cost: the sum over neighbouring lists of the product of their sizes (sparse transitions: times a
// log).  The error is that of the marginals, relative for labels of probability above 1e-37; what
// passes through labels of a lower one may be left out.
template <class Real>
double window_probability(const ChainPosterior<Real>& posterior, std::size_t first,
                          std::span<const std::span<const Label>> labels,
                          std::vector<double>& scratch);

// Threads: no hidden state; share posteriors, never a `random` or a `scratch`.
// Related: chain_subset.h (any positions, and probabilities of any size), chain_k_best.h.
}  // namespace croft
