#include "structure/counters.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "core/infinity.h"
#include "structure/counting.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {

PartialCounts partial_counts(const FactorGraph& graph, Factor f, bool scores_change) {
  const PotentialId id = graph.potential_of(f);
  const Counting counting(graph, id);
  std::span<const std::uint64_t> from;
  if (!counting.is_parity()) from = graph.ranges(id);
  return {counting, from, graph.scope(f).size(),
          [&](std::size_t number) { return !scores_change && graph.numbers(id)[number] == -kInf; }};
}

bool is_worth_a_chain(const FactorGraph& graph, Factor f, const CounterOptions& options) {
  if (!counts_states(graph.potential(graph.potential_of(f)).kind)) return false;
  const std::uint64_t joint = graph.joint_states(f);
  if (joint < options.least || graph.scope(f).size() < 2) return false;
  std::size_t most = 1;
  for (const Variable v : graph.scope(f)) most = std::max(most, graph.states(v));
  const std::size_t width = partial_counts(graph, f, options.scores_change).width;
  return options.least == 0 || width * width * most < joint;
}

class CounterChains {
 public:
  CounterChains(const FactorGraph& graph, const CounterOptions& options)
      : from_(graph), options_(options), copy_(graph.potentials(), kNotCopied) {
    for (Variable v = 0; v < graph.variables(); ++v) to_.graph.add_variable(graph.states(v));
    to_.variable.resize(graph.variables());
    std::iota(to_.variable.begin(), to_.variable.end(), Variable{0});
  }

  PickedGraph result() {
    for (Factor f = 0; f < from_.factors(); ++f) {
      if (is_worth_a_chain(from_, f, options_)) {
        add_chain(f);
      } else {
        copy(f);
      }
    }
    return std::move(to_);
  }

 private:
  static constexpr PotentialId kNotCopied = 0xffffffff;

  void copy(Factor f) {
    const PotentialId id = from_.potential_of(f);
    if (copy_[id] == kNotCopied) {
      copy_[id] = to_.graph.add_copy(from_, id);
      for (std::size_t k = 0; k < from_.numbers(id).size(); ++k) {
        to_.source.push_back(from_.potential(id).first + k);
      }
    }
    to_.graph.add_factor(from_.scope(f), copy_[id]);
  }

  void add_chain(Factor f) {
    const auto scope = from_.scope(f);
    const Counting counting(from_, from_.potential_of(f));
    const PartialCounts partial = partial_counts(from_, f, options_.scores_change);
    Variable before = kUnobserved;  // the counter; none: 0
    std::size_t place = 0;
    for (std::size_t k = 0; k < scope.size(); ++k) {
      std::vector<bool> counts(from_.states(scope[k]));
      for (State x = 0; x < counts.size(); ++x) counts[x] = counting.counts(place, x);
      place += counts.size();
      if (k + 1 == scope.size()) {
        add_last(f, counting, partial, before, counts);
      } else if (k == 0 && counts == std::vector{false, true} && partial.width > 1) {
        before = scope[0];  // is its own counter
      } else {
        before = add_link(partial, before, scope[k], counts, partial.reach(k + 1));
      }
    }
  }

  // The counter behind a variable.
  Variable add_link(const PartialCounts& partial, Variable before, Variable x,
                    const std::vector<bool>& counts, std::size_t now) {
    const std::size_t earlier = before == kUnobserved ? 1 : to_.graph.states(before);
    const auto key =
        std::tuple(partial.modulo, partial.open ? partial.width : 0, earlier, now, counts);
    const auto [found, added] = links_.try_emplace(key, 0);
    if (added) {
      std::vector<double> scores;
      for (std::size_t c = 0; c < earlier; ++c) {
        for (const bool each : counts) {
          const std::size_t next = partial.next(c, each);
          for (std::size_t s = 0; s < now; ++s) scores.push_back(s == next ? 0 : -kInf);
        }
      }
      found->second = to_.graph.add_table(scores);
      to_.source.insert(to_.source.end(), scores.size(), kNoScore);
    }
    const Variable counter = to_.graph.add_variable(now);
    if (before == kUnobserved) {
      to_.graph.add_factor({x, counter}, found->second);
    } else {
      to_.graph.add_factor({before, x, counter}, found->second);
    }
    return counter;
  }

  // The last variable completes the count, which has a score.
  void add_last(Factor f, const Counting& counting, const PartialCounts& partial, Variable before,
                const std::vector<bool>& counts) {
    const std::uint64_t first = from_.potential(from_.potential_of(f)).first;
    std::vector<double> scores;
    for (std::size_t c = 0; c < to_.graph.states(before); ++c) {
      for (const bool each : counts) {
        const std::size_t count = partial.next(c, each);
        const bool allowed = count < partial.width;
        const bool has_number = allowed && !partial.modulo;
        scores.push_back(allowed ? counting.score(count) : -kInf);
        to_.source.push_back(has_number ? first + counting.number(count) : kNoScore);
      }
    }
    to_.graph.add_factor({before, from_.scope(f).back()}, to_.graph.add_table(scores));
  }

  const FactorGraph& from_;
  const CounterOptions options_;
  PickedGraph to_;
  std::vector<PotentialId> copy_;  // of each potential, in to_
  std::map<std::tuple<bool, std::size_t, std::size_t, std::size_t, std::vector<bool>>, PotentialId>
      links_;
};

}  // namespace

bool needs_counters(const FactorGraph& graph, const CounterOptions& options) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (is_worth_a_chain(graph, f, options)) return true;
  }
  return false;
}

PickedGraph with_counters(const FactorGraph& graph, const CounterOptions& options) {
  return CounterChains(graph, options).result();
}

}  // namespace croft
