#include "app/search/search_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

#include "app/train/data_groups.h"
#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft {
namespace {

constexpr std::size_t kCandidatesOfRanges = 27;

// Three digits: as many as a score tells apart, and a command that is short.
std::string value_at(const SearchParameter& p, double u) {
  if (p.scale == SearchParameter::Scale::list) {
    const auto count = static_cast<double>(p.values.size());
    return p.values[std::min(p.values.size() - 1, static_cast<std::size_t>(u * count))];
  }
  if (p.scale == SearchParameter::Scale::integer) {
    return fmt::format("{:.0f}", std::min(p.high, p.low + std::floor(u * (p.high - p.low + 1))));
  }
  const double value = p.scale == SearchParameter::Scale::log
                           ? std::exp(std::log(p.low) + u * (std::log(p.high) - std::log(p.low)))
                           : p.low + u * (p.high - p.low);
  std::string text = fmt::format("{:.3g}", value);
  const double rounded = std::strtod(text.c_str(), nullptr);
  if (rounded < p.low) text = fmt::format("{}", p.low);
  if (rounded > p.high) text = fmt::format("{}", p.high);
  return text;
}

std::vector<std::size_t> shuffled(std::size_t n, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, random);
  return order;
}

std::size_t combinations(const std::vector<SearchParameter>& parameters) {
  std::size_t all = 1;
  for (const SearchParameter& p : parameters) {
    if (p.scale != SearchParameter::Scale::list) return kManyCandidates;
    all = std::min(kManyCandidates, all * p.values.size());
  }
  return all;
}

// Of lists all combinations, in the order of the lists, where there are no more than asked for;
// otherwise a Latin hypercube: each parameter's values are spread evenly over all candidates.
std::vector<std::vector<std::string>> draw_candidates(
    const std::vector<SearchParameter>& parameters, std::size_t count, std::uint64_t seed) {
  std::vector<std::vector<std::string>> drawn;
  if (combinations(parameters) <= count) {
    drawn.assign(1, {});
    for (const SearchParameter& p : parameters) {
      std::vector<std::vector<std::string>> longer;
      for (const auto& each : drawn) {
        for (const std::string& value : p.values) {
          longer.push_back(each);
          longer.back().push_back(value);
        }
      }
      drawn = std::move(longer);
    }
    return drawn;
  }
  Random random(seed);
  drawn.assign(count, {});
  for (const SearchParameter& p : parameters) {
    const std::vector<std::size_t> order = shuffled(count, random);
    for (std::size_t k = 0; k < count; ++k) {
      const double u =
          (static_cast<double>(order[k]) + random.uniform()) / static_cast<double>(count);
      drawn[k].push_back(value_at(p, u));
    }
  }
  std::set<std::vector<std::string>> seen;
  std::erase_if(drawn, [&](const auto& each) { return !seen.insert(each).second; });
  return drawn;
}

// How many of the settings are to be drawn.
std::size_t count_of(const SearchSettings& s) {
  const std::size_t all = combinations(s.parameters);
  std::size_t count = s.candidates.value_or(all < kManyCandidates ? all : kCandidatesOfRanges);
  if (!s.budget || s.candidates) return count;
  const std::size_t most = std::min(all, kManyCandidates - 1);
  for (count = 1; count < most; ++count) {
    if (search_cost(search_rungs(count + 1, s.eta, s.smallest)) > *s.budget) break;
  }
  return count;
}

// Groups in a random order, each to the fold that has the fewest sequences so far.
std::vector<std::vector<std::size_t>> deal_out(const std::vector<std::vector<std::size_t>>& members,
                                               const SearchSettings& s) {
  Random random(s.seed);
  std::vector<std::vector<std::size_t>> folds(s.folds);
  for (const std::size_t group : shuffled(members.size(), random)) {
    std::vector<std::size_t>& fold =
        *std::ranges::min_element(folds, {}, &std::vector<std::size_t>::size);
    fold.insert(fold.end(), members[group].begin(), members[group].end());
  }
  return folds;
}

