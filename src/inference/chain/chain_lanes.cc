// One chain to a SIMD lane, compiled once for each SIMD target.  docs/math/large_label_sets.md.
#include "inference/chain/chain_lanes.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/chain/chain_lanes.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
#include "inference/chain/exp_row-inl.h"
#include "inference/chain/lane_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// The smallest finite score of a row; +inf when there is none.
template <class T>
HWY_INLINE T row_min_finite(const T* row, std::size_t stride) {
  const RowTag<T> d;
  const auto forbidden = hn::Set(d, ChainScores<T>::kForbidden);
  const auto none = hn::Set(d, -ChainScores<T>::kForbidden);
  auto low = none;
  for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
    const auto v = hn::Load(d, row + c);
    low = hn::Min(low, hn::IfThenElse(hn::Gt(v, forbidden), v, none));
  }
  return hn::GetLane(hn::MinOfLanes(d, low));
}

// The recursions of chain_scaled.cc, every row brought to sum 1 at once.  A lane is active while
// its chain lasts and nothing is wrong with it; the others hold zeros.
template <class T, int N>
struct LaneRecursion {
  using P = Pack<T, N>;
  LaneChains<T>& c;
  const TransitionScores<T>& tied = *c.transitions;
  const EdgeSharing* sharing = tied.sharing().get();
  const std::size_t labels = tied.labels(), row_length = padded(labels);
  const bool checked = tied.any_forbidden() || tied.spread() > ScaledLimits<T>::kSpread;

  T* at(T* table, std::size_t t) const { return table + t * c.stride; }
  T* scratch(std::size_t row) const { return c.scratch + row * row_length * N; }
  bool active(std::size_t lane, std::size_t t) const {
    return lane < c.lanes && c.outcome[lane] == ScaledOutcome::done && t < c.scores[lane]->length();
  }
  // value(lane) for each lane.
  template <class Value>
  static HWY_INLINE P by_lane(const Value& value) {
    HWY_ALIGN T numbers[N];
    for (int k = 0; k < N; ++k) numbers[k] = value(static_cast<std::size_t>(k));
    return P::load(numbers);
  }

  bool listed() const { return tied.sparse() || (sharing != nullptr && !sharing->by_classes()); }
  template <class Finish>
  HWY_INLINE void step_forward(const T* alpha, const Finish& finish) const {
    if (sharing != nullptr && sharing->by_classes()) {
      multiply_classes<T, N>(alpha, sharing->from, sharing->from_classes, sharing->to,
                             sharing->to_classes, tied.class_factors().data(), sharing->to_classes,
                             1, scratch(3), scratch(4), finish);
    } else if (listed()) {
      multiply_sparse<T, N>(alpha, labels, tied.background_factor(), tied.arriving(), finish);
    } else {
      multiply_dense<T, N>(alpha, labels, tied.factors(), finish);
    }
  }
  template <class Finish>
  HWY_INLINE void step_backward(const T* suffix, const Finish& finish) const {
    if (sharing != nullptr && sharing->by_classes()) {
      multiply_classes<T, N>(suffix, sharing->to, sharing->to_classes, sharing->from,
                             sharing->from_classes, tied.class_factors().data(), 1,
                             sharing->to_classes, scratch(3), scratch(4), finish);
    } else if (listed()) {
      multiply_sparse<T, N>(suffix, labels, tied.background_factor(), tied.leaving(), finish);
    } else {
      multiply_dense<T, N>(suffix, labels, tied.factors_transposed(), finish);
    }
  }

  void give_up(std::size_t lane, ScaledOutcome outcome) {
    c.outcome[lane] = outcome;
    if (outcome == ScaledOutcome::impossible) {
      c.log_z[lane] = CompensatedSum(-std::numeric_limits<double>::infinity());
    }
  }

  // exp(state - its largest) at t; zeros in the lanes that are not active.
  void load_emissions(std::size_t t) {
    T* out = at(c.emission, t);
    T* stage = N == 1 ? out : scratch(0);
    const T* rows[N];
    for (std::size_t k = 0; k < N; ++k) {
      T* row = stage + k * row_length;
      rows[k] = row;
      if (active(k, t)) {
        const T* state = c.scores[k]->state.row(t);
        const T high = row_max(state, row_length);
        if (high == ChainScores<T>::kForbidden) {
          give_up(k, ScaledOutcome::impossible);
        } else if (checked && double{row_min_finite(state, row_length)} - double{high} <
                                  ScaledLimits<T>::kLogSmallest) {
          give_up(k, ScaledOutcome::unsafe);
        } else {
          c.log_z[k].add(double{high});
          exp_row(state, high, row_length, row);
          continue;
        }
      }
      std::fill(row, row + row_length, T{0});
    }
    if constexpr (N > 1) rows_to_lanes<T, N>(rows, row_length, out);
  }

