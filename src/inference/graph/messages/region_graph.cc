#include "inference/graph/messages/region_graph.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "croft/core/error.h"
#include "structure/separation.h"

namespace croft {
namespace {

constexpr std::size_t kMostSteps = std::size_t{1} << 26;              // of the search for cycles
constexpr std::size_t kStepsBetweenQuestions = std::size_t{1} << 18;  // some milliseconds
constexpr double kMostStates = 1 << 26;
constexpr std::size_t kStepsOfOverlap = 16;
constexpr double kMostPairs = 1 << 26;  // of clusters that share a variable

[[noreturn]] void fail_for_states() {
  throw Error(
      "the regions have more than 2^26 joint states; take smaller clusters, or another method "
      "where "
      "a factor has as many");
}

// Asks now and then whether the work is to go on.
class Patience {
 public:
  explicit Patience(const GraphCallback& callback) : callback_(callback) {}
  void spend(std::size_t steps) {
    since_ += steps;
    if (since_ < kStepsBetweenQuestions) return;
    since_ = 0;
    if (callback_ && !callback_({})) throw Interrupted("stopped while the regions were made");
  }

 private:
  const GraphCallback& callback_;
  std::size_t since_ = 0;
};

bool contains(const Cluster& all, const Cluster& some) { return std::ranges::includes(all, some); }

Cluster intersection(const Cluster& a, const Cluster& b) {
  Cluster both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

// Cycles from their first variable on, through larger ones.
class CycleSearch {
 public:
  CycleSearch(const MarkovNetwork& network, std::size_t length, Patience& patience)
      : network_(network), length_(length), patience_(patience) {
    for (Variable v = 0; v < network.variables(); ++v) {
      neighbours_.push_back(network.neighbours(v));
    }
  }

  std::set<Cluster> run() {
    for (Variable v = 0; v < network_.variables(); ++v) {
      path_.assign(1, v);
      extend();
    }
    return std::move(found_);
  }

 private:
  void extend() {
    for (const Variable next : neighbours_[path_.back()]) {
      patience_.spend(1);
      if (++steps_ > kMostSteps) {
        throw Error("there are too many cycles of up to " + std::to_string(length_) +
                    " variables to make clusters of; take shorter ones, or clusters of your own");
      }
      if (next <= path_.front() || std::ranges::find(path_, next) != path_.end()) continue;
      path_.push_back(next);
      if (path_.size() > 2 && network_.connected(next, path_.front())) {
        Cluster cycle = path_;
        std::ranges::sort(cycle);
        found_.insert(std::move(cycle));
      }
      if (path_.size() < length_) extend();
      path_.pop_back();
    }
  }

  const MarkovNetwork& network_;
  const std::size_t length_;
  Patience& patience_;
  std::size_t steps_ = 0;
  std::vector<std::vector<Variable>> neighbours_;
  std::vector<Variable> path_;
  std::set<Cluster> found_;
};

// For each variable the numbers of the clusters that have it.
using ClusterLists = std::vector<std::vector<std::size_t>>;

void enter(const Cluster& cluster, std::size_t number, ClusterLists& lists) {
  for (const Variable v : cluster) lists[v].push_back(number);
}

// Those that share a variable with a cluster, increasing.
std::vector<std::size_t> touching(const Cluster& cluster, const ClusterLists& lists) {
  std::vector<std::size_t> all;
  for (const Variable v : cluster) all.insert(all.end(), lists[v].begin(), lists[v].end());
  std::ranges::sort(all);
  const auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  return all;
}

// Only those that no other contains.
std::vector<Cluster> largest(std::vector<Cluster> clusters, std::size_t variables,
                             Patience& patience) {
  std::ranges::stable_sort(clusters, std::greater(), &Cluster::size);
  std::vector<Cluster> kept;
  ClusterLists lists(variables);
  for (Cluster& each : clusters) {
    if (each.empty()) continue;
    patience.spend(lists[each.front()].size());
    const bool inside = std::ranges::any_of(lists[each.front()],
                                            [&](std::size_t k) { return contains(kept[k], each); });
    if (inside) continue;
    enter(each, kept.size(), lists);
    kept.push_back(std::move(each));
  }
  return kept;
}

double states_of(const FactorGraph& graph, const Cluster& cluster) {
  double states = 1;
  for (const Variable v : cluster) states *= static_cast<double>(graph.states(v));
  return states;
}

// All intersections of outer regions, with the outer ones that contain them.
void add_inner(RegionGraph& regions, const ClusterLists& outer_of, Patience& patience) {
  std::set<Cluster> seen;
  std::vector<Cluster> work;
  for (const Region& each : regions.outer) {
    seen.insert(each.variables);
    work.push_back(each.variables);
  }
  for (std::size_t k = 0; k < work.size(); ++k) {
    for (const std::size_t each : touching(work[k], outer_of)) {
      patience.spend(kStepsOfOverlap);
      Cluster both = intersection(work[k], regions.outer[each].variables);
      if (seen.insert(both).second) work.push_back(std::move(both));
    }
  }
  work.erase(work.begin(), work.begin() + static_cast<std::ptrdiff_t>(regions.outer.size()));
  std::ranges::stable_sort(work, std::greater(), &Cluster::size);
  for (Cluster& each : work) {
    Region region{.variables = std::move(each), .count = 1, .factors = {}, .outer = {}};
    for (const std::size_t k : outer_of[region.variables.front()]) {
      patience.spend(1);
      if (contains(regions.outer[k].variables, region.variables)) region.outer.push_back(k);
    }
    regions.inner.push_back(std::move(region));
  }
}

// From the largest on, such that all that contain a region have counts that add up to 1.
void set_counts(RegionGraph& regions, std::size_t variables, Patience& patience) {
  ClusterLists inner_of(variables);
  for (std::size_t k = 0; k < regions.inner.size(); ++k) {
    Region& region = regions.inner[k];
    region.count = 1 - static_cast<double>(region.outer.size());
    for (const std::size_t each : inner_of[region.variables.front()]) {
      patience.spend(1);
      const Region& larger = regions.inner[each];
      if (contains(larger.variables, region.variables)) region.count -= larger.count;
    }
    enter(region.variables, k, inner_of);
  }
}

// Where outer regions hang together as a tree of cliques: its separators, each between two of them.
// Such a tree exists where a spanning forest of largest overlaps has in all as many variables as
// there are entries beyond the first one of each variable.
bool find_tree(RegionGraph& regions, const ClusterLists& outer_of, Patience& patience) {
  const std::vector<Region>& outer = regions.outer;
  struct Overlap {
    Cluster both;
    std::size_t a, b;
    std::size_t size() const { return both.size(); }
  };
  std::vector<Overlap> overlaps;
  for (std::size_t a = 0; a < outer.size(); ++a) {
    for (const std::size_t b : touching(outer[a].variables, outer_of)) {
      patience.spend(kStepsOfOverlap);
      if (b <= a) continue;
      overlaps.push_back({intersection(outer[a].variables, outer[b].variables), a, b});
    }
  }
  std::ranges::stable_sort(overlaps, std::greater(), &Overlap::size);
  std::vector<std::size_t> root(outer.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t k) {
    while (root[k] != k) k = root[k] = root[root[k]];
    return k;
  };
  std::vector<Region> separators;
  std::size_t total = 0, beyond = 0;
  for (Overlap& each : overlaps) {
    const std::size_t a = find(each.a), b = find(each.b);
    if (a == b) continue;
    root[a] = b;
    total += each.size();
    separators.push_back(
        {.variables = std::move(each.both), .count = -1, .factors = {}, .outer = {each.a, each.b}});
  }
  for (const auto& list : outer_of) beyond += list.empty() ? 0 : list.size() - 1;
  if (total != beyond) return false;
  regions.inner = std::move(separators);
  return true;
}

}  // namespace

std::vector<Cluster> loop_clusters(const FactorGraph& graph, std::size_t length,
                                   const GraphCallback& callback) {
  if (length < 3) throw UsageError("a cycle has three variables at least");
  // Of an observed variable nothing is left to sum.
  MarkovNetwork network(graph.variables());
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (static_cast<double>(graph.joint_states(f)) > kMostStates) fail_for_states();
    for (std::size_t k = 0; k < scope.size(); ++k) {
      for (std::size_t j = 0; j < k; ++j) {
        if (graph.states(scope[k]) < 2 || graph.states(scope[j]) < 2) continue;
        network.connect(scope[k], scope[j]);
      }
    }
  }
  Patience patience(callback);
  const std::set<Cluster> found = CycleSearch(network, length, patience).run();
  return {found.begin(), found.end()};
}

std::vector<Cluster> parse_clusters(std::string_view text, std::size_t variables) {
  std::vector<Cluster> clusters(1);
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',' || *at == '\t') {
      ++at;
    } else if (*at == ';') {
      ++at;
      clusters.emplace_back();
    } else {
      Variable v = 0;
      const auto [next, error] = std::from_chars(at, end, v);
      if (error != std::errc() || v >= variables) {
        throw UsageError("clusters: " + in_quotes({at, end}) +
                         " does not begin with the number of a variable, which is below " +
                         std::to_string(variables) +
                         "; give loops, factors, or clusters such as \"0 1 4 5; 1 2 5 6\"");
      }
      clusters.back().push_back(v);
      at = next;
    }
  }
  std::erase_if(clusters, [](const Cluster& each) { return each.empty(); });
  if (clusters.empty()) throw UsageError("there is no cluster in the list of clusters");
  return clusters;
}

