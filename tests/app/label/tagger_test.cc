// The tagger against an enumeration of all labellings, whatever limits them.
#include "app/label/tagger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "app/label/chunks.h"
#include "app/label/tag_files.h"
#include "croft/core/error.h"
#include "support/enumeration.h"
#include "support/small_model.h"

namespace croft::tagger_test {
namespace {

using testing_support::count_of_chunks;
using testing_support::Enumeration;
using testing_support::kBio;
using testing_support::Labelling;
using testing_support::names_of;
using testing_support::obeys_bio;
using testing_support::random_model;
using testing_support::random_text;
using testing_support::set_labels;
using testing_support::SmallModel;

constexpr double kTolerance = 1e-10;

TagOptions everything() {
  TagOptions options;
  options.probability = options.marginals = options.edges = options.spans = true;
  options.entropy = options.expected_counts = true;
  options.k_best = 7;
  options.samples = 3;
  return options;
}

void expect_labelling(const Tagging& tagging, const Enumeration& all) {
  ASSERT_FALSE(all.entries.empty());
  EXPECT_TRUE(tagging.outcome.found);
  EXPECT_TRUE(tagging.outcome.exact);
  EXPECT_NEAR(std::log(all.p(tagging.y)), std::log(all.entries[0].p), kTolerance);
  EXPECT_NEAR(tagging.log_probability, std::log(all.entries[0].p), kTolerance);
  EXPECT_NEAR(tagging.log_partition, all.log_z, kTolerance);
}

void expect_sums(const Tagging& tagging, const Enumeration& all, std::size_t labels) {
  const std::size_t length = tagging.y.size();
  EXPECT_NEAR(tagging.entropy, all.entropy(), kTolerance);
  std::map<std::tuple<std::size_t, Label, Label>, double> edges;
  for (const EdgeProbability& e : tagging.edges) edges[{e.t, e.from, e.to}] = e.value;
  std::map<std::pair<Label, Label>, double> counts;
  for (const EdgeProbability& e : tagging.edge_counts) counts[{e.from, e.to}] = e.value;
  for (Label j = 0; j < labels; ++j) {
    for (std::size_t t = 0; t < length; ++t) {
      EXPECT_NEAR(tagging.marginals(t, j), all.sum([&](const Labelling& y) { return y[t] == j; }),
                  kTolerance);
    }
    EXPECT_NEAR(tagging.label_counts[j],
                all.sum([&](const Labelling& y) { return std::ranges::count(y, j); }), kTolerance);
    for (Label i = 0; i < labels; ++i) {
      double expected = 0;
      for (std::size_t t = 1; t < length; ++t) {
        const double p = all.sum([&](const Labelling& y) { return y[t - 1] == i && y[t] == j; });
        expected += p;
        if (std::abs(p - kSmallestEdge) < kTolerance) continue;
        EXPECT_EQ(edges.count({t, i, j}), p > kSmallestEdge);
        if (p > kSmallestEdge) {
          EXPECT_NEAR((edges[{t, i, j}]), p, kTolerance);
        }
      }
      if (std::abs(expected - kSmallestEdge) < kTolerance) continue;
      EXPECT_EQ(counts.count({i, j}), expected > kSmallestEdge);
      if (expected > kSmallestEdge) {
        EXPECT_NEAR((counts[{i, j}]), expected, kTolerance);
      }
    }
  }
}

void expect_lists(const Tagging& tagging, const Enumeration& all, const LabelNames& names) {
  ASSERT_EQ(tagging.k_best.size(), std::min<std::size_t>(7, all.entries.size()));
  std::set<Labelling> distinct;
  for (std::size_t k = 0; k < tagging.k_best.size(); ++k) {
    const auto& [y, score] = tagging.k_best[k];
    distinct.insert(y);
    EXPECT_NEAR(score, all.entries[k].score, kTolerance);
    EXPECT_NEAR(std::exp(score - tagging.log_partition), all.p(y), kTolerance);
  }
  EXPECT_EQ(distinct.size(), tagging.k_best.size());
  EXPECT_EQ(tagging.k_best[0].labels, tagging.y);
  ASSERT_EQ(tagging.samples.size(), 3u);
  for (const Labelling& y : tagging.samples) EXPECT_GT(all.p(y), 0);
  const auto chunks = chunks_of(names_of(tagging.y, names), ChunkScheme::bio);
  ASSERT_EQ(tagging.spans.size(), chunks.size());
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    EXPECT_EQ(tagging.spans[c].begin, chunks[c].begin);
    EXPECT_EQ(tagging.spans[c].end, chunks[c].end);
    EXPECT_EQ(tagging.spans[c].type, chunks[c].type);
    EXPECT_NEAR(tagging.spans[c].probability, all.sum([&](const Labelling& y) {
      const auto of_y = chunks_of(names_of(y, names), ChunkScheme::bio);
      return std::ranges::find(of_y, chunks[c]) != of_y.end();
    }),
                kTolerance);
  }
}

// One way to limit labellings, and the same said as a predicate and a number.
struct Limits {
  const char* name;
  TagRequest request;
  std::vector<std::string> partial;  // labels of the input
  std::function<bool(const Labelling&, const LabelNames&)> allowed;
  std::function<double(const Labelling&, const TextSequence&)> penalty;
};

PenaltyFile penalty_file(std::string_view text) {
  LineReader lines(text, "penalties.txt");
  return read_penalty_file(lines, PenaltyTests::attributes);
}

bool has_attribute(const TextSequence& text, std::size_t t, std::string_view name) {
  for (auto k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
    if (text.node.item(k) == name) return true;
  }
  return false;
}

std::vector<Limits> all_limits() {
  std::vector<Limits> list;
  list.push_back({"free", {}, {}, [](const auto&, const auto&) { return true; }, {}});
  TagRequest bio;
  bio.constraint = choose_constraint("bio", kBio);
  list.push_back(
      {"bio", bio, {}, [](const Labelling& y, const auto&) { return obeys_bio(y); }, {}});
  TagRequest penalties;
  penalties.penalties = penalty_file("* I-* 0.75\na1 O -1.5\na1 B-X 0.25\na1 I-X 1\n");
  list.push_back({"penalties",
                  penalties,
                  {},
                  [](const auto&, const auto&) { return true; },
                  [](const Labelling& y, const TextSequence& text) {
                    double sum = 0;
                    for (std::size_t t = 0; t < y.size(); ++t) {
                      if (y[t] == 2 || y[t] == 4) sum += 0.75;
                      if (!has_attribute(text, t, "a1")) continue;
                      sum += y[t] == 0 ? -1.5 : y[t] == 1 ? 0.25 : y[t] == 2 ? 1 : 0;
                    }
                    return sum;
                  }});
  TagRequest partial;
  partial.partial = PartialLabels{};
  list.push_back({"partial",
                  partial,
                  {"?", "B-X|I-X|O", "?", "B-Y", "O|I-Y"},
                  [](const Labelling& y, const auto&) {
                    return y[1] < 3 && y[3] == 3 && (y[4] == 0 || y[4] == 4);
                  },
                  {}});
  TagRequest rules;
  rules.rules = {"at-most 1 X", "occurs B-Y"};
  list.push_back({"rules",
                  rules,
                  {},
                  [](const Labelling& y, const LabelNames& names) {
                    return count_of_chunks(y, names, "X") <= 1 && std::ranges::count(y, 3u) > 0;
                  },
                  {}});
  TagRequest both = bio;
  both.penalties = penalties.penalties;
  both.partial = PartialLabels{};
  both.rules = {"exactly 1 X", "not-both I-X I-Y", "at-least 1 label O"};
  list.push_back({"all together",
                  both,
                  {"?", "?", "?", "B-Y|O", "?"},
                  [](const Labelling& y, const LabelNames& names) {
                    const bool apart =
                        std::ranges::count(y, 2u) == 0 || std::ranges::count(y, 4u) == 0;
                    return obeys_bio(y) && (y[3] == 3 || y[3] == 0) && apart &&
                           count_of_chunks(y, names, "X") == 1 && std::ranges::count(y, 0u) > 0;
                  },
                  list[2].penalty});
  return list;
}

class LimitedTagging : public testing::TestWithParam<SmallModel> {};

TEST_P(LimitedTagging, AnswersEveryQuestionAsAnEnumerationDoes) {
  Random random(11);
  const SmallModel& how = GetParam();
  for (int round = 0; round < 6; ++round) {
    const ChainModel model = random_model(how, random);
    TextSequence text = random_text(how, 5, random);
    for (const Limits& limits : all_limits()) {
      SCOPED_TRACE(limits.name);
      if (!limits.partial.empty()) set_labels(limits.partial, text);
      const TagPlan plan(model, limits.request);
      EXPECT_FALSE(plan.searches());
      Tagger tagger(plan);
      const auto penalty = [&](const Labelling& y) {
        return limits.penalty ? limits.penalty(y, text) : 0;
      };
      const Enumeration all(
          model, text, [&](const Labelling& y) { return limits.allowed(y, plan.names()); },
          penalty);
      const Tagging& tagging = tagger.tag(text, everything());
      if (how.pairs < 1 && all.entries.empty()) {  // label histories may leave nothing
        EXPECT_FALSE(tagging.outcome.found);
        continue;
      }
      expect_labelling(tagging, all);
      expect_sums(tagging, all, kBio.size());
      expect_lists(tagging, all, plan.names());
      // Labels alone: in single precision, and without any sum.
      const Labelling best = tagging.y;
      EXPECT_EQ(tagger.tag(text, {}).y, best);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LimitedTagging,
                         testing::Values(SmallModel{.labels = kBio},
                                         SmallModel{.labels = kBio, .overlays = true},
                                         SmallModel{.labels = kBio, .order = 2},
                                         SmallModel{.labels = kBio, .overlays = true, .order = 2},
                                         SmallModel{.labels = kBio, .order = 3},
                                         SmallModel{.labels = kBio, .order = 2, .pairs = 0.8}));

TEST(Tagger, LossOfGoldIsThatOfAnEnumerationAndInfiniteWithoutAPath) {
  Random random(13);
  const SmallModel how{.labels = kBio, .overlays = true, .order = 2, .pairs = 0.8};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 3, random);
  const Enumeration all(model, text, [](const Labelling&) { return true; });
  Tagger tagger(model);
  tagger.tag(text, {.probability = true});
  std::size_t without_path = 0;
  for (Label i = 0; i < 5; ++i) {
    for (Label j = 0; j < 5; ++j) {
      for (Label k = 0; k < 5; ++k) {
        const Labelling y = {i, j, k};
        without_path += !testing_support::has_path(model, y);
        EXPECT_NEAR(std::exp(-tagger.negative_log_probability(y)), all.p(y), kTolerance);
      }
    }
  }
  EXPECT_GT(without_path, 10u);
  EXPECT_LT(without_path, 100u);
}

TEST(Tagger, DecodingByMarginalsOrRiskWorksOnLabelsNotOnTheirHistories) {
  Random random(14);
  for (int round = 0; round < 10; ++round) {
    const SmallModel how{.labels = kBio, .order = 2, .pairs = 0.7};
    const ChainModel model = random_model(how, random);
    const TextSequence text = random_text(how, 4, random);
    const Enumeration all(model, text, [](const Labelling&) { return true; });
    const auto marginal = [&](std::size_t t, Label j) {
      return all.sum([&](const Labelling& y) { return y[t] == j; });
    };
    TagRequest request;
    request.decode = Decode::marginal;
    const TagPlan plan(model, request);
    request.decode = Decode::risk;
    const TagPlan risk(model, request);
    Tagger tagger(plan), careful(risk);
    const Tagging& free = tagger.tag(text, {.probability = true});
    for (std::size_t t = 0; t < 4; ++t) {
      for (Label j = 0; j < 5; ++j) {
        EXPECT_GE(marginal(t, free.y[t]), marginal(t, j) - kTolerance);
      }
    }
    EXPECT_NEAR(std::exp(free.log_probability), all.p(free.y), kTolerance);
    const auto right = [&](const Labelling& y) {
      double sum = 0;
      for (std::size_t t = 0; t < y.size(); ++t) sum += marginal(t, y[t]);
      return sum;
    };
    double best = 0;
    for (const auto& entry : all.entries) best = std::max(best, right(entry.y));
    const Tagging& allowed = careful.tag(text, {});
    EXPECT_GT(all.p(allowed.y), 0);
    EXPECT_NEAR(right(allowed.y), best, kTolerance);
  }
}

TEST(Tagger, AnswersEveryQuestionWhereTransitionsAreSparse) {
  Random random(12);
  SmallModel how{.labels = kBio, .transitions = 0.03};
  for (int k = 0; k < 65; ++k) how.labels.push_back("Z" + std::to_string(k));
  const ChainModel model = random_model(how, random);
  ASSERT_TRUE(model.transitions<double>().sparse());
  TextSequence text = random_text(how, 2, random);
  set_labels({"?", "Z1|B-X|B-Y|O|Z7"}, text);
  for (const bool limited : {false, true}) {
    TagRequest request;
    request.scheme = ChunkScheme::bio;
    if (limited) {
      request.constraint = choose_constraint("bio", how.labels);
      request.partial = PartialLabels{};
      request.rules = {"at-most 1 X", "at-least 1 label B-*"};
    }
    const TagPlan plan(model, request);
    const Enumeration all(model, text, [&](const Labelling& y) {
      const bool known = y[1] == 0 || y[1] == 1 || y[1] == 3 || y[1] == 6 || y[1] == 12;
      const bool begins = std::ranges::count(y, 1u) + std::ranges::count(y, 3u) > 0;
      return !limited ||
             (known && begins && obeys_bio(y) && count_of_chunks(y, plan.names(), "X") <= 1);
    });
    Tagger tagger(plan);
    const Tagging& tagging = tagger.tag(text, everything());
    expect_labelling(tagging, all);
    expect_sums(tagging, all, how.labels.size());
    expect_lists(tagging, all, plan.names());
    const Labelling best = tagging.y;
    EXPECT_EQ(tagger.tag(text, {}).y, best);
  }
}

TEST(Tagger, PartialProbabilityIsThatOfTheRestrictionsBeforeTheyAreImposed) {
  Random random(5);
  const SmallModel how{.labels = kBio};
  for (const char* rule : {"", "at-most 1 X"}) {
    const ChainModel model = random_model(how, random);
    TextSequence text = random_text(how, 4, random);
    set_labels({"?", "O|B-X", "?", "I-X"}, text);
    TagRequest request;
    request.partial = PartialLabels{};
    request.constraint = choose_constraint("bio", kBio);
    if (*rule != 0) request.rules = {rule};
    const TagPlan plan(model, request);
    const Enumeration all(model, text, [&](const Labelling& y) {
      return obeys_bio(y) && (*rule == 0 || count_of_chunks(y, plan.names(), "X") <= 1);
    });
    Tagger tagger(plan);
    const double expected =
        all.sum([](const Labelling& y) { return (y[1] == 0 || y[1] == 1) && y[3] == 2; });
    EXPECT_NEAR(std::exp(tagger.tag(text, {.probability = true}).log_partial), expected,
                kTolerance);
  }
}

TEST(Tagger, SaysSoWhereNoLabellingIsAllowed) {
  Random random(4);
  const SmallModel how{.labels = kBio};
  const ChainModel model = random_model(how, random);
  TextSequence text = random_text(how, 3, random);
  set_labels({"O", "I-X", "?"}, text);
  TagRequest constrained;
  constrained.constraint = choose_constraint("bio", kBio);
  constrained.partial = PartialLabels{};
  TagRequest counted;
  counted.rules = {"at-least 4 label *"};
  TagRequest agreeing = constrained;
  agreeing.rules = {"agree a"};
  for (const TagRequest& request : {constrained, counted, agreeing}) {
    const TagPlan plan(model, request);
    Tagger tagger(plan);
    for (const TagOptions& options :
         {TagOptions{}, TagOptions{.probability = true, .spans = true}}) {
      const Tagging& tagging = tagger.tag(text, options);
      EXPECT_FALSE(tagging.outcome.found);
      EXPECT_TRUE(tagging.outcome.exact);
      EXPECT_TRUE(tagging.y.empty());
      EXPECT_TRUE(tagging.spans.empty());
    }
  }
}

TEST(Tagger, SamplesComeAsOftenAsTheyAreProbable) {
  Random random(6);
  const SmallModel how{.labels = {"O", "B-X", "I-X"}, .scale = 0.5};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 3, random);
  TagRequest request;
  request.rules = {"at-most 1 X"};
  const TagPlan plan(model, request);
  const Enumeration all(model, text, [&](const Labelling& y) {
    return chunks_of(names_of(y, plan.names()), ChunkScheme::bio).size() <= 1;
  });
  Tagger tagger(plan);
  constexpr std::size_t kDraws = 20000;
  std::map<Labelling, std::size_t> count;
  for (const Labelling& y : tagger.tag(text, {.samples = kDraws}).samples) ++count[y];
  for (const auto& [y, score, p] : all.entries) {
    EXPECT_NEAR(static_cast<double>(count[y]) / kDraws, p, 5 * std::sqrt(p * (1 - p) / kDraws));
  }
}

TEST(Tagger, SamplesDependOnTheSeedAndTheSequencesIndexAlone) {
  Random random(6);
  const SmallModel how{.labels = kBio, .scale = 0.1};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 20, random), other = random_text(how, 9, random);
  Tagger a(model), b(model);
  const auto draw = [&](Tagger& tagger, std::size_t index, std::uint64_t seed) {
    return tagger.tag(TagInput{text, nullptr, {}, index}, {.samples = 2, .seed = seed}).samples;
  };
  const auto first = draw(a, 0, 1);
  EXPECT_NE(first[0], first[1]);
  b.tag(other, {.samples = 5});
  EXPECT_EQ(draw(b, 0, 1), first);
  EXPECT_NE(draw(b, 1, 1), first);
  EXPECT_NE(draw(b, 0, 2), first);
}