  // What a value must not fall below; nothing in the lanes that are not active.
  P smallest(std::size_t t) const {
    return by_lane(
        [&](std::size_t k) { return active(k, t) ? T{ScaledLimits<T>::kSmallest} : T{-1}; });
  }

  // (C.13) for label j: a lane whose value is too small, though an allowed edge leads to it from
  // (or from it to) a label where `from` is positive, is unsafe.  `possible`: zero where the label
  // is masked; may be null.
  void check(std::size_t j, const T* value, const T* from, const T* possible, std::size_t t,
             bool forward) {
    for (std::size_t k = 0; k < c.lanes; ++k) {
      if (!active(k, t) || value[k] >= ScaledLimits<T>::kSmallest) continue;
      if (possible != nullptr && possible[k] == 0) continue;
      if (connected(j, from + k, forward)) give_up(k, ScaledOutcome::unsafe);
    }
  }
  bool connected(std::size_t j, const T* from, bool forward) const {
    if (!tied.sparse()) {
      const T* allowed = (forward ? tied.allowed_transposed() : tied.allowed()).row(j);
      for (std::size_t i = 0; i < labels; ++i) {
        if (allowed[i] != 0 && from[i * N] > 0) return true;
      }
      return false;
    }
    const EdgeLists<T>& lists = forward ? tied.arriving() : tied.leaving();
    std::uint32_t k = lists.begin[j];
    const std::uint32_t end = lists.begin[j + 1];
    if (tied.background() == Background::forbidden) {
      for (; k < end; ++k) {
        if (lists.log[k] > ChainScores<T>::kForbidden &&
            from[std::size_t{lists.other[k]} * N] > 0) {
          return true;
        }
      }
      return false;
    }
    for (std::size_t i = 0; i < labels; ++i) {
      const bool listed = k < end && lists.other[k] == i;
      const bool allowed = !listed || lists.log[k] > ChainScores<T>::kForbidden;
      k += listed;
      if (allowed && from[i * N] > 0) return true;
    }
    return false;
  }

  void forward() {
    double product[N];  // of the normalisers since log_z last took their logarithm
    std::fill(product, product + N, 1.0);
    for (std::size_t t = 0; t < c.longest; ++t) {
      load_emissions(t);
      const T* emission = at(c.emission, t);
      T* alpha = at(c.alpha, t);
      P total[4] = {P::zero(), P::zero(), P::zero(), P::zero()};
      if (t == 0) {
        for (std::size_t j = 0; j < labels; ++j) {
          const P e = P::load(emission + j * N);
          e.store(alpha + j * N);
          total[j % 4] = total[j % 4] + e;
        }
      } else {
        const P limit = smallest(t);
        const T* previous = at(c.alpha, t - 1);
        step_forward(previous, [&](std::size_t j, P v) HWY_ATTR {
          const P a = v * P::load(emission + j * N);
          a.store(alpha + j * N);
          total[j % 4] = total[j % 4] + a;
          if (checked && a.any_below(limit)) {
            check(j, alpha + j * N, previous, emission + j * N, t, true);
          }
        });
      }
      const P inverse = normalise((total[0] + total[1]) + (total[2] + total[3]), t, product);
      for (std::size_t j = 0; j < labels; ++j) {
        (P::load(alpha + j * N) * inverse).store(alpha + j * N);
      }
    }
    for (std::size_t k = 0; k < c.lanes; ++k) {
      if (c.outcome[k] == ScaledOutcome::done) c.log_z[k].add(std::log(product[k]));
    }
  }

  // 1 / total, which goes into log Z; 0 in the lanes that are not active.
  P normalise(const P& total, std::size_t t, double* product) {
    HWY_ALIGN T norm[N];
    total.store(norm);
    for (std::size_t k = 0; k < N; ++k) {
      if (active(k, t) && !(norm[k] > 0)) {
        give_up(k, checked ? ScaledOutcome::unsafe : ScaledOutcome::impossible);
      }
      if (!active(k, t)) {
        norm[k] = 0;
        continue;
      }
      if (t > 0) c.log_z[k].add(tied.shift());
      product[k] *= double{norm[k]};
      if (product[k] < 1e-20 || product[k] > 1e20) {
        c.log_z[k].add(std::log(product[k]));
        product[k] = 1;
      }
      norm[k] = T{1} / norm[k];
    }
    return P::load(norm);
  }

