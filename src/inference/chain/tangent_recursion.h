// The two passes behind chain_tangent.h, over what marginals() in double left.  Internal.
//
// M_t(j) = Cov(S up to t, 1[y_t = j]) and N_t(i) = Cov(S behind t, 1[y_t = i]).  Each step centres:
// sums over the labels of a position are 0 by (V.19), so that nothing large cancels in the end.
#pragma once
#include <vector>

#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_tangent.h"

namespace croft {

// What of a direction belongs to edges, and its products with the factors of the scaled path.
struct EdgeDirection {
  Matrix<double> tied;                           // [L][L]; dense transitions
  Matrix<double> overlay;                        // [overlays L][L] tied and overlay together
  Matrix<double> weighted, weighted_transposed;  // [L][L] factor times tied
  Matrix<double> weighted_overlay;               // [overlays L][L] factor times overlay
  std::vector<double> listed;                    // [edges], by leaving; sparse transitions
  std::vector<double> weighted_leaving, weighted_arriving;  // factor times direction

  double at(const ChainScores<double>& scores, std::size_t t, Label i, Label j) const {
    if (scores.has_overlay(t)) return overlay(scores.overlay_of[t] * scores.labels() + i, j);
    if (!scores.transitions->sparse()) return tied(i, j);
    const std::uint32_t cell = scores.transitions->cell(i, j);
    return cell == TransitionScores<double>::kNoCell ? 0 : listed[cell];
  }
};

struct TangentWorkspace::Tables {
  ForwardBackwardWorkspace<double> sums;
  LogDomainWorkspace log_domain;
  Matrix<double> mu;      // [T][L] marginals
  Matrix<double> source;  // [T][L] what S adds at t: mu times the direction, or a distribution
  EdgeDirection edges;
  Matrix<double> change;        // [T][L] M, then M + N
  Matrix<double> prefix;        // [T][L] M / mu alpha; scaled path
  Matrix<double> suffix;        // [T][L] (N + own source) / mu suffix, less the mean; scaled path
  Matrix<double> row;           // [4][L] scratch
  Matrix<double> kernel, back;  // [L][L] scratch; log domain
  Matrix<double> overlay;       // [overlays L][L] derivatives
  std::vector<double> pairs;    // [2 cells] scratch; scaled path

  // Copies in double of chains in float; the transitions are converted when they change.
  TransitionScores<float> narrow_transitions;
  TransitionScores<double> transitions;
  ChainScores<double> scores;
};

struct TangentOutput {
  double scale;
  double* overlay;     // [overlays][L][stride], overwritten, times scale; may be null
  double* transition;  // added to, times scale; may be null
};

// Fill tables.change from mu, source and the direction of the edges (null: they do not move), write
// the derivatives of the edges; return E[S].
double scaled_tangent(const ChainScores<double>& scores, const EdgeDirection* edges,
                      TangentWorkspace::Tables& tables, const TangentOutput& out);
double log_domain_tangent(const ChainScores<double>& scores, const EdgeDirection* edges,
                          TangentWorkspace::Tables& tables, const TangentOutput& out);

}  // namespace croft
