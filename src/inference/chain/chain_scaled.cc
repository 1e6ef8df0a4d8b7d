// The scaled recursions, compiled once for each SIMD target.  docs/math/chain.md section 3.
#include "inference/chain/chain_scaled.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "inference/chain/scaled_limits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/chain/chain_scaled.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "core/simd_rows-inl.h"
#include "inference/chain/exp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// The recursions over one sequence; a struct so that each step fits a screen.
template <class T>
struct Recursion {
  const ChainScores<T>& scores;
  ForwardBackwardWorkspace<T>& work;
  const std::size_t length = scores.length(), labels = scores.labels();
  const std::size_t stride = scores.state.stride();
  const TransitionScores<T>& tied = *scores.transitions;

  const T* factors(std::size_t t) const {
    return scores.has_overlay(t) ? work.edge_factor.row(scores.overlay_of[t] * labels)
                                 : tied.factors().row(0);
  }

  // work.edge_factor for every overlay; adds their shifts to log Z.  False: spread too large.
  bool prepare_overlays() {
    const std::size_t edges = labels * labels;
    work.edge_factor.reshape(scores.overlay.rows(), labels);
    const RowTag<T> d;
    for (std::size_t t = 1; t < length; ++t) {
      if (!scores.has_overlay(t)) continue;
      T* block = work.edge_factor.row(scores.overlay_of[t] * labels);
      auto high = hn::Set(d, ChainScores<T>::kForbidden);
      auto low = hn::Set(d, -ChainScores<T>::kForbidden);
      std::size_t finite_edges = 0;
      for (std::size_t i = 0; i < labels; ++i) {
        const T *extra = scores.overlay_row(t, static_cast<Label>(i)), *log = tied.log().row(i);
        for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
          const auto v = hn::Add(hn::Load(d, log + c), hn::Load(d, extra + c));
          hn::Store(v, d, block + i * stride + c);
          high = hn::Max(high, v);
          const auto finite = hn::Gt(v, hn::Set(d, ChainScores<T>::kForbidden));
          low = hn::Min(low, hn::IfThenElse(finite, v, low));
          finite_edges += hn::CountTrue(d, finite);
        }
      }
      const T top = hn::GetLane(hn::MaxOfLanes(d, high));
      const T bottom = hn::GetLane(hn::MinOfLanes(d, low));
      work.checked = work.checked || finite_edges < edges;
      if (top == ChainScores<T>::kForbidden) {  // no edge at all is allowed
        std::fill(block, block + labels * stride, T{0});
        continue;
      }
      if (double{top} - double{bottom} > ScaledLimits<T>::kSpread) return false;
      for (std::size_t i = 0; i < labels; ++i) {
        exp_row(block + i * stride, top, stride, block + i * stride);
      }
      work.log_z.add(top);
    }
    return true;
  }

  // Which labels can be reached at t from those with previous > 0, ignoring the size of the scores:
  // reached[j] > 0.  `transposed`: from t back to t - 1 instead.
  void reachable(std::size_t t, const T* from, bool transposed, T* reached) const {
    const RowTag<T> d;
    T* indicator = work.row.row(2);
    for (std::size_t j = 0; j < stride; ++j) indicator[j] = from[j] > 0 ? 1 : 0;
    if (!scores.has_overlay(t)) {
      const auto& allowed = transposed ? tied.allowed_transposed() : tied.allowed();
      vec_mat(indicator, labels, allowed.row(0), stride,
              [&](std::size_t c, auto v) HWY_ATTR { hn::Store(v, d, reached + c); });
      return;
    }
    const T* block = factors(t);  // the spread is bounded: a factor of 0 is a forbidden edge
    std::fill(reached, reached + stride, T{0});
    for (std::size_t i = 0; i < labels; ++i) {
      for (std::size_t j = 0; j < labels; ++j) {
        if (block[i * stride + j] == 0) continue;
        if (transposed) {
          reached[i] += indicator[j];
        } else {
          reached[j] += indicator[i];
        }
      }
    }
  }

  ScaledOutcome forward() {
    const RowTag<T> d;
    work.log_z = CompensatedSum();
    work.checked = tied.any_forbidden() || tied.spread() > ScaledLimits<T>::kSpread;
    work.emission.reshape(length, labels);
    work.alpha.reshape(length, labels);
    work.row.reshape(3, labels);
    if (!scores.overlay_of.empty() && !prepare_overlays()) return ScaledOutcome::unsafe;
    double product = 1;  // of the normalisers since log_z last took their logarithm
    T inverse = 1;       // what brings the previous row to sum 1
    for (std::size_t t = 0; t < length; ++t) {
      T *emission = work.emission.row(t), *alpha = work.alpha.row(t);
      const T shift = row_max(scores.state.row(t), stride);
      if (shift == ChainScores<T>::kForbidden) return impossible();
      work.log_z.add(shift);
      exp_row(scores.state.row(t), shift, stride, emission);
      auto total = hn::Zero(d);
      if (t == 0) {
        for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
          const auto v = hn::Load(d, emission + c);
          hn::Store(v, d, alpha + c);
          total = hn::Add(total, v);
        }
      } else {
        const auto scale = hn::Set(d, inverse);
        vec_mat(work.alpha.row(t - 1), labels, factors(t), stride,
                [&](std::size_t c, auto v) HWY_ATTR {
                  const auto a = hn::Mul(v, hn::Mul(hn::Load(d, emission + c), scale));
                  hn::Store(a, d, alpha + c);
                  total = hn::Add(total, a);
                });
        if (!scores.has_overlay(t)) work.log_z.add(tied.shift());
      }
      const T norm = hn::GetLane(hn::SumOfLanes(d, total));
      if (work.checked) {
        const ScaledOutcome outcome = check_forward(t);
        if (outcome != ScaledOutcome::done) {
          return outcome == ScaledOutcome::impossible ? impossible() : outcome;
        }
      } else if (!(norm > 0)) {
        return impossible();
      }
      inverse = T{1} / norm;
      if (norm < T{kScaleAtOnce}) {
        scale_row(alpha, stride, inverse);
        inverse = 1;
      }
      product *= norm;
      if (product < 1e-20 || product > 1e20) {  // a normaliser can be as small as 1e-280
        work.log_z.add(std::log(product));
        product = 1;
      }
    }
    work.log_z.add(std::log(product));
    return ScaledOutcome::done;
  }

  ScaledOutcome impossible() {
    work.log_z = CompensatedSum(-std::numeric_limits<double>::infinity());
    return ScaledOutcome::impossible;
  }

  // (C.13): every label that can be reached must have kept a value well above underflow.
  ScaledOutcome check_forward(std::size_t t) const {
    if (all_large(work.alpha.row(t), scores.state.row(t))) return ScaledOutcome::done;
    T* reached = work.row.row(0);
    if (t == 0) {
      std::fill(reached, reached + labels, T{1});
    } else {
      reachable(t, work.alpha.row(t - 1), false, reached);
    }
    bool any = false;
    for (std::size_t j = 0; j < labels; ++j) {
      if (reached[j] == 0 || scores.state(t, j) == ChainScores<T>::kForbidden) continue;
      any = true;
      if (!(work.alpha(t, j) >= ScaledLimits<T>::kSmallest)) return ScaledOutcome::unsafe;
    }
    return any ? ScaledOutcome::done : ScaledOutcome::impossible;
  }

  // Whether every value of a label that is not forbidden is large, and there is one: then there is
  // no need to know which can be reached.
  bool all_large(const T* values, const T* state) const {
    bool any = false;
    for (std::size_t j = 0; j < labels; ++j) {
      if (state != nullptr && state[j] == ChainScores<T>::kForbidden) continue;
      any = true;
      if (!(values[j] >= ScaledLimits<T>::kSmallest)) return false;
    }
    return any;
  }

  // beta[i] = sum_j factor(t; i, j) suffix[j], for the labels i at t - 1.
  void backward_step(std::size_t t, const T* suffix, T* beta) const {
    const RowTag<T> d;
    if (!scores.has_overlay(t)) {
      vec_mat(suffix, labels, tied.factors_transposed().row(0), stride,
              [&](std::size_t c, auto v) HWY_ATTR { hn::Store(v, d, beta + c); });
      return;
    }
    const T* block = factors(t);
    std::fill(beta, beta + stride, T{0});
    for (std::size_t i = 0; i < labels; ++i) {
      auto sum = hn::Zero(d);
      for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
        sum = hn::MulAdd(hn::Load(d, block + i * stride + c), hn::Load(d, suffix + c), sum);
      }
      beta[i] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }

  bool check_backward(std::size_t t, const T* suffix, const T* beta) const {
    if (all_large(beta, nullptr)) return true;
    T* reached = work.row.row(1);
    reachable(t, suffix, true, reached);
    for (std::size_t i = 0; i < labels; ++i) {
      if (reached[i] > 0 && !(beta[i] >= ScaledLimits<T>::kSmallest)) return false;
    }
    return true;
  }

  // One pass from the end: the marginals of each position into `state`, and work.suffix.
  ScaledOutcome backward(T scale, T* state) {
    const RowTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    work.suffix.reshape(length, labels);
    T* beta = work.row.row(0);
    for (std::size_t c = 0; c < stride; ++c) beta[c] = c < labels ? 1 : 0;
    T inverse = 1;  // what brings the suffix that beta was made from to sum 1
    for (std::size_t t = length; t-- > 0;) {
      const T *alpha = work.alpha.row(t), *emission = work.emission.row(t);
      T *suffix = work.suffix.row(t), *marginal = state + t * stride;
      const auto factor = hn::Set(d, inverse);
      auto mass = hn::Zero(d), total = hn::Zero(d);
      for (std::size_t c = 0; c < stride;
           c += lanes) {  // (C.5), and the suffix that t - 1 will see
        const auto b = hn::Load(d, beta + c);
        const auto m = hn::Mul(hn::Load(d, alpha + c), b);
        const auto s = hn::Mul(hn::Mul(hn::Load(d, emission + c), factor), b);
        hn::Store(m, d, marginal + c);
        hn::Store(s, d, suffix + c);
        mass = hn::Add(mass, m);
        total = hn::Add(total, s);
      }
      // Before any scaling: scaled, a product that has lost its digits would look sound.
      if (work.checked && t > 0 && !suffix_is_safe(t)) return ScaledOutcome::unsafe;
      if (t > 0) {
        const T sum = hn::GetLane(hn::SumOfLanes(d, total));
        inverse = T{1} / sum;
        if (sum < T{kScaleAtOnce}) {
          scale_row(suffix, stride, inverse);
          inverse = 1;
        }
        backward_step(t, suffix, beta);
      }
      const T z = hn::GetLane(hn::SumOfLanes(d, mass));
      if (work.checked && !(z > ScaledLimits<T>::kSmallest)) return ScaledOutcome::unsafe;
      scale_row(marginal, stride, scale / z);
      if (t + 1 < length) scale_row(work.suffix.row(t + 1), stride, T{1} / z);
      if (work.checked && t > 0 && !check_backward(t, suffix, beta)) return ScaledOutcome::unsafe;
    }
    return ScaledOutcome::done;
  }

  // Where a suffix can be completed, its value must be well above underflow (C.13).
  bool suffix_is_safe(std::size_t t) const {
    const T* beta = work.row.row(0);
    for (std::size_t j = 0; j < labels; ++j) {
      if (beta[j] > 0 && scores.state(t, j) != ChainScores<T>::kForbidden &&
          !(work.suffix(t, j) >= ScaledLimits<T>::kSmallest)) {
        return false;
      }
    }
    return true;
  }

  // K vectors of columns, rows i .. i + R - 1:  pairs[r][c] = sum_t alpha[t-1][i+r] suffix[t][c].
  template <int R, int K>
  HWY_INLINE void pair_tile(std::size_t begin, std::size_t end, std::size_t i, std::size_t c,
                            T scale, double* transition) const {
    const RowTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    hn::Vec<RowTag<T>> sum[R][K];
    for (auto& row : sum) {
      for (auto& v : row) v = hn::Zero(d);
    }
    for (std::size_t t = begin; t < end; ++t) {
      const T *alpha = work.alpha.row(t - 1) + i, *suffix = work.suffix.row(t) + c;
      for (int k = 0; k < K; ++k) {
        const auto s = hn::Load(d, suffix + k * lanes);
        for (int r = 0; r < R; ++r) sum[r][k] = hn::MulAdd(hn::Set(d, alpha[r]), s, sum[r][k]);
      }
    }
    HWY_ALIGN T product[kLanePadding];
    for (int r = 0; r < R; ++r) {
      for (int k = 0; k < K; ++k) {
        const std::size_t column = c + k * lanes;
        const auto f = hn::Load(d, tied.factors().row(i + r) + column);
        hn::Store(hn::Mul(hn::Mul(sum[r][k], f), hn::Set(d, scale)), d, product);
        double* to = transition + (i + r) * stride + column;
        for (std::size_t lane = 0; lane < lanes; ++lane) to[lane] += double{product[lane]};
      }
    }
  }

  template <int R>
  HWY_INLINE void pair_rows(std::size_t begin, std::size_t end, std::size_t i, T scale,
                            double* transition) const {
    const std::size_t lanes = hn::Lanes(RowTag<T>());
    std::size_t c = 0;
    for (; c + 3 * lanes <= stride; c += 3 * lanes) {
      pair_tile<R, 3>(begin, end, i, c, scale, transition);
    }
    for (; c < stride; c += lanes) pair_tile<R, 1>(begin, end, i, c, scale, transition);
  }

  // (C.6) summed over the positions [begin, end), all without overlay.
  void add_pairs(std::size_t begin, std::size_t end, T scale, double* transition) const {
    std::size_t i = 0;
    for (; i + 4 <= labels; i += 4) pair_rows<4>(begin, end, i, scale, transition);
    for (; i + 2 <= labels; i += 2) pair_rows<2>(begin, end, i, scale, transition);
    if (i < labels) pair_rows<1>(begin, end, i, scale, transition);
  }

  // (C.6) at t, which has an overlay.
  void add_overlay_pairs(std::size_t t, T scale, const ChainGradient<T>& out) const {
    const T *block = factors(t), *alpha = work.alpha.row(t - 1), *suffix = work.suffix.row(t);
    T* to = out.overlay == nullptr ? nullptr : out.overlay + scores.overlay_of[t] * labels * stride;
    const RowTag<T> d;
    HWY_ALIGN T product[kLanePadding];
    for (std::size_t i = 0; i < labels; ++i) {
      const auto a = hn::Set(d, alpha[i] * scale);
      for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
        const auto p =
            hn::Mul(hn::Mul(a, hn::Load(d, block + i * stride + c)), hn::Load(d, suffix + c));
        if (to != nullptr) hn::Store(p, d, to + i * stride + c);
        if (out.transition == nullptr) continue;
        hn::Store(p, d, product);
        double* sum = out.transition + i * stride + c;
        for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) sum[lane] += double{product[lane]};
      }
    }
  }

  void edge_marginals(T scale, const ChainGradient<T>& out) const {
    constexpr std::size_t kRun = 256;  // positions summed in T before the sum goes on in double
    for (std::size_t t = 1; t < length;) {
      if (scores.has_overlay(t)) {
        add_overlay_pairs(t++, scale, out);
        continue;
      }
      std::size_t end = t + 1;
      while (end < length && end < t + kRun && !scores.has_overlay(end)) ++end;
      if (out.transition != nullptr) add_pairs(t, end, scale, out.transition);
      t = end;
    }
  }
};

