// Directions in the space of a chain's scores, for tests of derivatives.
#pragma once
#include <cmath>
#include <type_traits>

#include "support/random_chain.h"

namespace croft::testing_support {

template <class Real>
RandomChain<Real> copy(const RandomChain<Real>& chain) {
  RandomChain<Real> other;
  other.transitions = std::make_unique<TransitionScores<Real>>(*chain.transitions);
  other.scores = chain.scores;
  other.scores.transitions = other.transitions.get();
  return other;
}

// change(score) for every score of a chain: the states, the overlays, the listed or all edges.
template <class Real, class Change>
RandomChain<Real> map_scores(const RandomChain<Real>& chain, const Change& change) {
  RandomChain<Real> other = copy(chain);
  const auto map_table = [&](Matrix<Real>& table) {
    for (std::size_t r = 0; r < table.rows(); ++r) {
      for (Real& value : table[r]) value = change(value);
    }
  };
  map_table(other.scores.state);
  map_table(other.scores.overlay);
  if (!chain.transitions->sparse()) {
    Matrix<Real> log = chain.transitions->log();
    map_table(log);
    other.transitions->assign(std::move(log));
    return other;
  }
  const EdgeLists<Real>& lists = chain.transitions->leaving();
  std::vector<Edge> edges;
  std::vector<Real> log;
  for (Label i = 0; i < chain.transitions->labels(); ++i) {
    for (auto k = lists.begin[i]; k < lists.begin[i + 1]; ++k) {
      edges.push_back({i, lists.other[k]});
      log.push_back(change(lists.log[k]));
    }
  }
  other.transitions->assign(chain.transitions->labels(), chain.transitions->background(), edges,
                            std::span<const Real>(log));
  return other;
}

// A direction of the same shape, with numbers where the scores are -inf too.
template <class Real>
RandomChain<Real> random_direction(const RandomChain<Real>& chain, Random& random) {
  return map_scores(chain, [&](Real) { return static_cast<Real>(random.normal()); });
}

// chain + e direction; what is -inf stays.
template <class Real>
RandomChain<Real> moved(const RandomChain<Real>& chain, const RandomChain<Real>& direction,
                        double e) {
  std::vector<Real> numbers;  // in the order of map_scores
  map_scores(direction, [&](Real value) {
    numbers.push_back(value);
    return value;
  });
  std::size_t next = 0;
  return map_scores(chain, [&](Real value) {
    return static_cast<Real>(double{value} + e * double{numbers[next++]});
  });
}

// sum over all scores of direction times derivative.
template <class Real>
double inner(const RandomChain<Real>& direction, const GradientTables<Real>& tables) {
  double sum = 0;
  const auto add = [&](const Matrix<Real>& d, const Matrix<Real>& table) {
    for (std::size_t r = 0; r < d.rows(); ++r) {
      for (std::size_t j = 0; j < d.columns(); ++j) sum += double{d(r, j)} * double{table(r, j)};
    }
  };
  add(direction.scores.state, tables.state);
  add(direction.scores.overlay, tables.overlay);
  const std::size_t labels = direction.transitions->labels();
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      if (direction.transitions->cell(i, j) == TransitionScores<Real>::kNoCell) continue;
      sum += double{direction.transitions->at(i, j)} * tables.edge(i, j);
    }
  }
  return sum;
}

}  // namespace croft::testing_support
