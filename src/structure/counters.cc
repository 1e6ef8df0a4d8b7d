#include "structure/counters.h"

#include <algorithm>

#include "core/infinity.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// What a counter says of a sum of states.
struct Counting {
  std::size_t states;  // at most
  bool modulo;         // parity; otherwise the last state is "so many or more"
  std::size_t of(std::size_t sum) const { return modulo ? sum % 2 : std::min(sum, states - 1); }
};

class CounterChains {
 public:
  CounterChains(const FactorGraph& graph, std::size_t least) : from_(graph), least_(least) {
    for (Variable v = 0; v < graph.variables(); ++v) to_.add_variable(graph.states(v));
  }

  FactorGraph result() {
    for (Factor f = 0; f < from_.factors(); ++f) {
      const auto scope = from_.scope(f);
      const PotentialKind kind = from_.potential(from_.potential_of(f)).kind;
      const bool counts = kind == PotentialKind::parity || kind == PotentialKind::cardinality;
      if (counts && scope.size() >= least_) {
        add_chain(f);
      } else {
        to_.add_factor(scope, to_.add_copy(from_, from_.potential_of(f)));
      }
    }
    return std::move(to_);
  }

 private:
  Counting counting(Factor f) const {
    const PotentialId id = from_.potential_of(f);
    if (from_.potential(id).kind == PotentialKind::parity) return {2, true};
    const auto scores = from_.numbers(id);
    std::size_t last = scores.size();  // the scores from here on are -inf
    while (last > 0 && scores[last - 1] == -kInf) --last;
    return {std::max<std::size_t>(1, std::min(last + 1, scores.size())), false};
  }

  double score(Factor f, const Counting& counting, std::size_t count) const {
    const PotentialId id = from_.potential_of(f);
    if (counting.modulo) return (count == 1) == from_.potential(id).odd ? 0 : -kInf;
    return from_.numbers(id)[count];  // "so many or more": all are -inf, or it is the last sum
  }

  void add_chain(Factor f) {
    const auto scope = from_.scope(f);
    const Counting how = counting(f);
    Variable before = scope[0];
    std::size_t most = from_.states(scope[0]) - 1;  // the largest sum so far
    std::size_t before_states = from_.states(before);
    for (std::size_t k = 1; k < scope.size(); ++k) {
      most += from_.states(scope[k]) - 1;
      const std::size_t states = std::min(most + 1, how.states);
      const bool last = k + 1 == scope.size();
      const Variable counter = to_.add_variable(states);
      std::vector<double> scores;
      for (std::size_t c = 0; c < before_states; ++c) {
        for (std::size_t x = 0; x < from_.states(scope[k]); ++x) {
          for (std::size_t now = 0; now < states; ++now) {
            const bool fits = how.of(c + x) == now;
            scores.push_back(!fits ? -kInf : last ? score(f, how, now) : 0.0);
          }
        }
      }
      to_.add_factor({before, scope[k], counter}, to_.add_table(scores));
      before = counter;
      before_states = states;
    }
  }

  const FactorGraph& from_;
  const std::size_t least_;
  FactorGraph to_;
};

}  // namespace

FactorGraph with_counters(const FactorGraph& graph, std::size_t least) {
  if (least < 2) throw UsageError("a chain of counters needs factors of 2 variables or more");
  return CounterChains(graph, least).result();
}

}  // namespace croft
