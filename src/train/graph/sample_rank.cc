#include "train/graph/sample_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "structure/factor_numbers.h"
#include "train/graph/graph_support.h"

namespace croft {
namespace {

template <class T>
void sort_and_unite(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto same = std::ranges::unique(values);
  values.erase(same.begin(), same.end());
}

}  // namespace

SampleRank::SampleRank(const CliqueSchema& schema, const CliqueRows& rows,
                       const GraphLayout& layout, std::span<GraphInstance> instances,
                       const SampleRankOptions& options, std::uint64_t seed)
    : rows_(rows),
      layout_(layout),
      instances_(instances),
      options_(options),
      scorer_(schema, rows, layout),
      dense_(layout.dimension()) {
  if (!(options.margin >= 0 && options.margin < std::numeric_limits<double>::infinity())) {
    throw UsageError("the margin of SampleRank must be a number >= 0");
  }
  Random random(seed);
  for (std::uint32_t n = 0; n < instances.size(); ++n) {
    const FactorGraph& graph = instances[n].graph;
    lists_.emplace_back(graph);
    std::vector<State>& x = x_.emplace_back();
    for (Variable v = 0; v < graph.variables(); ++v) {
      x.push_back(static_cast<State>(random.below(graph.states(v))));
      if (graph.states(v) > 1) sites_.push_back({n, v, v});
    }
    for (Factor f = 0; options.pairs && f < graph.factors(); ++f) {
      const auto scope = graph.scope(f);
      if (scope.size() != 2 || graph.states(scope[0]) < 2 || graph.states(scope[1]) < 2) continue;
      sites_.push_back({n, scope[0], scope[1]});
    }
  }
}

void SampleRank::find_around(const Site& site) {
  const GraphInstance& instance = instances_[site.instance];
  const FactorLists& lists = lists_[site.instance];
  factors_.assign(lists.of(site.first).begin(), lists.of(site.first).end());
  if (site.second != site.first) {
    const auto more = lists.of(site.second);
    factors_.insert(factors_.end(), more.begin(), more.end());
  }
  sort_and_unite(factors_);
  potentials_.clear();
  for (const Factor f : factors_) potentials_.push_back(instance.graph.potential_of(f));
  sort_and_unite(potentials_);
}

std::span<const Run> SampleRank::support(std::size_t n, std::size_t) {
  find_around(sites_[n]);
  find_support(rows_, layout_, instances_[sites_[n].instance], potentials_, support_);
  return support_;
}

// Of the site's variables alone, unless it is the user's.
double SampleRank::loss_at(const Site& site) const {
  const GraphInstance& instance = instances_[site.instance];
  const std::span<const State> x = x_[site.instance];
  if (options_.loss) return options_.loss(site.instance, instance, x);
  const auto wrong = [&](Variable v) {
    return instance.known[v] != kUnobserved && instance.known[v] != x[v] ? 1.0 : 0.0;
  };
  return wrong(site.first) + (site.second == site.first ? 0 : wrong(site.second));
}

// The score of the factors around the site, and where their numbers are.
double SampleRank::score_at(const Site& site, std::vector<std::uint64_t>& places) {
  const FactorGraph& graph = instances_[site.instance].graph;
  const std::span<const State> x = x_[site.instance];
  places.clear();
  double score = 0;
  for (const Factor f : factors_) {
    at_.clear();
    for (const Variable v : graph.scope(f)) at_.push_back(x[v]);
    places.push_back(number_of(graph, f, at_));
    score += graph.score_of(f, at_);
  }
  return score;
}

DirectionFunction::Drawn SampleRank::draw(std::size_t n, std::span<const double> w, Random& random,
                                          std::span<double> direction, std::size_t) {
  const Site site = sites_[n];
  GraphInstance& instance = instances_[site.instance];
  const FactorGraph& graph = instance.graph;
  const std::span<const Run> runs = support(n, 0);
  for (const PotentialId p : potentials_) scorer_.score(w, instance, p);

  std::vector<State>& x = x_[site.instance];
  const State kept[] = {x[site.first], x[site.second]};
  const double loss_before = loss_at(site), score_before = score_at(site, was_);
  const auto change = [&](Variable v) {
    x[v] = static_cast<State>((x[v] + 1 + random.below(graph.states(v) - 1)) % graph.states(v));
  };
  change(site.first);
  if (site.second != site.first) change(site.second);
  const double loss = loss_at(site) - loss_before, score = score_at(site, is_) - score_before;

  // The better one's score, less the other's; and what it should be at least.
  const double lead = loss < 0 ? score : -score, least = options_.margin * std::abs(loss);
  // What is forbidden teaches nothing of weights.
  const bool active = loss != 0 && std::isfinite(score) && !(lead >= least && lead > 0);
  if (active) {
    write_packed(
        runs, dense_,
        [&](std::span<double> out) {
          add_difference(instance, loss < 0 ? instance.weight : -instance.weight, out);
        },
        direction);
  }
  const bool escapes = std::isinf(score_before);
  if (!escapes && !(score >= 0 || random.uniform() < std::exp(score))) {
    x[site.second] = kept[1];
    x[site.first] = kept[0];
  }
  return {active ? instance.weight * (least - lead) : 0.0, active};
}

// out += sign (counts before - counts after).
void SampleRank::add_difference(const GraphInstance& instance, double sign, std::span<double> out) {
  const FactorGraph& graph = instance.graph;
  d_numbers_.resize(std::max(d_numbers_.size(), graph.numbers().size()));
  const auto numbers_of = [&](PotentialId p) {
    const Potential& potential = graph.potential(p);
    return std::span(d_numbers_).subspan(potential.first, potential.count);
  };
  for (const PotentialId p : potentials_) std::ranges::fill(numbers_of(p), 0.0);
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    if (was_[k] != kNoScore) d_numbers_[was_[k]] += sign;
    if (is_[k] != kNoScore) d_numbers_[is_[k]] -= sign;
  }
  for (const PotentialId p : potentials_) {
    scorer_.add_gradient(instance, p, numbers_of(p), out);
  }
}

void SampleRank::archive(StateArchive& state) {
  for (std::vector<State>& x : x_) state(x);
}

}  // namespace croft
