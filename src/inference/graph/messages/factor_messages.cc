#include "inference/graph/messages/factor_messages.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>

#include "croft/core/error.h"
#include "inference/chain/semirings.h"

namespace croft {
namespace {

constexpr double kMostCounted = 1 << 28;  // numbers of a sum counter: 2 GB, and a second or two

// Two variables: the rest's sum is added up from both sides, not by a difference.
template <class S>
void potts_messages(double equal, double unequal, std::size_t from_states, std::size_t to_states,
                    const double* from, double* to, std::vector<double>& after) {
  after.assign(from_states + 1, S::zero);
  for (std::size_t x = from_states; x-- > 0;) after[x] = S::plus(after[x + 1], from[x]);
  double before = S::zero;
  for (std::size_t x = 0; x < to_states; ++x) {
    if (x >= from_states) {
      to[x] = S::times(unequal, before);
      continue;
    }
    to[x] = S::plus(S::times(equal, from[x]), S::times(unequal, S::plus(before, after[x + 1])));
    before = S::plus(before, from[x]);
  }
}

// max_y from[y] - weight |x - y|, by two passes.
void linear_distance(double weight, std::size_t from_states, std::size_t to_states,
                     const double* from, double* to, std::vector<double>& high) {
  high.assign(std::max(from_states, to_states), LogMax::zero);
  std::copy_n(from, from_states, high.data());
  for (std::size_t x = 1; x < high.size(); ++x) high[x] = std::max(high[x], high[x - 1] - weight);
  for (std::size_t x = high.size() - 1; x-- > 0;) {
    high[x] = std::max(high[x], high[x + 1] - weight);
  }
  std::copy_n(high.data(), to_states, to);
}

// max_y from[y] - weight (x - y)^2: the upper envelope of parabolas.
void quadratic_distance(double weight, std::size_t from_states, std::size_t to_states,
                        const double* from, double* to, std::vector<double>& scratch) {
  if (weight == 0) {
    std::fill_n(to, to_states, *std::max_element(from, from + from_states));
    return;
  }
  scratch.resize(2 * from_states);
  double* const peak = scratch.data();       // of the parabolas of the envelope
  double* const begin = peak + from_states;  // where each comes to the top
  std::size_t count = 0;
  for (std::size_t y = 0; y < from_states; ++y) {
    if (from[y] == LogMax::zero) continue;
    double at = LogMax::zero;
    while (count > 0) {
      const auto last = static_cast<std::size_t>(peak[count - 1]);
      const auto u = static_cast<double>(last), v = static_cast<double>(y);
      at = (u + v) / 2 + (from[last] - from[y]) / (2 * weight * (v - u));
      if (at > begin[count - 1]) break;
      at = LogMax::zero;
      --count;
    }
    peak[count] = static_cast<double>(y);
    begin[count++] = at;
  }
  if (count == 0) {
    std::fill_n(to, to_states, LogMax::zero);
    return;
  }
  std::size_t k = 0;
  for (std::size_t x = 0; x < to_states; ++x) {
    const auto place = static_cast<double>(x);
    while (k + 1 < count && begin[k + 1] <= place) ++k;
    const double gap = place - peak[k];
    to[x] = from[static_cast<std::size_t>(peak[k])] - weight * gap * gap;
  }
}

void distance_messages(const FactorView& factor, std::size_t from_states, std::size_t to_states,
                       const double* from, double* to, std::vector<double>& scratch) {
  const double weight = factor.numbers[0], limit = factor.numbers[1];
  if (factor.kind == PotentialKind::truncated_linear) {
    linear_distance(weight, from_states, to_states, from, to, scratch);
  } else {
    quadratic_distance(weight, from_states, to_states, from, to, scratch);
  }
  const double floor = *std::max_element(from, from + from_states) - limit;
  for (std::size_t x = 0; x < to_states; ++x) to[x] = std::max(to[x], floor);
}

// Of variables with two states, where only their sum counts: before[k][s] is the sum over the first
// k with sum s (modulo two for parity), after[k][s] that over the others with `s` before them.
// Sums above the last that is allowed are left out.
template <class S>
class SumCounter {
 public:
  SumCounter(const FactorView& factor, const double* in, std::vector<double>& scratch)
      : states_(factor.states), in_(in), parity_(factor.kind == PotentialKind::parity) {
    const std::size_t n = states_.size();
    width_ = parity_ ? 2 : n + 1;
    while (!parity_ && width_ > 1 && factor.numbers[width_ - 1] == S::zero) --width_;
    scratch.assign(2 * (n + 1) * width_, S::zero);
    before_ = scratch.data();
    after_ = before_ + (n + 1) * width_;
    for (std::size_t s = 0; s < width_; ++s) {
      after_[n * width_ + s] = !parity_                 ? factor.numbers[s]
                               : (s == 1) == factor.odd ? S::one
                                                        : S::zero;
    }
    before_[0] = S::one;
  }

