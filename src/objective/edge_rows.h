// The edges of a chain that leave a label, or arrive at one: their scores and their derivatives.
// Internal.
#pragma once
#include <algorithm>
#include <cstddef>

#include "croft/structure/chain.h"

namespace croft {

// row[j] = edge(t; i, j) for all j; [stride], padding 0.
template <class Real>
void edges_from(const ChainScores<Real>& scores, std::size_t t, Label i, Real* row) {
  const TransitionScores<Real>& tied = *scores.transitions;
  const std::size_t labels = scores.labels();
  std::fill(row + labels, row + scores.state.stride(), Real{0});
  if (tied.sparse()) {
    const EdgeLists<Real>& lists = tied.leaving();
    std::fill_n(row, labels, tied.background_log());
    for (auto k = lists.begin[i]; k < lists.begin[i + 1]; ++k) row[lists.other[k]] = lists.log[k];
    return;
  }
  const Real *log = tied.log().row(i), *extra = scores.overlay_row(t, i);
  for (std::size_t j = 0; j < labels; ++j) row[j] = extra == nullptr ? log[j] : log[j] + extra[j];
}

// row[i] = edge(t; i, j) for all i; [stride], padding 0.
template <class Real>
void edges_to(const ChainScores<Real>& scores, std::size_t t, Label j, Real* row) {
  const TransitionScores<Real>& tied = *scores.transitions;
  const std::size_t labels = scores.labels();
  std::fill(row + labels, row + scores.state.stride(), Real{0});
  if (tied.sparse()) {
    const EdgeLists<Real>& lists = tied.arriving();
    std::fill_n(row, labels, tied.background_log());
    for (auto k = lists.begin[j]; k < lists.begin[j + 1]; ++k) row[lists.other[k]] = lists.log[k];
    return;
  }
  const bool overlay = scores.has_overlay(t);
  for (Label i = 0; i < labels; ++i) {
    row[i] = tied.log()(i, j);
    if (overlay) row[i] += scores.overlay_row(t, i)[j];
  }
}

// The derivatives of the edges that edges_from() reads grow by d[j].
template <class Real>
void add_edges_from(const ChainScores<Real>& scores, std::size_t t, Label i, const Real* d,
                    const ChainGradient<Real>& out) {
  const TransitionScores<Real>& tied = *scores.transitions;
  const std::size_t labels = scores.labels(), stride = scores.state.stride();
  if (scores.has_overlay(t) && out.overlay != nullptr) {
    Real* to = out.overlay + (scores.overlay_of[t] * labels + i) * stride;
    for (std::size_t j = 0; j < labels; ++j) to[j] += d[j];
  }
  if (out.transition == nullptr) return;
  if (tied.sparse()) {
    const EdgeLists<Real>& lists = tied.leaving();
    for (auto k = lists.begin[i]; k < lists.begin[i + 1]; ++k) {
      out.transition[lists.cell[k]] += double{d[lists.other[k]]};
    }
    return;
  }
  double* to = out.transition + i * stride;
  for (std::size_t j = 0; j < labels; ++j) to[j] += double{d[j]};
}

// Those of the edges that edges_to() reads, by d[i].
template <class Real>
void add_edges_to(const ChainScores<Real>& scores, std::size_t t, Label j, const Real* d,
                  const ChainGradient<Real>& out) {
  const TransitionScores<Real>& tied = *scores.transitions;
  const std::size_t labels = scores.labels(), stride = scores.state.stride();
  if (scores.has_overlay(t) && out.overlay != nullptr) {
    Real* to = out.overlay + scores.overlay_of[t] * labels * stride + j;
    for (std::size_t i = 0; i < labels; ++i) to[i * stride] += d[i];
  }
  if (out.transition == nullptr) return;
  if (tied.sparse()) {
    const EdgeLists<Real>& lists = tied.arriving();
    for (auto k = lists.begin[j]; k < lists.begin[j + 1]; ++k) {
      out.transition[lists.cell[k]] += double{d[lists.other[k]]};
    }
    return;
  }
  for (std::size_t i = 0; i < labels; ++i) out.transition[i * stride + j] += double{d[i]};
}

// State and overlay derivatives of 0.
template <class Real>
void clear(const ChainScores<Real>& scores, const ChainGradient<Real>& out) {
  std::fill_n(out.state, scores.length() * scores.state.stride(), Real{0});
  if (out.overlay == nullptr) return;
  std::fill_n(out.overlay, scores.overlay.rows() * scores.state.stride(), Real{0});
}

}  // namespace croft