ScaledOutcome forward_float(const ChainScores<float>& s, ForwardBackwardWorkspace<float>& w) {
  return Recursion<float>{s, w}.forward();
}
ScaledOutcome forward_double(const ChainScores<double>& s, ForwardBackwardWorkspace<double>& w) {
  return Recursion<double>{s, w}.forward();
}

template <class T>
HWY_INLINE ScaledOutcome backward_and_pairs(const ChainScores<T>& s, double scale,
                                            ForwardBackwardWorkspace<T>& w,
                                            const ChainGradient<T>& out) {
  Recursion<T> recursion{s, w};
  const ScaledOutcome outcome = recursion.backward(static_cast<T>(scale), out.state);
  if (outcome == ScaledOutcome::done) recursion.edge_marginals(static_cast<T>(scale), out);
  return outcome;
}
ScaledOutcome backward_float(const ChainScores<float>& s, double scale,
                             ForwardBackwardWorkspace<float>& w, const ChainGradient<float>& out) {
  return backward_and_pairs(s, scale, w, out);
}
ScaledOutcome backward_double(const ChainScores<double>& s, double scale,
                              ForwardBackwardWorkspace<double>& w,
                              const ChainGradient<double>& out) {
  return backward_and_pairs(s, scale, w, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_double);
HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);

ScaledOutcome scaled_forward(const ChainScores<float>& s, ForwardBackwardWorkspace<float>& w) {
  return HWY_DYNAMIC_DISPATCH(forward_float)(s, w);
}
ScaledOutcome scaled_forward(const ChainScores<double>& s, ForwardBackwardWorkspace<double>& w) {
  return HWY_DYNAMIC_DISPATCH(forward_double)(s, w);
}
ScaledOutcome scaled_backward(const ChainScores<float>& s, double scale,
                              ForwardBackwardWorkspace<float>& w, const ChainGradient<float>& out) {
  return HWY_DYNAMIC_DISPATCH(backward_float)(s, scale, w, out);
}
ScaledOutcome scaled_backward(const ChainScores<double>& s, double scale,
                              ForwardBackwardWorkspace<double>& w,
                              const ChainGradient<double>& out) {
  return HWY_DYNAMIC_DISPATCH(backward_double)(s, scale, w, out);
}

}  // namespace croft
#endif