// Folds of neighbours: fold k begins with the first group that begins in the k-th part of the data.
// What a fold's rungs take is drawn from all of it.
std::vector<std::vector<std::size_t>> cut(const std::vector<std::vector<std::size_t>>& members,
                                          std::size_t sequences, const SearchSettings& s) {
  std::vector<std::vector<std::size_t>> folds(s.folds);
  std::size_t before = 0;
  for (const std::vector<std::size_t>& group : members) {
    std::vector<std::size_t>& fold = folds[before * s.folds / sequences];
    fold.insert(fold.end(), group.begin(), group.end());
    before += group.size();
  }
  Random random(s.seed);
  for (std::vector<std::size_t>& fold : folds) {
    if (fold.empty()) {
      throw UsageError("--contiguous: a group is so large that one of the ", s.folds,
                       " folds is left without sequences; give fewer --folds");
    }
    std::vector<std::size_t> drawn;
    for (const std::size_t k : shuffled(fold.size(), random)) drawn.push_back(fold[k]);
    fold = std::move(drawn);
  }
  return folds;
}

}  // namespace

SearchPlan::SearchPlan(const SearchSettings& s, std::size_t sequences,
                       std::span<const std::size_t> groups) {
  const std::vector<std::vector<std::size_t>> members = members_of(groups, sequences);
  if (members.size() < s.folds) {
    throw UsageError("--folds ", s.folds, ": the data has ", members.size(),
                     groups.empty() ? Message(" sequences") : Message(" groups"));
  }
  candidates = draw_candidates(s.parameters, count_of(s), s.seed);
  rungs = search_rungs(candidates.size(), s.eta, s.smallest);
  const double cost = search_cost(rungs);
  if (s.budget && cost > *s.budget) {
    throw UsageError(
        "--budget ", fmt::format("{}", *s.budget), ": ", candidates.size(), " candidates cost ",
        fmt::format("{:.1f}", cost),
        " cross-validations on all of the data; give a larger one, or fewer --candidates");
  }
  folds = s.contiguous ? cut(members, sequences, s) : deal_out(members, s);
}

std::vector<std::size_t> SearchPlan::test_of(std::size_t fold) const {
  std::vector<std::size_t> test = folds[fold];
  std::ranges::sort(test);
  return test;
}

// The first of what was drawn for the other folds (for the only one, which is scored elsewhere), so
// that each rung's is a part of the next one's.
std::vector<std::size_t> SearchPlan::training_of(double share, std::size_t fold) const {
  std::vector<std::size_t> rest;
  const std::size_t largest =
      std::ranges::max_element(folds, {}, &std::vector<std::size_t>::size)->size();
  for (std::size_t k = 0; k < largest; ++k) {
    for (std::size_t other = 0; other < folds.size(); ++other) {
      const bool trains = other != fold || folds.size() == 1;
      if (trains && k < folds[other].size()) rest.push_back(folds[other][k]);
    }
  }
  rest.resize(static_cast<std::size_t>(std::ceil(share * static_cast<double>(rest.size()))));
  std::ranges::sort(rest);
  return rest;
}

std::vector<SearchRung> search_rungs(std::size_t candidates, std::size_t eta, double smallest) {
  std::vector<std::size_t> count{candidates};
  double share = 1;
  while (count.back() > 1 && share / static_cast<double>(eta) >= smallest) {
    share /= static_cast<double>(eta);
    count.push_back((count.back() - 1) / eta + 1);
  }
  std::vector<SearchRung> rungs;
  for (std::size_t k = 0; k < count.size(); ++k) {
    rungs.push_back({std::pow(static_cast<double>(eta),
                              static_cast<double>(k) - static_cast<double>(count.size() - 1)),
                     count[k]});
  }
  return rungs;
}

std::size_t rung_iterations(double share, std::size_t iterations) {
  const double count = std::round(share * static_cast<double>(iterations));
  return static_cast<std::size_t>(std::max(1.0, count));
}

double search_cost(const std::vector<SearchRung>& rungs) {
  double cost = 0;
  for (const SearchRung& rung : rungs) cost += rung.share * static_cast<double>(rung.candidates);
  return cost;
}

}  // namespace croft
