// The training objective with a constraint, and with transitions that share weights, against its
// definition by enumeration.
#include <gtest/gtest.h>

#include <limits>

#include "croft/objective/likelihood.h"
#include "support/naive_objective.h"
#include "train/functions/chain_batch_function.h"

namespace croft::shared_and_masked_test {
namespace {

using testing_support::DataShape;
using testing_support::naive_likelihood;
using testing_support::NaiveEvaluation;
using testing_support::NaiveWeights;
using testing_support::PlainData;

// A constraint that allows each thing with probability `density`.
ChainConstraint random_constraint(std::size_t labels, double density, Random& random) {
  ChainConstraint constraint(labels);
  for (auto* bits : {&constraint.start, &constraint.end, &constraint.edge}) {
    for (std::size_t k = 0; k < bits->size(); ++k) (*bits)[k] = random.uniform() < density;
  }
  return constraint;
}

// Groups of several transitions, transitions of their own, and some without a feature.
TransitionGroups random_groups(std::size_t labels, Random& random) {
  TransitionGroups groups(labels);
  for (std::uint32_t& of : groups.of) {
    const std::uint64_t kind = random.below(6);
    if (kind == 0) of = TransitionGroups::kNone;
    if (kind > 1) of = static_cast<std::uint32_t>(random.below(3));
  }
  return groups;
}

// Groups by the labels of both ends, or of any transitions over one that has all others: what sums
// by group are for.
TransitionGroups wide_groups(std::size_t labels, bool by_labels, Random& random) {
  TransitionGroups groups(labels);
  for (std::size_t cell = 0; cell < groups.of.size(); ++cell) {
    const std::size_t i = cell / labels, j = cell % labels;
    const bool other = random.below(5) == 0;
    groups.of[cell] = by_labels ? static_cast<std::uint32_t>(i % 2 * 2 + j % 2) : other ? 1 : 0;
  }
  return groups;
}

struct Problem {
  PlainData plain;
  ChainData data;
  ChainLayout layout;
  Renumbering renumbering;
  std::optional<TransitionGroups> groups;
  std::vector<double> w;
};

struct Setting {
  DataShape shape;
  FeatureSet features = FeatureSet::observed;
  std::size_t min_count = 1, tied_rows = 1;
  bool grouped = false, partial = false;
  std::optional<bool> wide_by_labels = std::nullopt;  // groups of wide_groups()
  std::optional<double> density = std::nullopt;       // of a constraint
};

// Gold labels that obey; sequences for which there are none are left out.
void obey(const ChainConstraint& constraint, PlainData& plain, Random& random) {
  PlainData kept;
  for (auto& sequence : plain) {
    std::vector<std::vector<Label>> allowed;
    testing_support::for_each_sequence(constraint.labels, sequence.label.size(),
                                       [&](const std::vector<Label>& y) {
                                         if (!check(constraint, y)) allowed.push_back(y);
                                       });
    if (allowed.empty()) continue;
    sequence.label = allowed[random.below(allowed.size())];
    kept.push_back(sequence);
  }
  plain = kept;
}

Problem make_problem(const Setting& how, Random& random) {
  Problem p;
  p.plain = testing_support::random_plain_data(how.shape, random);
  std::shared_ptr<const ChainConstraint> constraint;
  if (how.density) {
    constraint = std::make_shared<const ChainConstraint>(
        random_constraint(how.shape.labels, *how.density, random));
    obey(*constraint, p.plain, random);
  }
  p.data = testing_support::to_chain_data(p.plain);
  if (how.grouped) p.groups = random_groups(how.shape.labels, random);
  if (how.wide_by_labels) {
    p.groups = wide_groups(how.shape.labels, *how.wide_by_labels, random);
  }
  p.layout = make_chain_layout(p.data, how.shape.labels, how.shape.node_attributes,
                               how.shape.edge_attributes,
                               {.features = how.features,
                                .min_count = how.min_count,
                                .tied_rows = how.tied_rows,
                                .groups = p.groups ? &*p.groups : nullptr},
                               p.renumbering);
  p.layout.constraint = constraint;
  for (Label& known : p.data.label) {
    if (how.partial && random.below(2) == 0) known = kAnyLabel;
  }
  for (std::size_t k = 0; k < p.layout.dimension(); ++k) p.w.push_back(0.7 * random.normal());
  return p;
}

template <class Real>
NaiveEvaluation evaluate(const Problem& p, const std::vector<double>& w, std::size_t threads = 1) {
  ThreadPool pool(threads);
  ChainBatchFunction<Real> function(p.data, p.layout, pool);
  NaiveEvaluation out;
  out.gradient.assign(w.size(), std::numeric_limits<double>::quiet_NaN());
  out.value = function.evaluate(w, out.gradient);
  return out;
}

void expect_near(const NaiveEvaluation& a, const NaiveEvaluation& b, double tolerance) {
  EXPECT_NEAR(a.value, b.value, tolerance * (1 + std::abs(b.value)));
  double largest = 0;
  for (const double g : b.gradient) largest = std::max(largest, std::abs(g));
  for (std::size_t k = 0; k < b.gradient.size(); ++k) {
    ASSERT_NEAR(a.gradient[k], b.gradient[k], tolerance * (1 + largest)) << "weight " << k;
  }
}

void expect_definition(const Problem& p) {
  const NaiveWeights weights(p.layout, p.renumbering, p.groups ? &*p.groups : nullptr);
  const NaiveEvaluation naive =
      naive_likelihood(p.plain, p.data, p.layout, weights, p.layout.constraint.get(), p.w);
  expect_near(evaluate<double>(p, p.w), naive, 1e-12);
  expect_near(evaluate<float>(p, p.w), naive, 4e-6);
}

// body(setting) for small problems of every kind.
template <class Body>
void for_settings(const Body& body) {
  for (const std::size_t labels : {1, 2, 3, 5, 11}) {
    for (const double edge : {0.0, 0.6}) {
      for (const bool all : {false, true}) {
        for (const bool partial : {false, true}) {
          SCOPED_TRACE(testing::Message() << "labels " << labels << " edge " << edge << " all "
                                          << all << " partial " << partial);
          Setting how;
          how.shape.labels = labels;
          if (labels > 10) how.shape.max_length = 3;
          how.shape.edge = edge;
          how.features = all ? FeatureSet::all : FeatureSet::observed;
          how.min_count = all ? 1 : 2;
          how.tied_rows = all ? 1 : 2;
          how.partial = partial;
          body(how);
        }
      }
    }
  }
}

TEST(MaskedTraining, IsNormalisedOverTheLabellingsThatTheConstraintAllows) {
  Random random(1);
  std::size_t sequences = 0;
  for_settings([&](Setting how) {
    for (const double density : {0.1, 0.8}) {  // few edges are listed, many are in a table
      how.density = density;
      const Problem p = make_problem(how, random);
      sequences += p.plain.size();
      if (!p.plain.empty()) expect_definition(p);
    }
  });
  EXPECT_GT(sequences, 300u);
}

TEST(MaskedTraining, AConstraintThatAllowsEverythingChangesNoBit) {
  Random random(2);
  for_settings([&](const Setting& how) {
    Problem p = make_problem(how, random);
    const NaiveEvaluation free = evaluate<float>(p, p.w);
    p.layout.constraint = std::make_shared<const ChainConstraint>(how.shape.labels);
    const NaiveEvaluation masked = evaluate<float>(p, p.w);
    EXPECT_EQ(masked.value, free.value);
    EXPECT_EQ(masked.gradient, free.gradient);
  });
}

TEST(MaskedTraining, TransitionsThatAreForbiddenHaveDerivativeZero) {
  Random random(3);
  Setting how{.shape = {.sequences = 40, .labels = 4}, .features = FeatureSet::all};
  how.density = 0.6;
  const Problem p = make_problem(how, random);
  const NaiveEvaluation out = evaluate<float>(p, p.w);
  std::size_t forbidden = 0;
  for (std::uint32_t cell = 0; cell < 16; ++cell) {
    if (p.layout.constraint->edge[cell]) continue;
    EXPECT_EQ(out.gradient[cell], 0);
    ++forbidden;
  }
  EXPECT_GT(forbidden, 2u);
}

TEST(SharedTransitions, ObjectiveAndGradientAreThoseOfTheDefinition) {
  Random random(4);
  std::size_t shared = 0;
  for_settings([&](Setting how) {
    how.grouped = true;
    const Problem p = make_problem(how, random);
    shared += p.layout.shared.any();
    expect_definition(p);
    how.density = 0.7;
    const Problem masked = make_problem(how, random);
    if (!masked.plain.empty()) expect_definition(masked);
  });
  EXPECT_GT(shared, 20u);
}

TEST(SharedTransitions, SumsByGroupGiveTheObjectiveOfTheDefinition) {
  Random random(7);
  for (const bool by_labels : {false, true}) {
    for (const bool partial : {false, true}) {
      for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
        Setting how{.shape = {.max_length = 3, .labels = 16, .edge = 0}, .features = features};
        how.partial = partial;
        how.wide_by_labels = by_labels;
        const Problem p = make_problem(how, random);
        TransitionScores<double> transitions;
        TransitionScorer<double>(p.layout).assign(
            p.layout.tied, std::span(p.w).first(p.layout.tied.begin.back()), transitions);
        ASSERT_TRUE(transitions.sharing());
        EXPECT_EQ(transitions.sharing()->by_classes(), by_labels);
        expect_definition(p);
      }
    }
  }
}

TEST(SharedTransitions, TheGradientIsTheDerivativeByEveryWeight) {
  Random random(5);
  for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
    Setting how{.shape = {.labels = 4}, .features = features, .tied_rows = 2, .grouped = true};
    const Problem p = make_problem(how, random);
    ASSERT_TRUE(p.layout.shared.any());
    const NaiveEvaluation out = evaluate<double>(p, p.w);
    for (std::size_t k = 0; k < p.w.size(); ++k) {
      std::vector<double> left = p.w, right = p.w;
      left[k] -= 1e-5;
      right[k] += 1e-5;
      const double slope =
          (evaluate<double>(p, right).value - evaluate<double>(p, left).value) / 2e-5;
      ASSERT_NEAR(slope, out.gradient[k], 1e-7) << "weight " << k;
    }
  }
}

TEST(SharedTransitions, GiveTheSameBitsForAnyNumberOfThreads) {
  Random random(6);
  Setting how{.shape = {.sequences = 3000, .max_length = 6, .labels = 6, .edge = 0}};
  how.grouped = true;
  Problem p = make_problem(how, random);
  p.layout.constraint = std::make_shared<const ChainConstraint>(6);
  const NaiveEvaluation one = evaluate<float>(p, p.w);
  for (const std::size_t threads : {2, 5}) {
    const NaiveEvaluation several = evaluate<float>(p, p.w, threads);
    EXPECT_EQ(several.value, one.value);
    EXPECT_EQ(several.gradient, one.gradient);
  }
}

}  // namespace
}  // namespace croft::shared_and_masked_test