  void send(double* out) {
    const std::size_t n = states_.size();
    const double* in = in_ + std::accumulate(states_.begin(), states_.end(), std::size_t{0});
    for (std::size_t k = n; k-- > 0;) {
      in -= states_[k];
      for (std::size_t s = 0; s < reach(k); ++s) {
        double sum = S::zero;
        for (std::uint32_t x = 0; x < states_[k] && next(s, x) < width_; ++x) {
          sum = S::plus(sum, S::times(in[x], after_[(k + 1) * width_ + next(s, x)]));
        }
        after_[k * width_ + s] = sum;
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::uint32_t x = 0; x < states_[k]; ++x) {
        double sum = S::zero;
        for (std::size_t s = 0; s < reach(k) && next(s, x) < width_; ++s) {
          const double before = before_[k * width_ + s];
          sum = S::plus(sum, S::times(before, after_[(k + 1) * width_ + next(s, x)]));
          double& sums = before_[(k + 1) * width_ + next(s, x)];
          sums = S::plus(sums, S::times(before, in[x]));
        }
        out[x] = sum;
      }
      in += states_[k];
      out += states_[k];
    }
  }

 private:
  std::size_t reach(std::size_t k) const {
    return std::min(parity_ ? 2 : k + 1, width_);
  }  // sums of the first k
  std::size_t next(std::size_t s, std::size_t x) const { return parity_ ? (s + x) % 2 : s + x; }

  std::span<const std::uint32_t> states_;
  const double* in_;
  bool parity_;
  std::size_t width_;
  double *before_, *after_;
};

// Along the tree of listed states.  A path leaves it at the first state that continues none: all
// that follows is summed freely.
template <class S>
void sparse_messages(const FactorView& factor, const double* in, double* out,
                     std::vector<double>& scratch) {
  const SparseTree& tree = *factor.tree;
  const std::size_t n = factor.states.size(), nodes = tree.state.size();
  const std::size_t leaves = tree.depth_begin[n];
  const double others = factor.numbers[nodes - leaves];
  scratch.assign(2 * nodes + 2 * (n + 1), S::zero);
  double* const down = scratch.data();  // [nodes] product from the root
  double* const up = down + nodes;      // [nodes] sum of what is below
  double* const free = up + nodes;      // [n + 1] all states of the variables from k on
  double* const left = free + n + 1;    // [n + 1] what has left before k
  free[n] = S::one;
  const double* at = in + std::accumulate(factor.states.begin(), factor.states.end(), 0u);
  std::copy_n(factor.numbers, nodes - leaves, up + leaves);
  for (std::size_t k = n; k-- > 0;) {
    const std::uint32_t states = factor.states[k];
    at -= states;
    double sum = S::zero;
    for (std::uint32_t x = 0; x < states; ++x) sum = S::plus(sum, at[x]);
    free[k] = S::times(sum, free[k + 1]);
    const double leaving = S::times(others, free[k + 1]);
    for (std::size_t node = tree.depth_begin[k]; node < tree.depth_begin[k + 1]; ++node) {
      std::size_t child = tree.child_begin[node];
      const std::size_t end = tree.child_begin[node + 1];
      if (others == S::zero) {
        for (; child < end; ++child) {
          up[node] = S::plus(up[node], S::times(at[tree.state[child]], up[child]));
        }
        continue;
      }
      for (std::uint32_t x = 0; x < states; ++x) {
        const bool on = child < end && tree.state[child] == x;
        up[node] = S::plus(up[node], S::times(at[x], on ? up[child] : leaving));
        child += on;
      }
    }
  }
  down[0] = S::one;
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t states = factor.states[k];
    const double leaving = S::times(others, free[k + 1]);
    std::fill_n(out, states, S::times(left[k], leaving));
    left[k + 1] = S::zero;
    if (others != S::zero) {
      double sum = S::zero;
      for (std::uint32_t x = 0; x < states; ++x) sum = S::plus(sum, at[x]);
      left[k + 1] = S::times(left[k], sum);
    }
    for (std::size_t node = tree.depth_begin[k]; node < tree.depth_begin[k + 1]; ++node) {
      std::size_t child = tree.child_begin[node];
      const std::size_t end = tree.child_begin[node + 1];
      if (others == S::zero) {
        for (; child < end; ++child) {
          const State x = tree.state[child];
          out[x] = S::plus(out[x], S::times(down[node], up[child]));
          down[child] = S::times(down[node], at[x]);
        }
        continue;
      }
      for (std::uint32_t x = 0; x < states; ++x) {
        const bool on = child < end && tree.state[child] == x;
        out[x] = S::plus(out[x], S::times(down[node], on ? up[child] : leaving));
        const double next = S::times(down[node], at[x]);
        if (on) {
          down[child++] = next;
        } else {
          left[k + 1] = S::plus(left[k + 1], next);
        }
      }
    }
    at += states;
    out += states;
  }
}

}  // namespace

