// Label histories against their definition, with sets of vectors and no index arithmetic.
#include "croft/structure/label_histories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::label_histories_test {
namespace {

using Labels = std::vector<Label>;

Labels to_run(std::span<const Label> run) { return {run.begin(), run.end()}; }

std::set<Labels> to_set(const LabelRuns& runs) {
  std::set<Labels> set;
  for (std::size_t r = 0; r < runs.size(); ++r) set.insert(to_run(runs[r]));
  EXPECT_EQ(set.size(), runs.size());
  return set;
}

LabelRuns to_runs(const std::vector<Labels>& list) {
  LabelRuns runs;
  for (const Labels& run : list) runs.add(run);
  return runs;
}

std::vector<Labels> random_labellings(std::size_t count, std::size_t length, std::size_t labels,
                                      Random& random) {
  std::vector<Labels> all(count);
  for (Labels& y : all) {
    y.resize(random.below(length + 1));
    for (Label& label : y) label = static_cast<Label>(random.below(labels));
  }
  return all;
}

std::map<Labels, std::size_t> naive_counts(const std::vector<Labels>& data, std::size_t longest) {
  std::map<Labels, std::size_t> counts;
  for (const Labels& y : data) {
    for (std::size_t begin = 0; begin < y.size(); ++begin) {
      for (std::size_t end = begin + 1; end <= std::min(y.size(), begin + longest); ++end) {
        ++counts[Labels(y.begin() + begin, y.begin() + end)];
      }
    }
  }
  return counts;
}

SeenRuns seen_in(const std::vector<Labels>& data, std::size_t longest) {
  SeenRuns seen(longest);
  for (const Labels& y : data) seen.add(y);
  return seen;
}

// Every labelling of `length` positions.
std::vector<Labels> labellings(std::size_t length, std::size_t labels) {
  std::vector<Labels> all{{}};
  for (std::size_t t = 0; t < length; ++t) {
    std::vector<Labels> longer;
    for (const Labels& y : all) {
      for (Label j = 0; j < labels; ++j) {
        longer.push_back(y);
        longer.back().push_back(j);
      }
    }
    all = std::move(longer);
  }
  return all;
}

Labels last_labels(const Labels& y, std::size_t t, std::size_t order) {
  const std::size_t length = std::min(t + 1, order);
  return Labels(y.begin() + (t + 1 - length), y.begin() + t + 1);
}

// The lists that are derived from the states, one by one.
void expect_consistent(const LabelHistories& h) {
  const std::set<Labels> grams = to_set(h.grams);
  std::vector<Edge> edges;
  for (Label s = 0; s < h.size(); ++s) {
    const Labels run = to_run(h.states[s]);
    if (s > 0) {  // from the last label backwards
      const Labels before = to_run(h.states[s - 1]);
      EXPECT_LT(Labels(before.rbegin(), before.rend()), Labels(run.rbegin(), run.rend()));
    }
    EXPECT_EQ(h.find(run), s);
    EXPECT_EQ(h.label_of[s], run.back());
    EXPECT_EQ(h.previous_of[s], run.size() > 1 ? run[run.size() - 2] : LabelHistories::kNone);
    EXPECT_LE(h.label_begin[run.back()], s);
    EXPECT_GT(h.label_begin[run.back() + 1], s);
    EXPECT_EQ(std::ranges::count(h.starts, s), run.size() == 1);
    std::size_t groups = 0;
    for (const HistoryPair& pair : h.pairs) {
      if (s < pair.first || s >= pair.last) continue;
      ++groups;
      EXPECT_EQ(pair.from, h.previous_of[s]);
      EXPECT_EQ(pair.to, h.label_of[s]);
    }
    EXPECT_EQ(groups, run.size() > 1 ? 1u : 0u);
    std::multiset<Labels> own, expected;
    for (std::uint32_t k = h.state_gram_begin[s]; k < h.state_gram_begin[s + 1]; ++k) {
      own.insert(to_run(h.grams[h.state_gram[k]]));
    }
    for (std::size_t m = 3; m <= run.size(); ++m) {
      const Labels gram(run.end() - m, run.end());
      if (grams.contains(gram)) expected.insert(gram);
    }
    EXPECT_EQ(own, expected);
    for (Label to = 0; to < h.size(); ++to) {
      Labels next = run;
      next.push_back(h.label_of[to]);
      if (next.size() > h.order) next.erase(next.begin());
      if (next == to_run(h.states[to])) edges.push_back({s, to});
    }
  }
  EXPECT_EQ(h.label_begin.back(), h.size());
  EXPECT_TRUE(std::ranges::is_sorted(h.starts));
  EXPECT_EQ(h.edges, edges);
  ASSERT_EQ(h.edge_gram.size(), edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    Labels gram = to_run(h.states[edges[e].from]);
    gram.push_back(h.label_of[edges[e].to]);
    const bool has = gram.size() == h.order + 1 && grams.contains(gram);
    ASSERT_EQ(h.edge_gram[e] != LabelHistories::kNone, has);
    if (has) {
      EXPECT_EQ(to_run(h.grams[h.edge_gram[e]]), gram);
    }
  }
}

TEST(LabelHistories, SeenRunsAreThoseOfTheDefinition) {
  Random random(1);
  for (std::size_t longest = 1; longest <= 5; ++longest) {
    const std::vector<Labels> data = random_labellings(6, 7, 3, random);
    const SeenRuns seen = seen_in(data, longest);
    const std::map<Labels, std::size_t> counts = naive_counts(data, longest);
    for (const std::size_t min_count : {1, 2, 4}) {
      for (std::size_t shortest = 1; shortest <= longest; ++shortest) {
        std::set<Labels> expected;
        for (const auto& [run, count] : counts) {
          if (run.size() >= shortest && count >= min_count) expected.insert(run);
        }
        EXPECT_EQ(to_set(seen.runs(shortest, longest, min_count)), expected);
      }
    }
  }
}

TEST(LabelHistories, SeenHistoriesAreThoseOfTheDefinition) {
  Random random(2);
  std::size_t edges = 0, grams_on_edges = 0, grams_in_states = 0;
  for (const std::size_t order : {2, 3, 4}) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      const std::vector<Labels> data = random_labellings(5, 6, 3, random);
      const LabelHistories h = seen_histories(order, 3, seen_in(data, order + 1));
      std::set<Labels> states, grams;
      for (const auto& [run, count] : naive_counts(data, order + 1)) {
        if (run.size() <= order) states.insert(run);
        if (run.size() >= 3) grams.insert(run);
      }
      EXPECT_EQ(to_set(h.states), states);
      EXPECT_EQ(to_set(h.grams), grams);
      expect_consistent(h);
      EXPECT_TRUE(std::ranges::includes(to_set(possible_grams(h)), grams));
      edges += h.edges.size();
      grams_in_states += h.state_gram.size();
      for (const std::uint32_t gram : h.edge_gram) {
        grams_on_edges += gram != LabelHistories::kNone;
      }
    }
  }
  EXPECT_GT(grams_in_states, 0u);
  EXPECT_GT(grams_on_edges, 0u);
  EXPECT_GT(edges, grams_on_edges);  // unseen runs of n + 1 labels are allowed where both ends are
}

