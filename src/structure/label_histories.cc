#include "croft/structure/label_histories.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <string>

#include "croft/core/error.h"

namespace croft {
namespace {

// An edge takes some 50 bytes here and in its scores: 3 GB.
constexpr std::size_t kMostEdges = std::size_t{1} << 26;

[[noreturn]] void too_many(std::size_t order, std::size_t labels) {
  throw Error("histories of order " + std::to_string(order) + " over " + std::to_string(labels) +
              " labels need more than " + std::to_string(kMostEdges) +
              " edges; take a lower order, or fewer histories: those seen in the data");
}

void check_runs(const LabelRuns& runs, std::size_t shortest, std::size_t longest,
                std::size_t labels, const std::string& what) {
  const auto fail = [&](std::size_t r, const std::string& fault) {
    throw Error("label histories: " + what + " " + std::to_string(r) + " " + fault);
  };
  if (runs.begin.empty() || runs.begin[0] != 0 || runs.begin.back() != runs.label.size() ||
      !std::ranges::is_sorted(runs.begin)) {
    throw Error("label histories: the list of each " + what + "'s labels does not fit together");
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::span<const Label> run = runs[r];
    if (run.size() < shortest || run.size() > longest) {
      fail(r, "has " + std::to_string(run.size()) + " labels, and " + std::to_string(shortest) +
                  " to " + std::to_string(longest) + " were expected");
    }
    for (const Label y : run) {
      if (y >= labels) {
        fail(r, "has the label number " + std::to_string(y) + ", and there are " +
                    std::to_string(labels) + " labels");
      }
    }
    if (r > 0 && compare_runs(runs[r - 1], run) >= 0) fail(r, "is out of order");
  }
}

void index_states(LabelHistories& h) {
  h.label_begin.assign(h.labels + 1, 0);
  for (Label s = 0; s < h.size(); ++s) {
    const std::span<const Label> run = h.states[s];
    const std::uint32_t previous = run.size() > 1 ? run[run.size() - 2] : LabelHistories::kNone;
    h.label_of.push_back(run.back());
    h.previous_of.push_back(previous);
    ++h.label_begin[run.back() + 1];
    if (run.size() == 1) {
      h.starts.push_back(s);
    } else if (h.pairs.empty() || h.pairs.back().from != previous ||
               h.pairs.back().to != run.back()) {
      h.pairs.push_back({previous, run.back(), s, s + 1});
    } else {
      h.pairs.back().last = s + 1;
    }
  }
  for (std::size_t j = 0; j < h.labels; ++j) h.label_begin[j + 1] += h.label_begin[j];
}

struct StateRange {
  std::uint32_t first = 0, last = 0;
};

// The states that `to` follows: its labels but the last, or a history of n labels that ends in
// them.
StateRange followed_by(const LabelHistories& h, Label to) {
  const std::span<const Label> run = h.states[to], before = run.first(run.size() - 1);
  if (before.empty()) return {};
  if (run.size() < h.order) {
    const std::uint32_t found = h.find(before);
    return found == LabelHistories::kNone ? StateRange{} : StateRange{found, found + 1};
  }
  const auto states = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(h.size()));
  const auto first = std::ranges::partition_point(
      states, [&](Label s) { return compare_runs(h.states[s], before) < 0; });
  const auto last = std::ranges::partition_point(first, states.end(), [&](Label s) {
    const std::span<const Label> other = h.states[s];
    return other.size() >= before.size() && std::ranges::equal(other.last(before.size()), before);
  });
  return {static_cast<std::uint32_t>(first - states.begin()),
          static_cast<std::uint32_t>(last - states.begin())};
}

void make_edges(LabelHistories& h) {
  std::vector<StateRange> from(h.size());
  std::vector<std::int64_t> leaving(h.size() + 1, 0);  // changes from state to state, then counts
  std::size_t edges = 0;
  for (Label s = 0; s < h.size(); ++s) {
    from[s] = followed_by(h, s);
    ++leaving[from[s].first];
    --leaving[from[s].last];
    edges += from[s].last - from[s].first;
  }
  if (edges > kMostEdges) too_many(h.order, h.labels);
  std::vector<std::size_t> next(h.size() + 1, 0);  // where the next edge of each state goes
  std::int64_t count = 0;
  for (std::size_t s = 0; s < h.size(); ++s) {
    count += leaving[s];
    next[s + 1] = next[s] + static_cast<std::size_t>(count);
  }
  h.edges.resize(edges);
  for (Label to = 0; to < h.size(); ++to) {
    for (Label s = from[to].first; s < from[to].last; ++s) h.edges[next[s]++] = {s, to};
  }
}

void place_grams(LabelHistories& h) {
  h.state_gram_begin.push_back(0);
  for (Label s = 0; s < h.size(); ++s) {
    const std::span<const Label> run = h.states[s];
    for (std::size_t m = 3; m <= run.size(); ++m) {
      const std::uint32_t gram = find_run(h.grams, run.last(m));
      if (gram != kNoRun) h.state_gram.push_back(gram);
    }
    h.state_gram_begin.push_back(static_cast<std::uint32_t>(h.state_gram.size()));
  }
  h.edge_gram.assign(h.edges.size(), LabelHistories::kNone);
  for (std::uint32_t g = 0; g < h.grams.size(); ++g) {
    const std::span<const Label> run = h.grams[g];
    if (run.size() != h.order + 1) continue;
    const std::uint32_t from = h.find(run.first(h.order)), to = h.find(run.last(h.order));
    if (from == LabelHistories::kNone || to == LabelHistories::kNone) continue;
    const auto edge = std::ranges::lower_bound(h.edges, Edge{from, to});
    h.edge_gram[edge - h.edges.begin()] = g;
  }
}

// What a labelling that begins with one of `starts` can contain.
using Followers = std::vector<std::vector<Label>>;  // [L] of each label

std::vector<Label> reached_from(const std::vector<Label>& starts, const Followers& followers) {
  std::vector<Label> reached = starts;
  std::vector<bool> known(followers.size());
  for (const Label j : starts) known[j] = true;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const Label j : followers[reached[k]]) {
      if (known[j]) continue;
      known[j] = true;
      reached.push_back(j);
    }
  }
  return reached;
}

