// Labels by vote, against a vote in which every weight vector is decoded by enumeration.
#include "app/label/tagger.h"

#include <gtest/gtest.h>

#include "app/explain/explain.h"
#include "croft/core/error.h"
#include "support/message_of.h"
#include "support/model_file.h"
#include "support/small_model.h"

namespace croft::vote_tagger_test {
namespace {

using namespace testing_support;

using Labelling = std::vector<Label>;

// A layout with a vote, as a model.
struct Voted {
  LaidOut data;
  VotedPerceptron vote;
  std::shared_ptr<const ChainModel> model;

  void make(std::size_t updates, bool from_zero, Random& random) {
    vote = random_vote(data.layout.dimension(), updates, from_zero, random);
    std::vector<double> w(data.layout.dimension()), last;
    vote.replay(w, [&](std::span<const double> now, std::uint64_t) {
      last.assign(now.begin(), now.end());
    });
    model = opened(model_file(data, last, [&](ChainModelParts& parts) { parts.vote = &vote; }));
  }
};

// The votes of each label at each position; none where nothing is allowed.
std::optional<Matrix<double>> count_votes(const Voted& voted, const PlainSequence& x,
                                          const TransitionGroups* groups,
                                          const ChainConstraint* constraint) {
  const NaiveScore score(voted.data, groups);
  const std::size_t labels = voted.data.layout.labels;
  Matrix<double> votes(x.label.size(), labels, 0.0);
  std::vector<double> w(voted.data.layout.dimension());
  bool found = true;
  voted.vote.replay(w, [&](std::span<const double> now, std::uint64_t count) {
    const auto best = best_labelling(labels, x.label.size(), [&](const Labelling& y) {
      if (constraint != nullptr && check(*constraint, y)) return NaiveScore::kMinusInfinity;
      return score(x, y, now);
    });
    found = found && best;
    for (std::size_t t = 0; best && t < best->size(); ++t) {
      votes(t, (*best)[t]) += static_cast<double>(count);
    }
  });
  return found ? std::optional(votes) : std::nullopt;
}

void expect_the_vote(const Voted& voted, const TransitionGroups* groups = nullptr) {
  Tagger tagger(*voted.model);
  for (const PlainSequence& x : voted.data.plain) {
    const auto votes = count_votes(voted, x, groups, nullptr);
    ASSERT_TRUE(votes);
    const Tagging& tagging = tagger.tag(to_text(x), {});
    ASSERT_TRUE(tagging.outcome.found);
    for (std::size_t t = 0; t < x.label.size(); ++t) {
      const auto of_position = (*votes)[t];
      const auto most = std::ranges::max_element(of_position);  // the first among equals
      EXPECT_EQ(tagging.y[t], static_cast<Label>(most - of_position.begin())) << "position " << t;
    }
  }
}

TEST(VoteTagger, EveryPositionTakesTheLabelWithTheMostVotes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    Voted voted;
    voted.data = laid_out({.values = seed % 2 == 0}, {.tied_rows = seed % 3}, random);
    voted.make(random.below(40), seed % 5 == 0, random);
    expect_the_vote(voted);
  }
}

TEST(VoteTagger, VotesWithEveryFeatureOfEveryAttribute) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    Voted voted;
    voted.data = laid_out({.edge = 1}, {.features = FeatureSet::all}, random);
    voted.make(30, false, random);
    expect_the_vote(voted);
  }
}

TEST(VoteTagger, TransitionsThatShareAWeightChangeTogether) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    TransitionGroups groups;
    const std::uint32_t own = TransitionGroups::kOwn, none = TransitionGroups::kNone;
    groups.of = {7, own, 5, own, 7, 5, none, 5, own};
    Voted voted;
    voted.data = laid_out({}, {.tied_rows = 2, .groups = &groups}, random);
    voted.make(30, false, random);
    expect_the_vote(voted, &groups);
  }
}

// Where limits leave some labellings only, the allowed one whose labels have the most votes.
void expect_the_allowed_vote(const Voted& voted, const ChainConstraint* constraint) {
  TagRequest request;
  if (constraint != nullptr) request.constraint = *constraint;
  const TagPlan plan(*voted.model, request);
  Tagger tagger(plan);
  const NaiveScore score(voted.data, nullptr);
  const std::vector<double> zero(voted.data.layout.dimension());
  for (const PlainSequence& x : voted.data.plain) {
    const auto votes = count_votes(voted, x, nullptr, constraint);
    const Tagging& tagging = tagger.tag(to_text(x), {});
    ASSERT_EQ(tagging.outcome.found, votes.has_value());
    if (!votes) continue;
    const auto best = best_labelling(votes->columns(), x.label.size(), [&](const Labelling& y) {
      if (constraint != nullptr && check(*constraint, y)) return NaiveScore::kMinusInfinity;
      double sum = score(x, y, zero);
      for (std::size_t t = 0; t < y.size(); ++t) sum += (*votes)(t, y[t]);
      return sum;
    });
    EXPECT_EQ(tagging.y, best);
  }
}

ChainConstraint random_constraint(std::size_t labels, Random& random) {
  ChainConstraint constraint(labels);
  for (std::size_t i = 0; i < labels; ++i) {
    constraint.start[i] = random.below(3) > 0;
    constraint.end[i] = random.below(3) > 0;
    for (Label j = 0; j < labels; ++j) {
      constraint.set_edge(static_cast<Label>(i), j, random.below(3) > 0);
    }
  }
  return constraint;
}