  void backward() {
    T* beta = scratch(0);
    fill_last(c.longest, beta);
    for (std::size_t t = c.longest; t-- > 0;) {
      const P inverse = multiply_beta(t, beta);
      T* suffix = at(c.suffix, t);
      if (t == 0) break;
      for (std::size_t j = 0; j < labels; ++j) {
        (P::load(suffix + j * N) * inverse).store(suffix + j * N);
      }
      const P limit = smallest(t),
              keep = by_lane([&](std::size_t k) { return active(k, t) ? T{1} : T{0}; });
      const P last = by_lane([&](std::size_t k) { return ends(k, t) ? T{1} : T{0}; });
      step_backward(suffix, [&](std::size_t i, P v) HWY_ATTR {
        if (checked && v.any_below(limit)) {
          HWY_ALIGN T value[N];
          v.store(value);
          check(i, value, suffix, nullptr, t, false);
        }
        last.plus(v, keep).store(beta + i * N);
      });
    }
  }
  bool ends(std::size_t lane, std::size_t t) const {
    return lane < c.lanes && c.scores[lane]->length() == t;
  }
  void fill_last(std::size_t t, T* beta) const {
    const P last = by_lane([&](std::size_t k) { return ends(k, t) ? T{1} : T{0}; });
    for (std::size_t j = 0; j < labels; ++j) last.store(beta + j * N);
  }

  // The marginals at t, which leave; and emission * beta into suffix.  Returns what brings it to
  // sum 1.
  P multiply_beta(std::size_t t, const T* beta) {
    const T *emission = at(c.emission, t), *alpha = at(c.alpha, t);
    T *suffix = at(c.suffix, t), *marginal = N == 1 ? c.state[0] + t * row_length : scratch(1);
    P mass[4], total[4];
    for (int q = 0; q < 4; ++q) mass[q] = total[q] = P::zero();
    const P limit = smallest(t);
    for (std::size_t j = 0; j < labels; ++j) {
      const P b = P::load(beta + j * N);
      const P m = P::load(alpha + j * N) * b, s = P::load(emission + j * N) * b;
      m.store(marginal + j * N);
      s.store(suffix + j * N);
      mass[j % 4] = mass[j % 4] + m;
      total[j % 4] = total[j % 4] + s;
      if (checked && t > 0 && s.any_below(limit)) check_suffix(t, j, beta);
    }
    HWY_ALIGN T z[N], r[N];
    ((mass[0] + mass[1]) + (mass[2] + mass[3])).store(z);
    ((total[0] + total[1]) + (total[2] + total[3])).store(r);
    for (std::size_t k = 0; k < N; ++k) {
      if (checked && active(k, t) && !(z[k] > ScaledLimits<T>::kSmallest)) {
        give_up(k, ScaledOutcome::unsafe);
      }
      z[k] = active(k, t) ? T{1} / z[k] : T{0};
      r[k] = active(k, t) ? T{1} / r[k] : T{0};
    }
    write_marginals(t, P::load(z), marginal);
    return P::load(r);
  }
  void check_suffix(std::size_t t, std::size_t j, const T* beta) {
    for (std::size_t k = 0; k < c.lanes; ++k) {
      if (active(k, t) && beta[j * N + k] > 0 && at(c.emission, t)[j * N + k] > 0 &&
          !(at(c.suffix, t)[j * N + k] >= ScaledLimits<T>::kSmallest)) {
        give_up(k, ScaledOutcome::unsafe);
      }
    }
  }

  // p(y_t = j | x) times scale into each lane's row; suffix of t + 1 divided by its normaliser
  // here.
  void write_marginals(std::size_t t, const P& inverse_mass, T* marginal) {
    const P scale =
        by_lane([&](std::size_t k) { return k < c.lanes ? static_cast<T>(c.scale[k]) : T{0}; });
    const P factor = inverse_mass * scale;
    for (std::size_t j = 0; j < labels; ++j) {
      (P::load(marginal + j * N) * factor).store(marginal + j * N);
    }
    if (t + 1 < c.longest) {
      T* next = at(c.suffix, t + 1);
      const P& to =
          N == 1 ? inverse_mass : factor;  // with one lane the table is kept for questions
      for (std::size_t j = 0; j < labels; ++j) (P::load(next + j * N) * to).store(next + j * N);
    }
    std::fill(marginal + labels * N, marginal + row_length * N, T{0});
    if constexpr (N > 1) {
      T* rows[N];
      for (std::size_t k = 0; k < N; ++k) {
        rows[k] = active(k, t) ? c.state[k] + t * row_length : scratch(2);
      }
      lanes_to_rows<T, N>(marginal, row_length, rows);
    }
  }

