#include "croft/inference/segment_chain.h"

#include <algorithm>
#include <cassert>

#include "inference/segments/segment_overlays.h"

namespace croft {

SegmentChainSize segment_chain_size(const SegmentShape& shape, bool overlays) {
  const double before = overlays ? static_cast<double>(shape.labels() + 1) : 1.0;
  const double targets = static_cast<double>(shape.cells());
  double states = 0, inner = 0, ends = 0;
  for (Label y = 0; y < shape.labels(); ++y) {
    const double longest = static_cast<double>(shape.longest(y));
    states += longest * before + longest - 1;
    inner += (longest - 1) * before + std::max(longest - 2, 0.0);
    ends += before + (longest > 1 ? 1 : 0);
  }
  return {states, inner + ends * targets};
}

template <class Real>
SegmentChain<Real>::SegmentChain(const SegmentShape& shape, const SegmentLabels& labels,
                                 const TransitionScores<Real>& transitions, bool overlays)
    : shape_(shape), overlays_(overlays) {
  const auto count = static_cast<Label>(shape.labels());
  const auto column = [&](const State& s) {
    if (s.first) return labels.column(s.label, 0, s.remaining + 1);
    return s.remaining == 0 ? labels.last_of(s.label) : labels.inside[s.label];
  };
  for (Label y = 0; y < count; ++y) {
    for (std::uint32_t r = 0; r < shape.longest(y); ++r) {
      states_.push_back({y, r, true, kAnyLabel});
      for (Label i = 0; overlays && i < count; ++i) states_.push_back({y, r, true, i});
      if (r + 1 < shape.longest(y)) states_.push_back({y, r, false, kAnyLabel});
    }
  }
  std::ranges::sort(states_, [&](const State& a, const State& b) {
    const Label one = column(a), other = column(b);
    return one != other ? one < other : a < b;
  });
  const std::size_t width = overlays ? count + 1 : 1;
  first_of_.resize(shape.cells() * width);
  std::vector<Label> next(shape.cells());  // [cells] the state inside, with as many remaining
  for (Label s = 0; s < states_.size(); ++s) {
    const State& state = states_[s];
    label_of_.push_back(column(state));
    assert(label_of_.back() != SegmentLabels::kNone);
    const std::size_t cell = shape.cell(state.label, state.remaining + 1);
    if (!state.first) {
      next[cell] = s;
    } else {
      first_of_[cell * width + (state.before == kAnyLabel ? width - 1 : state.before)] = s;
    }
  }
  std::vector<Edge> edges;
  std::vector<Real> log;
  std::vector<Label> targets(shape.cells());
  for (Label s = 0; s < states_.size(); ++s) {
    const auto& [y, remaining, first, before] = states_[s];
    if (remaining > 0) {
      edges.push_back({s, next[shape.cell(y, remaining)]});
      log.push_back(Real{0});
      pair_of_.push_back(kNoPair);
      continue;
    }
    for (std::size_t cell = 0; cell < targets.size(); ++cell) {
      targets[cell] = first_of_[cell * width + (overlays ? y : 0)];
    }
    std::ranges::sort(targets);
    for (const Label target : targets) {
      const Label to = states_[target].label;
      const Real value = transitions.at(y, to);
      if (value == TransitionScores<Real>::kForbidden) continue;
      edges.push_back({s, target});
      log.push_back(value);
      pair_of_.push_back(y * count + to);
    }
  }
  transitions_.assign(states_.size(), Background::forbidden, edges, std::span<const Real>(log));
}

template <class Real>
void SegmentChain<Real>::lift(const SegmentScores<Real>& scores, SegmentBest& work,
                              ChainScores<Real>& chain) const {
  const std::size_t length = scores.length(), labels = shape_.labels();
  best_prefixes(scores, work);
  chain.transitions = &transitions_;
  chain.overlay_of.clear();
  chain.overlay.reshape(0, states());
  chain.state.reshape(length, states());
  const std::vector<double>& level = work.level;
  for (std::size_t t = 0; t < length; ++t) {
    Real* out = chain.state.row(t);
    const Real* segment = scores.segment.row(t);
    std::fill(out, out + chain.state.stride(), ChainScores<Real>::kForbidden);
    for (Label s = 0; s < states(); ++s) {
      const State& state = states_[s];
      const std::size_t end = t + state.remaining + 1;
      if (end > length || (t == 0 && !state.first)) continue;
      if (!state.first) {
        out[s] = static_cast<Real>(level[t + 1] - level[t]);
      } else if (!overlays_ || (t == 0) == (state.before == kAnyLabel)) {
        const double value = double{segment[shape_.cell(state.label, state.remaining + 1)]};
        out[s] = static_cast<Real>(value - (level[end] - level[t + 1]));
      }
    }
    const auto [first, last] = overlays_at(scores, t);
    assert(first == last || overlays_);
    for (std::size_t k = first; k < last; ++k) {
      const Label* to = first_of_.data() + scores.overlay_of[k].cell * (labels + 1);
      for (Label i = 0; i < labels; ++i) out[to[i]] += scores.overlay(k, i);
    }
  }
}

template <class Real>
void SegmentChain<Real>::project(std::span<const Label> y, std::vector<Segment>& segments) const {
  segments.clear();
  for (std::size_t t = 0; t < y.size(); ++t) {
    const State& state = states_[y[t]];
    if (state.first) segments.push_back({t, t + state.remaining + 1, state.label});
  }
}

template <class Real>
void SegmentChain<Real>::project_derivatives(const SegmentScores<Real>& scores, const Real* d_state,
                                             std::span<const double> d_transition,
                                             const SegmentGradient<Real>& out) const {
  const std::size_t labels = shape_.labels(), width = overlays_ ? labels + 1 : 1;
  const std::size_t stride = scores.segment.stride();
  for (std::size_t t = 0; t < scores.length(); ++t) {
    const Real* d = d_state + t * padded(states());
    Real* to = out.segment + t * stride;
    std::fill_n(to, stride, Real{0});
    for (std::size_t cell = 0; cell < shape_.cells(); ++cell) {
      for (std::size_t i = 0; i < width; ++i) to[cell] += d[first_of_[cell * width + i]];
    }
    if (out.overlay == nullptr) continue;
    const auto [first, last] = overlays_at(scores, t);
    for (std::size_t k = first; k < last; ++k) {
      Real* overlay = out.overlay + k * scores.overlay.stride();
      std::fill_n(overlay, scores.overlay.stride(), Real{0});
      const Label* from = first_of_.data() + scores.overlay_of[k].cell * width;
      for (Label i = 0; i < labels; ++i) overlay[i] = d[from[i]];
    }
  }
  for (std::size_t e = 0; out.transition != nullptr && e < pair_of_.size(); ++e) {
    if (pair_of_[e] != kNoPair) out.transition[pair_of_[e]] += d_transition[e];
  }
}

template class SegmentChain<float>;
template class SegmentChain<double>;

}  // namespace croft