RegionGraph make_region_graph(const FactorGraph& graph, std::vector<Cluster> clusters,
                              const GraphCallback& callback) {
  for (const Cluster& each : clusters) {
    for (const Variable v : each) {
      if (v >= graph.variables()) {
        throw UsageError("a cluster has variable " + std::to_string(v) + ", and there are " +
                         std::to_string(graph.variables()));
      }
    }
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    clusters.emplace_back(graph.scope(f).begin(), graph.scope(f).end());
  }
  for (Variable v = 0; v < graph.variables(); ++v) clusters.push_back({v});  // those of no factor
  for (Cluster& each : clusters) {
    std::erase_if(each, [&](Variable v) { return graph.states(v) < 2; });
    std::ranges::sort(each);
    const auto rest = std::ranges::unique(each);
    each.erase(rest.begin(), rest.end());
  }
  RegionGraph regions;
  Patience patience(callback);
  ClusterLists outer_of(graph.variables());
  double states = 0;
  for (Cluster& each : largest(std::move(clusters), graph.variables(), patience)) {
    states += states_of(graph, each);
    enter(each, regions.outer.size(), outer_of);
    regions.outer.push_back({.variables = std::move(each), .count = 1, .factors = {}, .outer = {}});
  }
  if (states > kMostStates) fail_for_states();
  double pairs = 0;
  for (const auto& list : outer_of) pairs += std::pow(static_cast<double>(list.size()), 2);
  if (pairs > kMostPairs) {
    throw Error("there are " + std::to_string(regions.outer.size()) +
                " clusters, and too many that overlap; take fewer, or shorter cycles, or the "
                "factors alone");
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    Cluster scope(graph.scope(f).begin(), graph.scope(f).end());
    std::erase_if(scope, [&](Variable v) { return graph.states(v) < 2; });
    std::ranges::sort(scope);
    if (scope.empty()) {
      regions.constants.push_back(f);
      continue;
    }
    const auto& in = outer_of[scope.front()];
    const auto home = std::ranges::find_if(
        in, [&](std::size_t k) { return contains(regions.outer[k].variables, scope); });
    regions.outer[*home].factors.push_back(f);
  }
  regions.acyclic = find_tree(regions, outer_of, patience);
  if (!regions.acyclic) {
    add_inner(regions, outer_of, patience);
    set_counts(regions, graph.variables(), patience);
  }
  // In the order of the variables messages sweep over a grid; sizes one after the other oscillate.
  std::ranges::sort(regions.inner, {}, &Region::variables);
  return regions;
}

}  // namespace croft