TEST(VoteTagger, UnderConstraintsOfTheModelAndOfTheRequestVectorsAndVoteObey) {
  std::size_t without = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    Voted voted;
    voted.data = laid_out({}, {}, random);
    const ChainConstraint of_request = random_constraint(3, random);
    if (seed % 2 == 0) {
      voted.data.layout.constraint =
          std::make_shared<const ChainConstraint>(random_constraint(3, random));
    }
    voted.make(25, false, random);
    expect_the_allowed_vote(voted, seed % 4 == 0 ? nullptr : &of_request);
    without += seed % 4 == 0;
  }
  EXPECT_EQ(without, 10u);
}

TEST(VoteTagger, HistoriesOfHigherOrderVoteWithTheirGrams) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Voted voted;
    voted.data = laid_out({.max_length = 5, .edge = seed % 2 == 0 ? 0.5 : 0.0}, {}, random);
    const SmallModel how{.labels = {"a", "b", "c"}, .order = 2 + seed % 2, .pairs = 1};
    voted.data.layout.histories = random_histories(how, random);
    voted.make(40, false, random);
    ASSERT_GT(voted.model->gram_weights().size(), 0u);
    expect_the_allowed_vote(voted, nullptr);
  }
}

TEST(VoteTagger, ForcedLabelsStayAndTheOthersFollowThem) {
  Random random(3);
  Voted voted;
  voted.data = laid_out({.min_length = 3}, {}, random);
  voted.make(30, false, random);
  TagRequest request;
  request.partial = PartialLabels();
  const TagPlan plan(*voted.model, request);
  Tagger tagger(plan);
  const NaiveScore score(voted.data, nullptr);
  for (const PlainSequence& x : voted.data.plain) {
    TextSequence text = to_text(x);
    text.labels.clear();
    text.labels.append("?");
    text.labels.append("y2");
    for (std::size_t t = 2; t < x.label.size(); ++t) text.labels.append("y0|y2");
    text.labels.end_list();
    const auto fits = [](const Labelling& y) {
      return y[1] == 2 && std::ranges::count(y.begin() + 2, y.end(), Label{1}) == 0;
    };
    Matrix<double> votes(x.label.size(), 3, 0.0);
    std::vector<double> w(voted.data.layout.dimension());
    voted.vote.replay(w, [&](std::span<const double> now, std::uint64_t count) {
      const auto best = best_labelling(3, x.label.size(), [&](const Labelling& y) {
        return fits(y) ? score(x, y, now) : NaiveScore::kMinusInfinity;
      });
      for (std::size_t t = 0; t < best->size(); ++t) votes(t, (*best)[t]) += double(count);
    });
    const Tagging& tagging = tagger.tag(text, {});
    for (std::size_t t = 0; t < x.label.size(); ++t) {
      const auto most = std::ranges::max_element(votes[t]);
      EXPECT_EQ(tagging.y[t], static_cast<Label>(most - votes[t].begin()));
    }
  }
}

TEST(VoteTagger, AVoteThatNeverChangesIsViterbi) {
  Random random(8);
  Voted voted;
  voted.data = laid_out({}, {}, random);
  voted.make(0, false, random);
  const auto plain = opened(model_file(voted.data, voted.vote.start, [](ChainModelParts&) {}));
  Tagger by_vote(*voted.model), by_score(*plain);
  for (const PlainSequence& x : voted.data.plain) {
    EXPECT_EQ(by_vote.tag(to_text(x), {}).y, by_score.tag(to_text(x), {}).y);
  }
}

TEST(VoteTagger, ASequenceWithoutPositionsHasALabellingWithoutLabels) {
  Random random(2);
  Voted voted;
  voted.data = laid_out({}, {}, random);
  voted.make(5, false, random);
  Tagger tagger(*voted.model);
  const Tagging& tagging = tagger.tag(TextSequence(), {});
  EXPECT_TRUE(tagging.outcome.found);
  EXPECT_TRUE(tagging.y.empty());
}

TEST(VoteTagger, WhateverNeedsAProbabilityIsRefused) {
  Random random(2);
  Voted voted;
  voted.data = laid_out({}, {}, random);
  voted.make(5, false, random);
  const TagPlan plan(*voted.model);
  for (const TagOptions& options :
       {TagOptions{.probability = true}, TagOptions{.marginals = true}, TagOptions{.edges = true},
        TagOptions{.spans = true}, TagOptions{.entropy = true}, TagOptions{.expected_counts = true},
        TagOptions{.k_best = 2}, TagOptions{.samples = 1}}) {
    EXPECT_NE(
        message_of<UsageError>([&] { plan.check(options); }).find("a vote has no probabilities"),
        std::string::npos);
  }
  EXPECT_EQ(message_of<UsageError>([&] { plan.check({}); }), "no error");
  for (const Decode decode : {Decode::marginal, Decode::risk}) {
    TagRequest request;
    request.decode = decode;
    const std::string text =
        message_of<UsageError>([&] { TagPlan refused(*voted.model, request); });
    EXPECT_NE(text.find("--decode: small.croft is a voted perceptron"), std::string::npos) << text;
  }
  TagRequest request;
  request.rules = {"occurs y1"};
  const std::string text = message_of<UsageError>([&] { TagPlan refused(*voted.model, request); });
  EXPECT_NE(text.find("--rule: small.croft is a voted perceptron"), std::string::npos) << text;
  EXPECT_NE(message_of<UsageError>([&] { Explainer refused(plan); }).find("is a voted perceptron"),
            std::string::npos);
}

}  // namespace
}  // namespace croft::vote_tagger_test