TEST(Tagger, NegativeLogProbabilityIsInfiniteForWhatIsForbidden) {
  Random random(9);
  const SmallModel how{.labels = kBio};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 3, random);
  TagRequest request;
  request.constraint = choose_constraint("bio", kBio);
  request.rules = {"at-most 1 X"};
  const TagPlan plan(model, request);
  const Enumeration all(model, text, [&](const Labelling& y) {
    return obeys_bio(y) && count_of_chunks(y, plan.names(), "X") <= 1;
  });
  Tagger tagger(plan);
  tagger.tag(text, {.probability = true});
  EXPECT_NEAR(tagger.negative_log_probability({0, 1, 2}), -std::log(all.p({0, 1, 2})), kTolerance);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(tagger.negative_log_probability({0, 2, 2}), infinity);  // bio
  EXPECT_EQ(tagger.negative_log_probability({1, 0, 1}), infinity);  // the rule
  EXPECT_EQ(tagger.negative_log_probability({1, 0, 9}), infinity);  // no such label
}

TEST(Tagger, RefusesWhatDoesNotGoTogether) {
  Random random(1);
  const ChainModel model = random_model({.labels = kBio}, random);
  const auto plan_fails = [&](const TagRequest& request) {
    EXPECT_THROW(TagPlan(model, request), UsageError);
  };
  TagRequest marginal;
  marginal.decode = Decode::marginal;
  EXPECT_NO_THROW(TagPlan(model, marginal));
  TagRequest constrained = marginal;
  constrained.constraint = choose_constraint("bio", kBio);
  plan_fails(constrained);
  TagRequest ruled = marginal;
  ruled.rules = {"occurs O"};
  plan_fails(ruled);
  TagRequest searched;
  searched.decode = Decode::risk;
  searched.rules = {"agree a"};
  plan_fails(searched);
  EXPECT_THROW(TagPlan(model, marginal).check({.k_best = 2}), UsageError);
  searched.decode = Decode::viterbi;
  const TagPlan search(model, searched);
  EXPECT_THROW(search.check({.k_best = 2}), UsageError);
  EXPECT_THROW(search.check({.samples = 2}), UsageError);
  EXPECT_NO_THROW(search.check({.marginals = true, .spans = true}));
  const ChainModel plain = random_model({.labels = {"A", "C"}}, random);
  EXPECT_THROW(TagPlan(plain).check({.spans = true}), UsageError);
  TagRequest raw;
  raw.scheme = ChunkScheme::raw;
  EXPECT_NO_THROW(TagPlan(plain, raw).check({.spans = true}));
}