  // (C.6), summed over positions and lanes.
  void add_pairs() {
    for (std::size_t k = 0; k < c.lanes; ++k) {
      if (c.outcome[k] != ScaledOutcome::done) clear_suffix(k);
    }
    const double scale = N == 1 ? c.scale[0] : 1;
    double listed_mass = 0;
    constexpr std::size_t kRun = 256;  // positions summed in T before the sum goes on in double
    for (std::size_t t = 1; t < c.longest; t += kRun) {
      const std::size_t end = std::min(c.longest, t + kRun);
      if (listed()) {
        listed_mass += add_sparse_pairs(t, end, scale);
      } else if (sharing != nullptr) {
        add_shared_pairs(t, end, scale);
      } else {
        add_all_pairs<T, N>(c.alpha, c.suffix, c.stride, t, end, tied.factors(), scale,
                            c.transition);
      }
    }
    if (sharing == nullptr || sharing->by_classes() || tied.background_factor() == 0) return;
    // Every position but the first uses one edge: the common score has what the others leave.
    double mass = 0;
    for (std::size_t k = 0; k < c.lanes; ++k) {
      if (c.outcome[k] != ScaledOutcome::done || c.scores[k]->length() == 0) continue;
      mass += c.scale[k] * static_cast<double>(c.scores[k]->length() - 1);
    }
    c.transition[tied.cell(sharing->common.from, sharing->common.to)] += mass - listed_mass;
  }
  void add_shared_pairs(std::size_t t, std::size_t end, double scale) {
    const std::size_t sums = sharing->first.size();
    std::fill(c.pairs, c.pairs + sums * N, T{0});
    add_class_pairs<T, N>(c.alpha, c.suffix, c.stride, t, end, *sharing, scratch(3), scratch(4),
                          c.pairs);
    for (std::size_t k = 0; k < sums; ++k) {
      c.transition[tied.cell(sharing->first[k].from, sharing->first[k].to)] +=
          scale * double{P::load(c.pairs + k * N).sum()} * double{tied.class_factors()[k]};
    }
  }
  // Returns what it adds in all.
  double add_sparse_pairs(std::size_t t, std::size_t end, double scale) {
    constexpr std::size_t kChunk = P::kVectors == 1 ? 8 : 4;
    const EdgeLists<T>& arriving = tied.arriving();
    std::fill(c.pairs, c.pairs + arriving.size() * N, T{0});
    for (; t + kChunk <= end; t += kChunk) {
      add_listed_pairs<kChunk, T, N>(c.alpha, c.suffix, c.stride, t, labels, arriving, c.pairs);
    }
    for (; t < end; ++t) {
      add_listed_pairs<1, T, N>(c.alpha, c.suffix, c.stride, t, labels, arriving, c.pairs);
    }
    double all = 0;
    for (std::size_t k = 0; k < arriving.size(); ++k) {
      const double sum =
          scale * double{P::load(c.pairs + k * N).sum()} * double{arriving.factor[k]};
      c.transition[arriving.cell[k]] += sum;
      all += sum;
    }
    return all;
  }
  void clear_suffix(std::size_t lane) {
    for (std::size_t t = 0; t < c.longest; ++t) {
      for (std::size_t j = 0; j < labels; ++j) at(c.suffix, t)[j * N + lane] = 0;
    }
  }
};

template <class T, int N>
HWY_INLINE void backward_and_pairs(LaneChains<T>& chains) {
  LaneRecursion<T, N> recursion{chains};
  recursion.backward();
  if (chains.transition != nullptr) recursion.add_pairs();
}

void forward_float(LaneChains<float>& c, std::size_t lanes) {
  lanes == 1 ? LaneRecursion<float, 1>{c}.forward()
             : LaneRecursion<float, kChainLanes>{c}.forward();
}
void forward_double(LaneChains<double>& c, std::size_t lanes) {
  lanes == 1 ? LaneRecursion<double, 1>{c}.forward()
             : LaneRecursion<double, kChainLanes>{c}.forward();
}
void backward_float(LaneChains<float>& c, std::size_t lanes) {
  lanes == 1 ? backward_and_pairs<float, 1>(c) : backward_and_pairs<float, kChainLanes>(c);
}
void backward_double(LaneChains<double>& c, std::size_t lanes) {
  lanes == 1 ? backward_and_pairs<double, 1>(c) : backward_and_pairs<double, kChainLanes>(c);
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

template <>
void lanes_forward(LaneChains<float>& chains, std::size_t lanes) {
  HWY_DYNAMIC_DISPATCH(forward_float)(chains, lanes);
}
template <>
void lanes_forward(LaneChains<double>& chains, std::size_t lanes) {
  HWY_DYNAMIC_DISPATCH(forward_double)(chains, lanes);
}
template <>
void lanes_backward(LaneChains<float>& chains, std::size_t lanes) {
  HWY_DYNAMIC_DISPATCH(backward_float)(chains, lanes);
}
template <>
void lanes_backward(LaneChains<double>& chains, std::size_t lanes) {
  HWY_DYNAMIC_DISPATCH(backward_double)(chains, lanes);
}

}  // namespace croft
#endif
