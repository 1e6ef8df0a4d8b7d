// Random chains for tests: every shape, hard zeros, ties, overlays, sparse transitions.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/chain.h"

namespace croft::testing_support {

struct ChainShape {
  std::size_t length = 3, labels = 3;
  double scale = 2;      // standard deviation of the scores
  double forbidden = 0;  // probability that a state or an edge is -inf
  double overlay = 0;    // probability that a position has an overlay
  bool ties = false;     // scores rounded to whole numbers
};

template <class Real>
struct RandomChain {
  std::unique_ptr<TransitionScores<Real>> transitions;
  ChainScores<Real> scores;
};

template <class Real>
Real random_score(const ChainShape& shape, Random& random) {
  if (random.uniform() < shape.forbidden) return ChainScores<Real>::kForbidden;
  const double value = shape.scale * random.normal();
  return static_cast<Real>(shape.ties ? std::round(value) : value);
}

template <class Real>
RandomChain<Real> random_chain(const ChainShape& shape, Random& random) {
  RandomChain<Real> chain;
  Matrix<Real> log(shape.labels, shape.labels);
  for (std::size_t i = 0; i < shape.labels; ++i) {
    for (Real& value : log[i]) value = random_score<Real>(shape, random);
  }
  chain.transitions = std::make_unique<TransitionScores<Real>>();
  chain.transitions->assign(std::move(log));
  chain.scores.reset(shape.length, *chain.transitions);
  for (std::size_t t = 0; t < shape.length; ++t) {
    for (Real& value : chain.scores.state[t]) value = random_score<Real>(shape, random);
    if (t == 0 || random.uniform() >= shape.overlay) continue;
    Real* rows = chain.scores.add_overlay(t);
    for (std::size_t i = 0; i < shape.labels; ++i) {
      for (std::size_t j = 0; j < shape.labels; ++j) {
        rows[i * chain.scores.overlay.stride() + j] = random_score<Real>(shape, random);
      }
    }
  }
  return chain;
}

// The same chain in double.
inline RandomChain<double> widen(const RandomChain<float>& chain) {
  RandomChain<double> wide;
  const auto copy = [](const Matrix<float>& from) {
    Matrix<double> to(from.rows(), from.columns());
    for (std::size_t r = 0; r < from.rows(); ++r) {
      std::copy(from.row(r), from.row(r) + from.stride(), to.row(r));
    }
    return to;
  };
  wide.transitions = std::make_unique<TransitionScores<double>>();
  *wide.transitions = convert<double>(*chain.transitions);
  wide.scores.state = copy(chain.scores.state);
  wide.scores.transitions = wide.transitions.get();
  wide.scores.overlay_of = chain.scores.overlay_of;
  wide.scores.overlay = copy(chain.scores.overlay);
  return wide;
}

// A chain with sparse transitions: every edge is listed with probability `density`, and then has a
// random score (-inf with probability shape.forbidden).  shape.overlay must be 0.
template <class Real>
RandomChain<Real> random_sparse_chain(const ChainShape& shape, Background background,
                                      double density, Random& random) {
  std::vector<Edge> edges;
  std::vector<Real> log;
  for (Label i = 0; i < shape.labels; ++i) {
    for (Label j = 0; j < shape.labels; ++j) {
      if (random.uniform() >= density) continue;
      edges.push_back({i, j});
      log.push_back(random_score<Real>(shape, random));
    }
  }
  RandomChain<Real> chain;
  chain.transitions = std::make_unique<TransitionScores<Real>>();
  chain.transitions->assign(shape.labels, background, edges, std::span<const Real>(log));
  chain.scores.reset(shape.length, *chain.transitions);
  for (std::size_t t = 0; t < shape.length; ++t) {
    for (Real& value : chain.scores.state[t]) value = random_score<Real>(shape, random);
  }
  return chain;
}

// The same chain with a number for every edge.
template <class Real>
RandomChain<Real> densify(const RandomChain<Real>& chain) {
  const std::size_t labels = chain.scores.labels();
  Matrix<Real> log(labels, labels);
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) log(i, j) = chain.transitions->at(i, j);
  }
  RandomChain<Real> dense;
  dense.transitions = std::make_unique<TransitionScores<Real>>();
  dense.transitions->assign(std::move(log));
  dense.scores = chain.scores;
  dense.scores.transitions = dense.transitions.get();
  return dense;
}

// d log Z / d scores in tables of their own.
template <class Real>
struct GradientTables {
  const TransitionScores<Real>* transitions;
  Matrix<Real> state, overlay;
  Matrix<double> transition;  // dense: [L][L]; sparse: one row of transitions->cells()
  explicit GradientTables(const ChainScores<Real>& scores)
      : transitions(scores.transitions),
        state(scores.length(), scores.labels()),
        overlay(scores.overlay.rows(), scores.labels()),
        transition(transitions->sparse() ? 1 : scores.labels(),
                   transitions->sparse() ? transitions->cells() : scores.labels(), 0.0) {}
  ChainGradient<Real> view() { return {state.row(0), overlay.row(0), transition.row(0)}; }
  // Of the tied edge i -> j; 0 for one that a sparse table does not list.
  double edge(Label i, Label j) const {
    const std::uint32_t cell = transitions->cell(i, j);
    return cell == TransitionScores<Real>::kNoCell ? 0 : transition.row(0)[cell];
  }
};

}  // namespace croft::testing_support
