#include "croft/inference/chain_viterbi.h"

#include <algorithm>
#include <limits>

#include "inference/chain/chain_best_prefixes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/chain/chain_viterbi.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// out[c] = max_i previous[i] + log[i][c] (+ extra[i][c]) for K vectors of columns starting at c.
template <int K, class T>
HWY_INLINE void max_plus_block(const T* HWY_RESTRICT previous, std::size_t n, const T* log,
                               const T* extra, std::size_t stride, std::size_t c, T* out) {
  const RowTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<RowTag<T>> best[2][K];
  for (auto& set : best) {
    for (auto& v : set) v = hn::Set(d, ChainScores<T>::kForbidden);
  }
  const auto visit = [&](std::size_t i, int s) HWY_ATTR {
    const auto p = hn::Set(d, previous[i]);
    for (int k = 0; k < K; ++k) {
      const std::size_t at = i * stride + c + k * lanes;
      auto v = hn::Add(p, hn::Load(d, log + at));
      if (extra != nullptr) v = hn::Add(v, hn::Load(d, extra + at));
      best[s][k] = hn::Max(best[s][k], v);
    }
  };
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    visit(i, 0);
    visit(i + 1, 1);
  }
  if (i < n) visit(i, 0);
  for (int k = 0; k < K; ++k) {
    hn::Store(hn::Max(best[0][k], best[1][k]), d, out + c + k * lanes);
  }
}

template <class T>
HWY_INLINE void max_plus(const T* previous, std::size_t n, const T* log, const T* extra,
                         std::size_t stride, T* out) {
  const std::size_t lanes = hn::Lanes(RowTag<T>());
  std::size_t c = 0;
  for (; c + 4 * lanes <= stride; c += 4 * lanes) {
    max_plus_block<4>(previous, n, log, extra, stride, c, out);
  }
  switch ((stride - c) / lanes) {
    case 3:
      max_plus_block<3>(previous, n, log, extra, stride, c, out);
      break;
    case 2:
      max_plus_block<2>(previous, n, log, extra, stride, c, out);
      break;
    case 1:
      max_plus_block<1>(previous, n, log, extra, stride, c, out);
      break;
    default:
      break;
  }
}

// (C.8) for dense transitions.  False when no labelling is allowed.
template <class T>
HWY_INLINE bool dense_prefixes(const ChainScores<T>& scores, ViterbiWorkspace<T>& work) {
  const RowTag<T> d;
  const std::size_t stride = scores.state.stride();
  work.best.reshape(scores.length(), scores.labels());
  for (std::size_t t = 0; t < scores.length(); ++t) {
    T* best = work.best.row(t);
    const T* state = scores.state.row(t);
    if (t == 0) {
      std::fill(best, best + scores.labels(), T{0});
      std::fill(best + scores.labels(), best + stride, ChainScores<T>::kForbidden);
    } else {
      max_plus(work.best.row(t - 1), scores.labels(), scores.transitions->log().row(0),
               scores.overlay_row(t, 0), stride, best);
    }
    const T highest = row_max(state, stride);  // first: a large score would round the others away
    if (highest == ChainScores<T>::kForbidden) return false;
    for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
      const auto relative = hn::Sub(hn::Load(d, state + c), hn::Set(d, highest));
      hn::Store(hn::Add(hn::Load(d, best + c), relative), d, best + c);
    }
    const T top = row_max(best, stride);
    if (top == ChainScores<T>::kForbidden) return false;
    const auto shift = hn::Set(d, top);  // keeps the digits: only differences matter
    for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
      hn::Store(hn::Sub(hn::Load(d, best + c), shift), d, best + c);
    }
  }
  return true;
}

bool dense_prefixes_float(const ChainScores<float>& s, ViterbiWorkspace<float>& w) {
  return dense_prefixes(s, w);
}
bool dense_prefixes_double(const ChainScores<double>& s, ViterbiWorkspace<double>& w) {
  return dense_prefixes(s, w);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(dense_prefixes_float);
HWY_EXPORT(dense_prefixes_double);

bool best_prefixes(const ChainScores<float>& scores, ViterbiWorkspace<float>& work) {
  if (scores.transitions->sparse()) return sparse_best_prefixes(scores, work);
  return HWY_DYNAMIC_DISPATCH(dense_prefixes_float)(scores, work);
}
bool best_prefixes(const ChainScores<double>& scores, ViterbiWorkspace<double>& work) {
  if (scores.transitions->sparse()) return sparse_best_prefixes(scores, work);
  return HWY_DYNAMIC_DISPATCH(dense_prefixes_double)(scores, work);
}

template <class Real>
double viterbi(const ChainScores<Real>& scores, ViterbiWorkspace<Real>& work, std::span<Label> y) {
  if (scores.length() == 0) return 0;
  if (!best_prefixes(scores, work)) return -std::numeric_limits<double>::infinity();
  std::size_t t = scores.length() - 1;
  const auto last = work.best[t];
  y[t] = static_cast<Label>(std::max_element(last.begin(), last.end()) - last.begin());
  for (; t > 0; --t) {
    Real top = ChainScores<Real>::kForbidden;
    y[t - 1] = 0;  // a label, whatever the scores are
    for_each_predecessor(scores, work.best, t, y[t], [&](Label i, Real v) {
      if (v > top) {
        top = v;
        y[t - 1] = i;
      }
    });
  }
  return score<Real>(scores, y);
}

template double viterbi(const ChainScores<float>&, ViterbiWorkspace<float>&, std::span<Label>);
template double viterbi(const ChainScores<double>&, ViterbiWorkspace<double>&, std::span<Label>);

}  // namespace croft
#endif
