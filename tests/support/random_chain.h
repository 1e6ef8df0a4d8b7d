// Random chains for tests: every shape, hard zeros, ties, overlays.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>

#include "croft/core/random.h"
#include "croft/structure/chain.h"

namespace croft::testing_support {

struct ChainShape {
  std::size_t length = 3, labels = 3;
  double scale = 2;           // standard deviation of the scores
  double forbidden = 0;       // probability that a state or an edge is -inf
  double overlay = 0;         // probability that a position has an overlay
  bool ties = false;          // scores rounded to whole numbers
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

// d log Z / d scores in tables of their own.
template <class Real>
struct GradientTables {
  Matrix<Real> state, overlay;
  Matrix<double> transition;
  explicit GradientTables(const ChainScores<Real>& scores)
      : state(scores.length(), scores.labels()),
        overlay(scores.overlay.rows(), scores.labels()),
        transition(scores.labels(), scores.labels(), 0.0) {}  // for dense transitions
  ChainGradient<Real> view() { return {state.row(0), overlay.row(0), transition.row(0)}; }
};

}  // namespace croft::testing_support
