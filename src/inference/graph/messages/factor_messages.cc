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

// Where only the count of variables matters: before[k][s] is the sum over the first k with count s
// (modulo two for parity), after[k][s] that over the others with `s` before them.  A message has a
// number for the states that count and one for those that do not.
template <class S>
class SumCounter {
 public:
  SumCounter(const FactorView& factor, const double* in, std::vector<double>& scratch)
      : factor_(factor),
        n_(factor.states.size()),
        partial_(factor.counting, factor.ranges, n_,
                 [&](std::size_t number) { return factor.numbers[number] == S::zero; }) {
    const std::size_t width = partial_.width;
    scratch.assign(2 * (n_ + 1) * width + 2 * n_, S::zero);
    before_ = scratch.data();
    after_ = before_ + (n_ + 1) * width;
    in_ = after_ + (n_ + 1) * width;
    std::size_t place = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      for (State x = 0; x < factor.states[k]; ++x) {
        double& sum = in_[2 * k + factor.counting.counts(place, x)];
        sum = S::plus(sum, in[place + x]);
      }
      place += factor.states[k];
    }
    for (std::size_t s = 0; s < partial_.reach(n_); ++s) {
      after_[n_ * width + s] = !partial_.modulo         ? factor.numbers[factor.counting.number(s)]
                               : (s == 1) == factor.odd ? S::one
                                                        : S::zero;
    }
    before_[0] = S::one;
  }

  void send(double* out) {
    add_after();
    const std::size_t width = partial_.width;
    std::size_t place = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      double own[2] = {S::zero, S::zero};
      for (std::size_t counts = 0; counts < 2; ++counts) {
        for (std::size_t s = 0; s < partial_.reach(k); ++s) {
          const std::size_t next = partial_.next(s, counts == 1);
          if (next >= width) break;
          const double before = before_[k * width + s];
          own[counts] = S::plus(own[counts], S::times(before, after_[(k + 1) * width + next]));
          double& sums = before_[(k + 1) * width + next];
          sums = S::plus(sums, S::times(before, in_[2 * k + counts]));
        }
      }
      for (State x = 0; x < factor_.states[k]; ++x) {
        out[place + x] = own[factor_.counting.counts(place, x)];
      }
      place += factor_.states[k];
    }
  }

 private:
  void add_after() {
    const std::size_t width = partial_.width;
    for (std::size_t k = n_; k-- > 0;) {
      for (std::size_t s = 0; s < partial_.reach(k); ++s) {
        double sum = S::zero;
        for (std::size_t counts = 0; counts < 2; ++counts) {
          const std::size_t next = partial_.next(s, counts == 1);
          if (next >= width) break;
          sum = S::plus(sum, S::times(in_[2 * k + counts], after_[(k + 1) * width + next]));
        }
        after_[k * width + s] = sum;
      }
    }
  }

  const FactorView& factor_;
  std::size_t n_;
  PartialCounts partial_;
  double *before_, *after_, *in_;
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

void check_counted_sums(const FactorGraph& graph, Factor f) {
  const PotentialId id = graph.potential_of(f);
  const std::size_t n = graph.scope(f).size();
  const PartialCounts partial(Counting(graph, id), graph.ranges(id), n, [&](std::size_t number) {
    return graph.numbers(id)[number] == LogSum::zero;
  });
  if (2.0 * static_cast<double>(n + 1) * static_cast<double>(partial.width) <= kMostCounted) return;
  throw Error("a factor of " + std::to_string(n) + " variables and " +
              std::to_string(partial.width) +
              " counts is too large for belief propagation: the product of the two may be "
              "2^27; allow fewer counts, or take a method that seeks the best assignment alone");
}

namespace {

// Of the numbers' ranges, by what enters the variables and the numbers themselves.
std::vector<double> range_sums(const FactorGraph& graph, Factor f, std::span<const double> in,
                               std::span<const double> numbers) {
  const PotentialId id = graph.potential_of(f);
  const Counting counting(graph, id);
  const auto scope = graph.scope(f);
  const PartialCounts partial(counting, graph.ranges(id), scope.size(),
                              [&](std::size_t number) { return numbers[number] == LogSum::zero; });
  std::vector<double> sum(partial.width, LogSum::zero), next(partial.width);
  sum[0] = LogSum::one;
  std::size_t place = 0;
  for (std::size_t k = 0; k < scope.size(); ++k) {
    double own[2] = {LogSum::zero, LogSum::zero};
    for (State x = 0; x < graph.states(scope[k]); ++x) {
      double& to = own[counting.counts(place, x)];
      to = LogSum::plus(to, in[place + x]);
    }
    place += graph.states(scope[k]);
    std::ranges::fill(next, LogSum::zero);
    for (std::size_t s = 0; s < partial.reach(k); ++s) {
      for (std::size_t counts = 0; counts < 2; ++counts) {
        const std::size_t to = partial.next(s, counts == 1);
        if (to < partial.width)
          next[to] = LogSum::plus(next[to], LogSum::times(sum[s], own[counts]));
      }
    }
    sum.swap(next);
  }
  std::vector<double> belief(numbers.size(), LogSum::zero);
  double all = LogSum::zero;
  for (std::size_t s = 0; s < partial.reach(scope.size()); ++s) {
    const std::size_t number = counting.number(s);
    const double each = LogSum::times(sum[s], numbers[number]);
    belief[number] = LogSum::plus(belief[number], each);
    all = LogSum::plus(all, each);
  }
  for (double& each : belief) each = each == LogSum::zero ? 0 : std::exp(each - all);
  return belief;
}

}  // namespace

std::vector<double> number_belief(const FactorGraph& graph, Factor f, std::span<const double> in) {
  return range_sums(graph, f, in, graph.numbers(graph.potential_of(f)));
}

std::vector<double> count_distribution(const FactorGraph& graph, Factor f,
                                       std::span<const double> in) {
  const std::vector<double> ones(graph.numbers(graph.potential_of(f)).size(), LogSum::one);
  return range_sums(graph, f, in, ones);
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
