// A linear chain: its table of log-scores theta, and the table of derivatives with the same shape.
//
//   score(y) = sum_t state[t][y_t] + sum_{t>=1} edge(t; y_{t-1}, y_t)                      (C.1)
//   edge(t; i, j) = transitions[i][j], plus overlay(t)[i][j] where position t has an overlay
//
// The transitions are tied (transitions.h); an overlay is an addition for positions with edge
// observations, and goes with dense transitions.  Without overlays nobody stores T L^2 numbers.
// -inf forbids a label or an edge; NaN and +inf are bugs of the caller.  docs/math/chain.md
// section 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/structure/transitions.h"

namespace croft {

// theta of one sequence.  Buffers are reused: reset() keeps their storage.
template <class Real>
struct ChainScores {
  static constexpr Real kForbidden = -std::numeric_limits<Real>::infinity();
  static constexpr std::uint32_t kNoOverlay = 0xFFFFFFFF;

  Matrix<Real> state;                                   // [T][L]; padding -inf
  const TransitionScores<Real>* transitions = nullptr;  // shared, not owned
  std::vector<std::uint32_t>
      overlay_of;        // [T]: index of t's overlay, or kNoOverlay; empty: none has
  Matrix<Real> overlay;  // [overlays * L][L]; rows k L .. k L + L - 1 are overlay k

  std::size_t length() const { return state.rows(); }
  std::size_t labels() const { return state.columns(); }
  // Row i of the overlay at t, or nullptr where t has none.
  const Real* overlay_row(std::size_t t, std::size_t i) const {
    if (overlay_of.empty() || overlay_of[t] == kNoOverlay) return nullptr;
    return overlay.row(overlay_of[t] * labels() + i);
  }
  bool has_overlay(std::size_t t) const {
    return !overlay_of.empty() && overlay_of[t] != kNoOverlay;
  }
  // Added in Real, as every recursion adds it.
  double edge(std::size_t t, Label i, Label j) const {
    const Real* extra = overlay_row(t, i);
    return double{extra ? transitions->log()(i, j) + extra[j] : transitions->at(i, j)};
  }
  // T x L states of 0 (padding -inf), no overlays.
  void reset(std::size_t length, const TransitionScores<Real>& tied);
  // Adds an overlay of zeros at t >= 1 and returns its rows [L][stride].  Call in increasing t.
  // Requires dense transitions.
  Real* add_overlay(std::size_t t);
};

// d/dtheta, entry by entry; memory belongs to the caller.  Rows must be aligned as a Matrix's are.
template <class Real>
struct ChainGradient {
  Real* state = nullptr;    // [T][stride of scores.state], overwritten
  Real* overlay = nullptr;  // [overlays][L][stride], overwritten; may be null if none
  double* transition =
      nullptr;  // [transitions.cells()], added to: tied over positions and sequences
};

// (C.1), summed without loss of digits.  Requires y.size() == T and labels < L.
template <class Real>
double score(const ChainScores<Real>& scores, std::span<const Label> y);

}  // namespace croft
