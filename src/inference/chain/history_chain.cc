#include "croft/inference/history_chain.h"

#include <algorithm>

namespace croft {
namespace {

template <class Real>
Real sum(const Real* first, const Real* last) {
  Real total = 0;
  for (; first < last; ++first) total += *first;
  return total;
}

double sum_of(const HistoryPair& pair, std::span<const double> d_state) {
  return sum(d_state.data() + pair.first, d_state.data() + pair.last);
}

// Those of at most n labels, which end states.
void add_grams(const LabelHistories& h, std::span<const double> d_state, std::span<double> d_gram) {
  for (Label s = 0; s < h.size(); ++s) {
    for (std::uint32_t k = h.state_gram_begin[s]; k < h.state_gram_begin[s + 1]; ++k) {
      d_gram[h.state_gram[k]] += d_state[s];
    }
  }
}

}  // namespace

template <class Real>
void tied_scores(const LabelHistories& h, std::span<const double> pair,
                 std::span<const double> gram, std::span<Real> tied) {
  for (Label s = 0; s < h.size(); ++s) {
    double value = 0;
    for (std::uint32_t k = h.state_gram_begin[s]; k < h.state_gram_begin[s + 1]; ++k) {
      value += gram[h.state_gram[k]];
    }
    tied[s] = static_cast<Real>(value);
  }
  for (std::size_t k = 0; k < h.pairs.size(); ++k) {
    const auto value = static_cast<Real>(pair[k]);
    for (Label s = h.pairs[k].first; s < h.pairs[k].last; ++s) tied[s] += value;
  }
}

void project_states(const LabelHistories& h, std::span<const double> d_state,
                    std::span<double> d_pair, std::span<double> d_gram) {
  for (std::size_t k = 0; k < h.pairs.size(); ++k) {
    d_pair[k] += sum_of(h.pairs[k], d_state);
  }
  add_grams(h, d_state, d_gram);
}

template <class Real>
HistoryScores<Real>::HistoryScores(const LabelHistories& histories) : histories_(histories) {}

template <class Real>
void HistoryScores<Real>::assign(const TransitionScores<Real>& pairs,
                                 std::span<const double> gram) {
  const LabelHistories& h = histories_;
  pair_.clear();
  for (const HistoryPair& pair : h.pairs) pair_.push_back(double{pairs.at(pair.from, pair.to)});
  score_.resize(h.size());
  tied_scores(h, pair_, gram, std::span(score_));
  tied_.assign(h.order, h.size(), TransitionScores<Real>::kForbidden);
  for (Label s = 0; s < h.size(); ++s) tied_(h.length_of(s) - 1, s) = score_[s];
  std::vector<Real> log(h.edges.size(), Real{0});
  for (std::size_t e = 0; e < log.size(); ++e) {
    if (h.edge_gram[e] != LabelHistories::kNone) log[e] = static_cast<Real>(gram[h.edge_gram[e]]);
  }
  transitions_.assign(h.size(), Background::forbidden, h.edges, std::span<const Real>(log));
}

template <class Real>
void HistoryScores<Real>::lift(const ChainScores<Real>& base, ChainScores<Real>& lifted) const {
  const LabelHistories& h = histories_;
  lifted.transitions = &transitions_;
  lifted.overlay_of.clear();
  lifted.overlay.reshape(0, h.size());
  lifted.state.reshape(base.length(), h.size());
  for (std::size_t t = 0; t < base.length(); ++t) {
    const Real* tied = tied_.row(std::min(t + 1, h.order) - 1);
    const Real* state = base.state.row(t);
    Real* out = lifted.state.row(t);
    for (Label j = 0; j < h.labels; ++j) {
      for (Label s = h.label_begin[j]; s < h.label_begin[j + 1]; ++s) out[s] = state[j] + tied[s];
    }
    std::fill(out + h.size(), out + lifted.state.stride(), ChainScores<Real>::kForbidden);
    if (!base.has_overlay(t)) continue;
    for (const HistoryPair& pair : h.pairs) {
      const Real extra = base.overlay_row(t, pair.from)[pair.to];
      for (Label s = pair.first; s < pair.last; ++s) out[s] += extra;
    }
  }
}

template <class Real>
void project(const LabelHistories& h, const ChainScores<Real>& base, const Real* d_state,
             const ChainGradient<Real>& out, std::span<double> d_tied) {
  const std::size_t stride = padded(h.size()), base_stride = base.state.stride();
  for (std::size_t t = 0; t < base.length(); ++t) {
    const Real* d = d_state + t * stride;
    Real* state = out.state + t * base_stride;
    for (Label j = 0; j < h.labels; ++j) {
      state[j] = sum(d + h.label_begin[j], d + h.label_begin[j + 1]);
    }
    std::fill(state + h.labels, state + base_stride, Real{0});
    for (std::size_t s = 0; s < h.size(); ++s) d_tied[s] += double{d[s]};
    if (!base.has_overlay(t) || out.overlay == nullptr) continue;
    Real* overlay = out.overlay + base.overlay_of[t] * h.labels * base_stride;
    std::fill(overlay, overlay + h.labels * base_stride, Real{0});
    for (const HistoryPair& pair : h.pairs) {
      overlay[pair.from * base_stride + pair.to] = sum(d + pair.first, d + pair.last);
    }
  }
}

template <class Real>
void project_tied(const LabelHistories& h, std::span<const double> d_tied,
                  std::span<const double> d_transition, const TransitionScores<Real>& pairs,
                  std::span<double> d_pair, std::span<double> d_gram) {
  for (const HistoryPair& pair : h.pairs) {
    const std::uint32_t cell = pairs.cell(pair.from, pair.to);
    if (cell != TransitionScores<Real>::kNoCell) d_pair[cell] += sum_of(pair, d_tied);
  }
  add_grams(h, d_tied, d_gram);
  for (std::size_t e = 0; e < d_transition.size(); ++e) {
    if (h.edge_gram[e] != LabelHistories::kNone) d_gram[h.edge_gram[e]] += d_transition[e];
  }
}

template void tied_scores(const LabelHistories&, std::span<const double>, std::span<const double>,
                          std::span<float>);
template void tied_scores(const LabelHistories&, std::span<const double>, std::span<const double>,
                          std::span<double>);
template class HistoryScores<float>;
template class HistoryScores<double>;
template void project(const LabelHistories&, const ChainScores<float>&, const float*,
                      const ChainGradient<float>&, std::span<double>);
template void project(const LabelHistories&, const ChainScores<double>&, const double*,
                      const ChainGradient<double>&, std::span<double>);
template void project_tied(const LabelHistories&, std::span<const double>, std::span<const double>,
                           const TransitionScores<float>&, std::span<double>, std::span<double>);
template void project_tied(const LabelHistories&, std::span<const double>, std::span<const double>,
                           const TransitionScores<double>&, std::span<double>, std::span<double>);

}  // namespace croft
