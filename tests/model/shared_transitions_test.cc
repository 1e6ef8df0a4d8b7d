// Layouts whose transitions share weights, and the constraint and the shared weights in model
// files.
#include <gtest/gtest.h>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/chain_model.h"
#include "support/random_data.h"

namespace croft::shared_transitions_test {
namespace {

using Cells = std::vector<std::uint32_t>;

// Sequences of labels, without attributes.
ChainData labelled(const std::vector<std::vector<Label>>& sequences) {
  ChainData data;
  for (const std::vector<Label>& labels : sequences) {
    data.label.insert(data.label.end(), labels.begin(), labels.end());
    data.sequence_begin.push_back(data.label.size());
    data.first_line.push_back(0);
  }
  data.node.begin.assign(data.label.size() + 1, 0);
  return data;
}

ChainLayout lay_out(ChainData data, std::size_t labels, const LayoutOptions& options) {
  Renumbering renumbering;
  return make_chain_layout(data, labels, 0, 0, options, renumbering);
}

TransitionGroups groups_of(const Cells& of) {
  TransitionGroups groups;
  groups.of = of;
  return groups;
}

constexpr std::uint32_t own = TransitionGroups::kOwn, none = TransitionGroups::kNone;

TEST(SharedTransitionsLayout, AGroupThatIsSeenHoldsForAllOfItsTransitions) {
  // Seen: 0 -> 1 twice, 1 -> 2, 2 -> 2.
  const ChainData data = labelled({{0, 1, 2, 2}, {0, 1}});
  const TransitionGroups groups = groups_of({7, own, 5,    // from 0
                                             own, own, 7,  // from 1
                                             7, none, none});
  const ChainLayout layout = lay_out(data, 3, {.tied_rows = 2, .groups = &groups});
  // Weights: group 7 of cells 0, 5, 6; cell 1 of its own.  Not group 5, nor what is in none.
  EXPECT_EQ(layout.tied.begin, (std::vector<std::uint64_t>{0, 2, 4}));
  EXPECT_EQ(layout.tied.cell, (Cells{0, 1, 0, 1}));
  EXPECT_EQ(layout.shared.begin, (Cells{0, 3, 4}));
  EXPECT_EQ(layout.shared.cell, (Cells{0, 5, 6, 1}));
}

TEST(SharedTransitionsLayout, AllFeaturesAreAllGroupsAndAllOthersButThoseInNone) {
  const TransitionGroups groups = groups_of({4, own, 4, none});
  const ChainLayout layout =
      lay_out(labelled({{0, 0}}), 2, {.features = FeatureSet::all, .groups = &groups});
  EXPECT_EQ(layout.tied.cell, (Cells{0, 1}));
  EXPECT_EQ(layout.shared.cell, (Cells{0, 2, 1}));
}

TEST(SharedTransitionsLayout, MinCountCountsTheTransitionsOfAGroupTogether) {
  const ChainData data = labelled({{0, 1, 0}});  // 0 -> 1 and 1 -> 0, once each
  const TransitionGroups groups = groups_of({own, 3, 3, own});
  EXPECT_EQ(lay_out(data, 2, {.min_count = 2, .groups = &groups}).tied.length(0), 1u);
  EXPECT_EQ(lay_out(data, 2, {.min_count = 2}).tied.length(0), 0u);
  EXPECT_EQ(lay_out(data, 2, {.min_count = 3, .groups = &groups}).tied.length(0), 0u);
}

TEST(SharedTransitionsLayout, WhatIsKeptKeepsItsGroup) {
  const ChainData data = labelled({{0, 0}});
  const TransitionGroups groups = groups_of({own, 3, 3, none});
  KeptFeatures kept;
  kept.tied = {2, 3};
  const ChainLayout layout = lay_out(data, 2, {.groups = &groups, .kept = &kept});
  EXPECT_EQ(layout.shared.cell, (Cells{0, 1, 2}));  // not 3, which has no feature
}

TEST(SharedTransitionsLayout, GroupsOfOneTransitionAreNoGroups) {
  const ChainData data = labelled({{0, 1, 1, 0}});
  const TransitionGroups groups = groups_of({9, 8, 7, 6});
  for (const FeatureSet features : {FeatureSet::observed, FeatureSet::all}) {
    const ChainLayout plain = lay_out(data, 2, {.features = features});
    const ChainLayout grouped = lay_out(data, 2, {.features = features, .groups = &groups});
    EXPECT_FALSE(grouped.shared.any());
    EXPECT_EQ(grouped.tied.begin, plain.tied.begin);
    EXPECT_EQ(grouped.tied.cell, plain.tied.cell);
  }
}

TEST(SharedTransitionsLayout, ASelectionKeepsTheTransitionsOfEachWeight) {
  const ChainData data = labelled({{0, 1, 2, 2}, {0, 1}});
  const TransitionGroups groups = groups_of({7, own, 7, own, own, 7, own, own, 5});
  ChainLayout layout =
      lay_out(data, 3, {.features = FeatureSet::all, .tied_rows = 2, .groups = &groups});
  layout.constraint = std::make_shared<const ChainConstraint>(3);
  ASSERT_EQ(layout.tied.length(0), 7u);                         // cells 0 (2, 5), 1, 3, 4, 6, 7, 8
  const std::vector<std::uint64_t> chosen = {0, 7 + 2, 7 + 6};  // in either row
  const FeatureSelection selection = select_features(layout, chosen);
  EXPECT_EQ(selection.layout.tied.cell, (Cells{0, 3, 8, 0, 3, 8}));
  EXPECT_EQ(selection.layout.shared.begin, (Cells{0, 3, 4, 5}));
  EXPECT_EQ(selection.layout.shared.cell, (Cells{0, 2, 5, 3, 8}));
  EXPECT_EQ(selection.origin, (std::vector<std::uint64_t>{0, 2, 6, 7, 9, 13}));
  EXPECT_EQ(selection.layout.constraint, layout.constraint);
}

// A model of these transitions, and no attributes.
ContainerWriter model_of(const ChainLayout& layout, std::span<const double> weights) {
  ExtractionConfig extraction;
  extraction.format = InputFormat::attributes;
  const Json training = Json::object();
  ChainModelParts parts;
  for (Label j = 0; j < layout.labels; ++j)
    parts.labels.push_back(std::string(1, "ABCDEFGHIJK"[j]));
  parts.extraction = &extraction;
  parts.layout = &layout;
  parts.tied_names = {""};
  parts.weights = weights;
  parts.training = &training;
  return make_chain_model(parts);
}

ChainModel opened(const ChainLayout& layout, std::span<const double> weights) {
  return ChainModel(Container::from_bytes(model_of(layout, weights).bytes(), "memory"));
}

TEST(SharedTransitionsModel, TheSharedWeightStandsAtEveryTransition) {
  const TransitionGroups groups = groups_of({own, 3, 3, 3});
  const ChainLayout layout =
      lay_out(labelled({{0, 0}}), 2, {.features = FeatureSet::all, .groups = &groups});
  const ChainModel model = opened(layout, std::vector<double>{0.5, -2});
  const auto& transitions = model.transitions<double>();
  EXPECT_EQ(transitions.at(0, 0), 0.5);
  EXPECT_EQ(transitions.at(0, 1), -2);
  EXPECT_EQ(transitions.at(1, 0), -2);
  EXPECT_EQ(transitions.at(1, 1), -2);
}

ChainConstraint random_constraint(std::size_t labels, Random& random) {
  ChainConstraint constraint(labels);
  for (auto* bits : {&constraint.start, &constraint.end, &constraint.edge}) {
    for (std::size_t k = 0; k < bits->size(); ++k) (*bits)[k] = random.below(2) == 0;
  }
  return constraint;
}

TEST(ConstrainedModel, KeepsItsConstraintAndScoresUnderIt) {
  Random random(1);
  for (const std::size_t labels : {1, 2, 3, 5, 11}) {
    ChainLayout layout = lay_out(labelled({{0, 0}}), labels, {.features = FeatureSet::all});
    const ChainConstraint constraint = random_constraint(labels, random);
    layout.constraint = std::make_shared<const ChainConstraint>(constraint);
    std::vector<double> weights;
    for (std::size_t k = 0; k < layout.dimension(); ++k) weights.push_back(random.normal());
    const ChainModel model = opened(layout, weights);
    ASSERT_TRUE(model.constraint());
    EXPECT_EQ(*model.constraint(), constraint);
    TextSequence text;
    for (int t = 0; t < 3; ++t) text.node.end_list();
    ChainModel::Scratch scratch;
    ChainScores<double> scores;
    model.score(text, scratch, scores);
    for (Label j = 0; j < labels; ++j) {
      EXPECT_EQ(scores.state(0, j) == 0, constraint.start[j]);
      EXPECT_EQ(scores.state(1, j), 0);
      EXPECT_EQ(scores.state(2, j) == 0, constraint.end[j]);
      for (Label i = 0; i < labels; ++i) {
        const double weight = static_cast<float>(weights[i * labels + j]);
        EXPECT_EQ(scores.edge(1, i, j),
                  constraint.allows(i, j) ? weight : ChainScores<double>::kForbidden);
      }
    }
  }
}

TEST(ConstrainedModel, WithoutAConstraintThereIsNoSection) {
  const ChainLayout layout = lay_out(labelled({{0, 0}}), 2, {});
  const ChainModel model = opened(layout, std::vector<double>{1});
  EXPECT_FALSE(model.constraint());
  EXPECT_FALSE(model.container().has("constraint"));
}

TEST(ConstrainedModel, TheFileHasABitForEachStartEndAndTransition) {
  ChainLayout layout = lay_out(labelled({{0, 0}}), 3, {});
  ChainConstraint constraint(3);
  constraint.start[1] = constraint.end[2] = false;
  constraint.set_edge(0, 2, false);
  constraint.set_edge(2, 2, false);
  layout.constraint = std::make_shared<const ChainConstraint>(constraint);
  const ChainModel model = opened(layout, std::vector<double>{1});
  const auto bytes = model.container().section("constraint");
  ASSERT_EQ(bytes.size(), 2u);
  EXPECT_EQ(bytes[0], std::byte{0b11011101});  // start 101, end 110, transitions from 0: 11…
  EXPECT_EQ(bytes[1], std::byte{0b00111110});  // … 0, from 1: 111, from 2: 110, lowest bit first
}

TEST(ConstrainedModel, ASectionOfAnotherSizeIsDamage) {
  ChainLayout layout = lay_out(labelled({{0, 0}}), 3, {});
  layout.constraint = std::make_shared<const ChainConstraint>(4);
  EXPECT_THROW(opened(layout, std::vector<double>{1}), Error);
}

}  // namespace
}  // namespace croft::shared_transitions_test