SparseTree::SparseTree(std::span<const std::uint64_t> listed, std::span<const std::uint32_t> states)
    : depth_begin{0, 1}, child_begin{0}, state{0} {
  const std::size_t n = states.size();
  std::vector<std::size_t> range{0, listed.size()};  // of the nodes of a depth, in the list
  std::vector<std::uint64_t> stride(n + 1, 1);
  for (std::size_t k = n; k-- > 0;) stride[k] = stride[k + 1] * states[k];
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<std::size_t> next{0};
    for (std::size_t node = 0; node + 1 < range.size(); ++node) {
      child_begin.back() = state.size();
      for (std::size_t i = range[node]; i < range[node + 1];) {
        const std::uint64_t prefix = listed[i] / stride[k + 1];
        while (i < range[node + 1] && listed[i] / stride[k + 1] == prefix) ++i;
        state.push_back(static_cast<State>(prefix % states[k]));
        next.push_back(i);
      }
      child_begin.push_back(state.size());
    }
    depth_begin.push_back(state.size());
    range = std::move(next);
  }
}

void check_counted_sums(std::span<const double> scores) {
  std::size_t sums = scores.size();
  while (sums > 1 && scores[sums - 1] == LogSum::zero) --sums;
  if (2.0 * static_cast<double>(scores.size()) * static_cast<double>(sums) <= kMostCounted) return;
  throw Error("a factor of " + std::to_string(scores.size() - 1) + " variables and " +
              std::to_string(sums) +
              " allowed sums is too large for belief propagation: the product of the two may be "
              "2^27; allow fewer sums, or take a method that seeks the best assignment alone");
}

template <class S>
void factor_messages(const FactorView& factor, const double* in, double* out,
                     FactorScratch& scratch) {
  switch (factor.kind) {
    case PotentialKind::table:
      dense_messages<S>(factor.numbers, factor.states, in, out, scratch.dense);
      return;
    case PotentialKind::sparse:
      sparse_messages<S>(factor, in, out, scratch.numbers);
      return;
    case PotentialKind::parity:
    case PotentialKind::cardinality:
      SumCounter<S>(factor, in, scratch.numbers).send(out);
      return;
    case PotentialKind::potts:
    case PotentialKind::truncated_linear:
    case PotentialKind::truncated_quadratic:
      break;
  }
  const std::uint32_t first = factor.states[0], second = factor.states[1];
  const auto send = [&](std::uint32_t from_states, std::uint32_t to_states, const double* from,
                        double* to) {
    if (factor.kind == PotentialKind::potts) {
      potts_messages<S>(factor.numbers[0], factor.numbers[1], from_states, to_states, from, to,
                        scratch.numbers);
    } else if constexpr (std::is_same_v<S, LogMax>) {
      distance_messages(factor, from_states, to_states, from, to, scratch.numbers);
    }
  };
  send(second, first, in + first, out);
  send(first, second, in, out + first);
}

template void factor_messages<struct ScaledSum>(const FactorView&, const double*, double*,
                                                FactorScratch&);
template void factor_messages<struct LogSum>(const FactorView&, const double*, double*,
                                             FactorScratch&);
template void factor_messages<struct LogMax>(const FactorView&, const double*, double*,
                                             FactorScratch&);

}  // namespace croft