TEST(LabelHistories, RareGramsLoseTheirWeightAndNotTheirHistory) {
  const std::vector<Labels> data{{0, 1, 2}, {0, 1, 2}, {2, 1, 0}};
  const LabelHistories h = seen_histories(3, 3, seen_in(data, 4), 2);
  EXPECT_EQ(to_set(h.grams), (std::set<Labels>{{0, 1, 2}}));
  EXPECT_NE(h.find(Labels{2, 1, 0}), LabelHistories::kNone);
}

TEST(LabelHistories, PathFollowsEdgesAndStopsAtTheFirstMissingHistory) {
  Random random(3);
  std::size_t whole = 0, broken = 0;
  for (const std::size_t order : {2, 3, 4}) {
    const std::vector<Labels> data = random_labellings(12, 9, 3, random);
    const LabelHistories h = seen_histories(order, 3, seen_in(data, order + 1));
    const std::set<Labels> states = to_set(h.states);
    std::vector<Labels> all = labellings(5, 3);
    all.insert(all.end(), data.begin(), data.end());
    for (std::size_t n = 0; n < all.size(); ++n) {
      const Labels& y = all[n];
      Labels state(y.size());
      const std::size_t reached = history_path(h, y, state);
      std::size_t expected = 0;
      while (expected < y.size() && states.contains(last_labels(y, expected, order))) ++expected;
      ASSERT_EQ(reached, expected);
      (reached == y.size() ? whole : broken) += 1;
      for (std::size_t t = 0; t < reached; ++t) {
        EXPECT_EQ(to_run(h.states[state[t]]), last_labels(y, t, order));
        if (t > 0) {
          EXPECT_TRUE(std::ranges::binary_search(h.edges, Edge{state[t - 1], state[t]}));
        }
      }
      if (n >= 243) {
        EXPECT_EQ(reached, y.size());  // what was seen has a path
      }
    }
  }
  EXPECT_GT(whole, 0u);
  EXPECT_GT(broken, 0u);
}

TEST(LabelHistories, LabelsThatDoNotExistHaveNoHistory) {
  const LabelHistories h = seen_histories(2, 2, seen_in({{0, 1, 0}}, 3));
  Labels state(3);
  EXPECT_EQ(history_path(h, Labels{0, 7, 0}, state), 1u);
}