// Runs of `length` labels that begin with one of `first`.
double count_runs(const std::vector<Label>& first, const Followers& followers, std::size_t length) {
  std::vector<double> ending(followers.size(), 0);
  for (const Label j : first) ending[j] = 1;
  for (std::size_t m = 1; m < length; ++m) {
    std::vector<double> longer(followers.size(), 0);
    for (Label i = 0; i < followers.size(); ++i) {
      for (const Label j : followers[i]) longer[j] += ending[i];
    }
    ending = std::move(longer);
  }
  return std::accumulate(ending.begin(), ending.end(), 0.0);
}

void add_runs(const std::vector<Label>& first, const Followers& followers, std::size_t length,
              LabelRuns& runs) {
  std::vector<Label> run;
  const auto extend = [&](const auto& self, const std::vector<Label>& next) -> void {
    for (const Label j : next) {
      run.push_back(j);
      if (run.size() == length) {
        runs.add(run);
      } else {
        self(self, followers[j]);
      }
      run.pop_back();
    }
  };
  extend(extend, first);
}

}  // namespace

LabelHistories make_histories(std::size_t order, std::size_t labels, LabelRuns states,
                              LabelRuns grams) {
  if (order < 2 || order > kMostOrder) {
    throw UsageError("label histories of order " + std::to_string(order) +
                     "; the order must be 2 to " + std::to_string(kMostOrder));
  }
  check_runs(states, 1, order, labels, "state");
  check_runs(grams, 3, order + 1, labels, "gram");
  LabelHistories h;
  h.order = order;
  h.labels = labels;
  h.states = std::move(states);
  h.grams = std::move(grams);
  index_states(h);
  make_edges(h);
  place_grams(h);
  return h;
}

LabelHistories seen_histories(std::size_t order, std::size_t labels, const SeenRuns& seen,
                              std::size_t min_count) {
  return make_histories(order, labels, seen.runs(1, order), seen.runs(3, order + 1, min_count));
}

LabelHistories allowed_histories(std::size_t order, std::size_t labels,
                                 const std::function<bool(Label)>& may_start,
                                 const std::function<bool(Label, Label)>& may_follow) {
  std::vector<Label> starts;
  std::vector<std::vector<Label>> followers(labels);
  for (Label i = 0; i < labels; ++i) {
    if (may_start(i)) starts.push_back(i);
    for (Label j = 0; j < labels; ++j) {
      if (may_follow(i, j)) followers[i].push_back(j);
    }
  }
  const std::vector<Label> reached = reached_from(starts, followers);
  if (count_runs(reached, followers, order + 1) > double{kMostEdges}) too_many(order, labels);
  LabelRuns states, grams;
  for (std::size_t m = 1; m < order; ++m) add_runs(starts, followers, m, states);
  add_runs(reached, followers, order, states);
  for (std::size_t m = 3; m <= order + 1; ++m) add_runs(reached, followers, m, grams);
  return make_histories(order, labels, sorted_runs(states), sorted_runs(grams));
}

LabelRuns possible_grams(const LabelHistories& h) {
  LabelRuns grams;
  std::vector<Label> run;
  for (Label s = 0; s < h.size(); ++s) {
    for (std::size_t m = 3; m <= h.length_of(s); ++m) grams.add(h.states[s].last(m));
  }
  for (const Edge& edge : h.edges) {
    if (h.length_of(edge.from) < h.order) continue;
    run.assign(h.states[edge.from].begin(), h.states[edge.from].end());
    run.push_back(h.label_of[edge.to]);
    grams.add(run);
  }
  return sorted_runs(grams);
}

std::size_t history_path(const LabelHistories& h, std::span<const Label> y,
                         std::span<Label> state) {
  for (std::size_t t = 0; t < y.size(); ++t) {
    const std::size_t length = std::min(t + 1, h.order);
    const std::uint32_t found = h.find(y.subspan(t + 1 - length, length));
    if (found == LabelHistories::kNone) return t;
    state[t] = found;
  }
  return y.size();
}

}  // namespace croft