TEST(Tagger, CellsThatAreAskedForNeedTheRows) {
  Random random(1);
  const SmallModel how{.labels = {"A", "C"}, .format = InputFormat::columns, .columns = 2};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 2, random);
  ColumnSequence rows;
  rows.append_row("same x");
  rows.append_row("same y");
  TagRequest request;
  request.rules = {"agree 0"};
  const TagPlan plan(model, request);
  Tagger tagger(plan);
  EXPECT_THROW(tagger.tag(text, {}), Error);
  const Tagging& tagging = tagger.tag(TagInput{text, &rows}, {});
  EXPECT_EQ(tagging.y[0], tagging.y[1]);
}

TEST(Tagger, AnEmptySequenceHasOneLabellingUnlessARuleAsksForMore) {
  Random random(1);
  const ChainModel model = random_model({.labels = kBio}, random);
  TextSequence empty;
  for (const auto& [rule, found] : {std::pair{"at-most 1 X", true}, {"at-least 1 X", false}}) {
    TagRequest request;
    request.rules = {rule};
    const TagPlan plan(model, request);
    Tagger tagger(plan);
    EXPECT_EQ(tagger.tag(empty, {}).outcome.found, found);
    EXPECT_EQ(tagger.tag(empty, {.probability = true, .k_best = 2}).outcome.found, found);
  }
}

}  // namespace
}  // namespace croft::tagger_test
