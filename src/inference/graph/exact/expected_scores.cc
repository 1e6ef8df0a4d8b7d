#include "inference/graph/exact/expected_scores.h"

#include <algorithm>

#include "core/infinity.h"
#include "structure/counting.h"

namespace croft {

void ExpectedScores::add(Factor f, std::size_t k, const VariableMarginals& q, double* to) {
  switch (graph_.potential(graph_.potential_of(f)).kind) {
    case PotentialKind::table:
      return add_table(f, k, q, to);
    case PotentialKind::sparse:
      return add_sparse(f, k, q, to);
    case PotentialKind::potts:
    case PotentialKind::truncated_linear:
    case PotentialKind::truncated_quadratic:
      return add_pair(f, k, q, to);
    case PotentialKind::parity:
    case PotentialKind::cardinality:
      break;
  }
  add_by_sum(f, k, q, to);
}

// One variable after the other is summed out: those behind k from the end, those before it from the
// front.  0 times -inf is left out; a weight > 0 times -inf is -inf.
void ExpectedScores::add_table(Factor f, std::size_t k, const VariableMarginals& q, double* to) {
  const auto scope = graph_.scope(f);
  const std::span<const double> scores = graph_.numbers(graph_.potential_of(f));
  std::span<const double> table = scores;
  for (std::size_t l = scope.size(); l-- > k + 1;) {
    const std::vector<double>& weights = q[scope[l]];
    next_.assign(table.size() / weights.size(), 0);
    for (std::size_t i = 0; i < next_.size(); ++i) {
      for (std::size_t x = 0; x < weights.size(); ++x) {
        if (weights[x] > 0) next_[i] += weights[x] * table[i * weights.size() + x];
      }
    }
    table_.swap(next_);
    table = table_;
  }
  for (std::size_t l = 0; l < k; ++l) {
    const std::vector<double>& weights = q[scope[l]];
    const std::size_t rest = table.size() / weights.size();
    next_.assign(rest, 0);
    for (std::size_t x = 0; x < weights.size(); ++x) {
      if (weights[x] == 0) continue;
      for (std::size_t i = 0; i < rest; ++i) next_[i] += weights[x] * table[x * rest + i];
    }
    table_.swap(next_);
    table = table_;
  }
  for (std::size_t x = 0; x < table.size(); ++x) to[x] += table[x];
}

void ExpectedScores::add_sparse(Factor f, std::size_t k, const VariableMarginals& q, double* to) {
  const auto scope = graph_.scope(f);
  const PotentialId id = graph_.potential_of(f);
  const auto listed = graph_.listed(id);
  const auto scores = graph_.numbers(id);
  const double others = scores.back();
  const std::size_t states = q[scope[k]].size();
  std::vector<double> sum(states, 0), seen(states, 0);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    std::uint64_t rest = listed[i];
    double weight = 1;
    bool possible = true;
    std::size_t own = 0;
    for (std::size_t l = scope.size(); l-- > 0;) {
      const std::vector<double>& weights = q[scope[l]];
      const auto x = static_cast<std::size_t>(rest % weights.size());
      rest /= weights.size();
      if (l == k) {
        own = x;
      } else {
        possible = possible && weights[x] > 0;
        weight *= weights[x];
      }
    }
    if (!possible) continue;
    ++seen[own];
    if (scores[i] == -kInf) {
      sum[own] = -kInf;
    } else {
      sum[own] += weight * (others == -kInf ? scores[i] : scores[i] - others);
    }
  }
  double possible = 1;  // joint states of the others
  for (std::size_t l = 0; l < scope.size(); ++l) {
    if (l == k) continue;
    possible *=
        static_cast<double>(std::ranges::count_if(q[scope[l]], [](double p) { return p > 0; }));
  }
  for (std::size_t x = 0; x < states; ++x) {
    if (others == -kInf) {
      to[x] += seen[x] < possible ? -kInf : sum[x];
    } else {
      to[x] += others + sum[x];
    }
  }
}

void ExpectedScores::add_pair(Factor f, std::size_t k, const VariableMarginals& q, double* to) {
  const auto scope = graph_.scope(f);
  const PotentialId id = graph_.potential_of(f);
  const std::vector<double>& other = q[scope[1 - k]];
  const std::size_t states = q[scope[k]].size();
  if (graph_.potential(id).kind == PotentialKind::potts) {
    const double equal = graph_.numbers(id)[0], unequal = graph_.numbers(id)[1];
    const auto support = std::ranges::count_if(other, [](double p) { return p > 0; });
    for (std::size_t x = 0; x < states; ++x) {
      const double same = x < other.size() ? other[x] : 0;
      if (same > 0) to[x] += same * equal;
      if (support > (same > 0)) to[x] += std::max(1 - same, 1e-300) * unequal;
    }
    return;
  }
  for (std::size_t x = 0; x < states; ++x) {
    for (std::size_t y = 0; y < other.size(); ++y) {
      State at[2] = {static_cast<State>(x), static_cast<State>(y)};
      if (k == 1) std::swap(at[0], at[1]);
      if (other[y] > 0) to[x] += other[y] * graph_.score_of(f, at);
    }
  }
}

// Parity and cardinality: by how probable each count of the others is.
void ExpectedScores::add_by_sum(Factor f, std::size_t k, const VariableMarginals& q, double* to) {
  const auto scope = graph_.scope(f);
  const Counting counting(graph_, graph_.potential_of(f));
  std::size_t least = 0, most = 0;  // counts of weight > 0: all between these
  std::size_t place = 0, own_place = 0;
  table_.assign(1, 1);
  for (std::size_t l = 0; l < scope.size(); ++l) {
    const std::vector<double>& weights = q[scope[l]];
    const std::size_t begin = place;
    place += weights.size();
    if (l == k) {
      own_place = begin;
      continue;
    }
    double own[2] = {0, 0};
    for (State x = 0; x < weights.size(); ++x) own[counting.counts(begin, x)] += weights[x];
    least += own[0] == 0;
    most += own[1] > 0;
    table_.push_back(0);
    for (std::size_t s = table_.size(); s-- > 0;) {
      table_[s] = own[0] * table_[s] + (s > 0 ? own[1] * table_[s - 1] : 0);
    }
  }
  double sums[2] = {0, 0};
  for (std::size_t counts = 0; counts < 2; ++counts) {
    for (std::size_t s = least; s <= most; ++s) {
      const double each = counting.score(s + counts);
      sums[counts] += each == -kInf ? each : table_[s] * each;
    }
  }
  for (State x = 0; x < q[scope[k]].size(); ++x) to[x] += sums[counting.counts(own_place, x)];
}

}  // namespace croft