TEST(LabelHistories, AllowedHistoriesHaveAPathForEachLabellingThatObeys) {
  Random random(4);
  for (const std::size_t order : {2, 3, 4}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<bool> start(3), edge(9);
      for (std::size_t j = 0; j < 3; ++j) start[j] = random.uniform() < 0.6;
      for (std::size_t k = 0; k < 9; ++k) edge[k] = random.uniform() < 0.6;
      const LabelHistories h = allowed_histories(
          order, 3, [&](Label j) { return start[j]; },
          [&](Label i, Label j) { return edge[i * 3 + j]; });
      expect_consistent(h);
      std::set<Labels> used, grams;
      for (const Labels& y : labellings(6, 3)) {
        bool obeys = start[y[0]];
        for (std::size_t t = 1; t < y.size(); ++t) obeys = obeys && edge[y[t - 1] * 3 + y[t]];
        Labels state(y.size());
        ASSERT_EQ(history_path(h, y, state) == y.size(), obeys);
      }
      // No state and no gram is one that no labelling has.  A start reaches the first label of a
      // run, if at all, by one label after the other, each once.
      for (std::size_t length = 1; length <= 2 + order + 1; ++length) {
        for (const Labels& y : labellings(length, 3)) {
          Labels state(y.size());
          if (history_path(h, y, state) < y.size()) continue;
          for (const Label s : state) used.insert(to_run(h.states[s]));
          for (const auto& [run, count] : naive_counts({y}, order + 1)) {
            if (run.size() >= 3) grams.insert(run);
          }
        }
      }
      EXPECT_EQ(to_set(h.states), used);
      EXPECT_EQ(to_set(h.grams), grams);
      EXPECT_EQ(possible_grams(h), h.grams);
    }
  }
}

TEST(LabelHistories, EverythingAllowedGivesEveryRun) {
  const auto yes = [](Label, Label = 0) { return true; };
  const LabelHistories h = allowed_histories(3, 4, yes, yes);
  EXPECT_EQ(h.size(), 4u + 16 + 64);
  EXPECT_EQ(h.edges.size(), 16u + 64 + 256);
  EXPECT_EQ(h.grams.size(), 64u + 256);
}

TEST(LabelHistories, ListsOfStatesAndGramsSayItAll) {
  Random random(5);
  const LabelHistories h = seen_histories(3, 4, seen_in(random_labellings(20, 9, 4, random), 4), 2);
  const LabelHistories again = make_histories(3, 4, h.states, h.grams);
  EXPECT_EQ(again.states, h.states);
  EXPECT_EQ(again.grams, h.grams);
  EXPECT_EQ(again.edges, h.edges);
  EXPECT_EQ(again.edge_gram, h.edge_gram);
  EXPECT_EQ(again.state_gram, h.state_gram);
  EXPECT_EQ(again.state_gram_begin, h.state_gram_begin);
}

TEST(LabelHistories, NothingSeenGivesNoHistory) {
  const LabelHistories h = seen_histories(2, 3, SeenRuns(3));
  EXPECT_EQ(h.size(), 0u);
  Labels state(1);
  EXPECT_EQ(history_path(h, Labels{0}, state), 0u);
  EXPECT_EQ(history_path(h, {}, {}), 0u);
}

void expect_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error with: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(LabelHistories, ListsThatDoNotFitAreErrors) {
  expect_error([] { make_histories(1, 3, {}, {}); }, "order 1; the order must be 2 to 8");
  expect_error([] { make_histories(9, 3, {}, {}); }, "order 9; the order must be 2 to 8");
  expect_error(
      [] {
        make_histories(2, 3, to_runs({{0}, {3}}), {});
      },
      "state 1 has the label number 3, and there are 3 labels");
  expect_error(
      [] {
        make_histories(2, 3, to_runs({{0}, {0, 1, 2}}), {});
      },
      "state 1 has 3 labels, and 1 to 2 were expected");
  expect_error([] { make_histories(2, 3, to_runs({{}}), {}); }, "state 0 has 0 labels");
  expect_error(
      [] {
        make_histories(2, 3, {}, to_runs({{0, 1}}));
      },
      "gram 0 has 2 labels, and 3 to 3 were expected");
  expect_error([] { make_histories(2, 3, to_runs({{1}, {0}}), {}); }, "state 1 is out of order");
  expect_error([] { make_histories(2, 3, to_runs({{1}, {1}}), {}); }, "state 1 is out of order");
  LabelRuns cut = to_runs({{0}, {1}});
  cut.label.pop_back();
  expect_error([&] { make_histories(2, 3, cut, {}); }, "does not fit together");
  LabelRuns back = to_runs({{0}, {1}});
  back.begin[1] = 3;
  expect_error([&] { make_histories(2, 3, back, {}); }, "does not fit together");
}

TEST(LabelHistories, TooManyEdgesAreAnErrorBeforeTheyTakeMemory) {
  LabelRuns states;  // all pairs of 500 labels: 125 million edges
  for (Label j = 0; j < 500; ++j) {
    states.add(Labels{j});
    for (Label i = 0; i < 500; ++i) states.add(Labels{i, j});
  }
  expect_error([&] { make_histories(2, 500, states, {}); }, "take a lower order");
  const auto yes = [](Label, Label = 0) { return true; };
  expect_error([&] { allowed_histories(3, 459, yes, yes); }, "take a lower order");
}

}  // namespace
}  // namespace croft::label_histories_test
