// An objective by its definition, over all labellings: what the objectives are checked against.
#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "croft/inference/brute_force.h"
#include "objective/label_cost.h"
#include "support/random_chain.h"

namespace croft::testing_support {

inline bool fits(const Gold& gold, const std::vector<Label>& y) {
  for (std::size_t t = 0; t < y.size(); ++t) {
    if (!gold.allows(t, y[t])) return false;
  }
  return true;
}

// log sum_y exp(score(y) + cost(y)) - log sum_{y fits} exp score(y), and its derivatives.
struct EnumeratedLoss {
  double value = std::numeric_limits<double>::infinity();  // where nothing fits
  Matrix<double> state;                                    // [T][L]
  std::vector<Matrix<double>> edge;                        // [T] of [L][L]; edge[0] is empty
};

// scores: with dense transitions.
inline EnumeratedLoss enumerate_loss(
    const ChainScores<double>& scores, const Gold& gold,
    const std::function<double(const std::vector<Label>&)>& cost = [](const auto&) {
      return 0.0;
    }) {
  const std::size_t length = scores.length(), labels = scores.labels();
  long double best = -std::numeric_limits<long double>::infinity(), best_fitting = best;
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    best = std::max(best, s + cost(y));
    if (fits(gold, y)) best_fitting = std::max(best_fitting, s);
  });
  EnumeratedLoss loss;
  if (std::isinf(best_fitting)) return loss;
  long double z = 0, z_fitting = 0;
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    z += std::exp(s + cost(y) - best);
    if (fits(gold, y)) z_fitting += std::exp(s - best_fitting);
  });
  loss.value = static_cast<double>(best - best_fitting + std::log(z) - std::log(z_fitting));
  loss.state.assign(length, labels, 0.0);
  loss.edge.assign(length, Matrix<double>(labels, labels, 0.0));
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    long double p = std::exp(s + cost(y) - best) / z;
    if (fits(gold, y)) p -= std::exp(s - best_fitting) / z_fitting;
    for (std::size_t t = 0; t < length; ++t) {
      loss.state(t, y[t]) += static_cast<double>(p);
      if (t > 0) loss.edge[t](y[t - 1], y[t]) += static_cast<double>(p);
    }
  });
  return loss;
}

// sum_t of the smallest cost over the labels that t may have.
inline double cost_of(const LabelCost& cost, const Gold& gold, const std::vector<Label>& y) {
  double sum = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    double least = gold.is_any(t) ? 0 : std::numeric_limits<double>::infinity();
    for (Label g = 0; g < cost.labels(); ++g) {
      if (!gold.is_any(t) && gold.allows(t, g)) least = std::min(least, cost(g, y[t]));
    }
    sum += least;
  }
  return sum;
}

// Gold that owns what it views.
struct RandomGold {
  std::vector<Label> known;
  LabelSets sets;
  Gold view() const { return {known, &sets}; }
};

// One position in three has a label, one in three any, the others a set of some labels (or all).
inline RandomGold random_gold(std::size_t length, std::size_t labels, Random& random) {
  RandomGold gold;
  for (std::size_t t = 0; t < length; ++t) {
    const std::uint64_t kind = random.below(3);
    if (kind == 0) gold.known.push_back(static_cast<Label>(random.below(labels)));
    if (kind == 1) gold.known.push_back(kAnyLabel);
    if (kind != 2) continue;
    const auto sure = static_cast<Label>(random.below(labels));
    for (Label j = 0; j < labels; ++j) {
      if (j == sure || random.below(2) == 0) gold.sets.label.push_back(j);
    }
    gold.known.push_back(static_cast<Label>(kLabelSetBit + gold.sets.size()));
    gold.sets.begin.push_back(static_cast<std::uint32_t>(gold.sets.label.size()));
  }
  return gold;
}

inline LabelCost random_cost(std::size_t labels, Random& random) {
  Matrix<double> table(labels, labels, 0.0);
  for (Label g = 0; g < labels; ++g) {
    for (Label j = 0; j < labels; ++j) {
      if (j != g) table(g, j) = random.below(4) == 0 ? 0 : 3 * random.uniform();
    }
  }
  return label_cost(std::move(table));
}

// The chain in double and with a number for every edge.
inline RandomChain<double> in_full(const RandomChain<double>& chain) { return densify(chain); }
inline RandomChain<double> in_full(const RandomChain<float>& chain) {
  return densify(widen(chain));
}

// Derivatives of one chain as an objective wrote them, against those of the definition.
template <class Real>
void expect_derivatives(const GradientTables<Real>& tables, const ChainScores<Real>& scores,
                        const EnumeratedLoss& truth, double weight, double tolerance) {
  const std::size_t labels = scores.labels();
  Matrix<double> transition(labels, labels, 0.0);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (Label j = 0; j < labels; ++j) {
      ASSERT_NEAR(tables.state(t, j), weight * truth.state(t, j), tolerance) << "t " << t;
      for (Label i = 0; t > 0 && i < labels; ++i) {
        transition(i, j) += weight * truth.edge[t](i, j);
        if (!scores.has_overlay(t)) continue;
        ASSERT_NEAR(tables.overlay(scores.overlay_of[t] * labels + i, j),
                    weight * truth.edge[t](i, j), tolerance);
      }
    }
  }
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      if (scores.transitions->cell(i, j) == TransitionScores<Real>::kNoCell) continue;
      ASSERT_NEAR(tables.edge(i, j), transition(i, j), 6 * tolerance);
    }
  }
}

}  // namespace croft::testing_support
