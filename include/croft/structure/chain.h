// A linear chain: its table of log-scores theta, and the table of derivatives with the same shape.
//
//   score(y) = sum_t state[t][y_t] + sum_{t>=1} edge(t; y_{t-1}, y_t)                      (C.1)
//   edge(t; i, j) = transitions[i][j], plus overlay(t)[i][j] where position t has an overlay
//
// The transition table is tied: one for all positions of all sequences.  An overlay is a sparse
// addition for positions with edge observations; without them nobody stores T L^2 numbers.
// -inf forbids a label or an edge; NaN and +inf are bugs of the caller.  docs/math/chain.md section 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "croft/core/matrix.h"

namespace croft {

using Label = std::uint32_t;

// Tied edge scores and what every recursion wants of them, computed once for many sequences.
template <class Real>
class TransitionScores {
 public:
  TransitionScores() = default;
  explicit TransitionScores(std::size_t labels) { assign(Matrix<Real>(labels, labels, Real{0})); }

  // log_scores: [L][L], from row i to column j.  Cost O(L^2) exponentials.
  void assign(Matrix<Real> log_scores);

  std::size_t labels() const { return log_.rows(); }
  const Matrix<Real>& log() const { return log_; }                    // padding -inf
  const Matrix<Real>& factors() const { return factors_; }            // exp(log - shift); padding 0
  const Matrix<Real>& factors_transposed() const { return factors_transposed_; }
  const Matrix<Real>& allowed() const { return allowed_; }            // 1 where log > -inf, else 0
  const Matrix<Real>& allowed_transposed() const { return allowed_transposed_; }
  double shift() const { return shift_; }    // the largest score; 0 when none is finite
  double spread() const { return spread_; }  // largest - smallest finite score
  bool any_forbidden() const { return any_forbidden_; }

 private:
  Matrix<Real> log_, factors_, factors_transposed_, allowed_, allowed_transposed_;
  double shift_ = 0, spread_ = 0;
  bool any_forbidden_ = false;
};

// theta of one sequence.  Buffers are reused: reset() keeps their storage.
template <class Real>
struct ChainScores {
  static constexpr Real kForbidden = -std::numeric_limits<Real>::infinity();
  static constexpr std::uint32_t kNoOverlay = 0xFFFFFFFF;

  Matrix<Real> state;                                  // [T][L]; padding -inf
  const TransitionScores<Real>* transitions = nullptr;  // shared, not owned
  std::vector<std::uint32_t> overlay_of;  // [T]: index of t's overlay, or kNoOverlay; empty: none has
  Matrix<Real> overlay;                   // [overlays * L][L]; rows k L .. k L + L - 1 are overlay k

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
    return double{extra ? transitions->log()(i, j) + extra[j] : transitions->log()(i, j)};
  }
  // T x L states of 0 (padding -inf), no overlays.
  void reset(std::size_t length, const TransitionScores<Real>& tied);
  // Adds an overlay of zeros at t >= 1 and returns its rows [L][stride].  Call in increasing t.
  Real* add_overlay(std::size_t t);
};

// d/dtheta, entry by entry; memory belongs to the caller.  Rows must be aligned as a Matrix's are.
template <class Real>
struct ChainGradient {
  Real* state = nullptr;                 // [T][stride of scores.state], overwritten
  Real* overlay = nullptr;               // [overlays][L][stride], overwritten; may be null if none
  Matrix<double>* transition = nullptr;  // [L][L], added to: tied over positions and sequences
};

// (C.1), summed without loss of digits.  Requires y.size() == T and labels < L.
template <class Real>
double score(const ChainScores<Real>& scores, std::span<const Label> y);

}  // namespace croft
