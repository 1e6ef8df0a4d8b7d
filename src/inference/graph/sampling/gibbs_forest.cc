#include "inference/graph/sampling/gibbs_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/infinity.h"
#include "croft/core/random.h"

namespace croft {
namespace {

constexpr std::uint32_t kOutside = 0xffffffff;

// temperature * log sum exp(score / temperature)
double soft_maximum(std::span<const double> scores, double temperature) {
  const double high = *std::ranges::max_element(scores);
  if (high == -kInf) return -kInf;
  double sum = 0;
  for (const double score : scores) sum += std::exp((score - high) / temperature);
  return high + temperature * std::log(sum);
}

// Grows one forest: sites join that are neighbours of at most one site of each of its trees.
class Growing {
 public:
  Growing(const GibbsPlan& plan) : plan_(plan), place_(plan.sites(), kOutside) {}

  // False where it would close a circle, or a factor would join three.
  bool try_to_add(Site s) {
    const auto factors = plan_.factors.of(plan_.variable[s]);
    neighbours_.clear();
    for (const Factor f : factors) {
      std::size_t inside = 0;
      for (const SiteScores::Place& place : plan_.scores->places(f)) {
        if (place.site == s || place_[place.site] == kOutside) continue;
        if (++inside > 1) return false;
        neighbours_.push_back(place.site);
      }
    }
    std::ranges::sort(neighbours_);
    neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
    trees_.clear();
    for (const Site u : neighbours_) trees_.push_back(root(place_[u]));
    std::ranges::sort(trees_);
    if (std::ranges::adjacent_find(trees_) != trees_.end()) return false;
    place_[s] = static_cast<std::uint32_t>(sites_.size());
    sites_.push_back(s);
    tree_.push_back(place_[s]);
    for (const std::uint32_t tree : trees_) tree_[tree] = place_[s];
    return true;
  }

  bool empty() const { return sites_.empty(); }

  GibbsForest forest() {
    std::vector<GibbsForest::Member> members;
    std::vector<std::uint32_t> at(plan_.sites(), kOutside);
    for (const Site start : sites_) {
      if (at[start] != kOutside) continue;
      at[start] = static_cast<std::uint32_t>(members.size());
      std::size_t next = members.size();
      members.push_back({start, GibbsForest::kRoot, {}, {}});
      for (; next < members.size(); ++next) {
        const Site s = members[next].site;
        for (const Factor f : plan_.factors.of(plan_.variable[s])) {
          const Site u = other(f, s);
          if (u == kOutside) {
            members[next].own.push_back(f);
            continue;
          }
          if (at[u] == kOutside) {
            at[u] = static_cast<std::uint32_t>(members.size());
            members.push_back({u, static_cast<std::uint32_t>(next), {}, {}});
          }
          if (at[u] > next) members[at[u]].to_parent.push_back(f);
        }
      }
    }
    return GibbsForest(std::move(members));
  }

 private:
  Site other(Factor f, Site s) const {
    for (const SiteScores::Place& place : plan_.scores->places(f)) {
      if (place.site != s && place_[place.site] != kOutside) return place.site;
    }
    return kOutside;
  }
  std::uint32_t root(std::uint32_t t) {
    while (tree_[t] != t) t = tree_[t] = tree_[tree_[t]];
    return t;
  }

  const GibbsPlan& plan_;
  std::vector<std::uint32_t> place_;  // [sites] among sites_
  std::vector<Site> sites_, neighbours_;
  std::vector<std::uint32_t> tree_, trees_;
};

}  // namespace

void GibbsForest::collect(const GibbsPlan& plan, std::span<State> x, Scratch& scratch) const {
  scratch.begin.clear();
  std::size_t size = 0;
  for (const Member& member : members_) {
    scratch.begin.push_back(size);
    size += plan.states(member.site);
  }
  scratch.local.assign(size, 0.0);
  for (std::size_t m = members_.size(); m-- > 0;) {
    const Member& member = members_[m];
    const std::size_t states = plan.states(member.site);
    double* local = scratch.local.data() + scratch.begin[m];
    for (const Factor f : member.own) plan.scores->add(f, member.site, states, x, local);
    if (member.parent == kRoot) continue;
    const Site above = members_[member.parent].site;
    const std::size_t rows = plan.states(above);
    scratch.edge.resize(rows * states);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(local, states, &scratch.edge[r * states]);
    for (const Factor f : member.to_parent) {
      plan.scores->add(f, above, rows, member.site, states, x, scratch.edge.data());
    }
    for (std::size_t r = 0; r < rows; ++r) {
      scratch.local[scratch.begin[member.parent] + r] +=
          soft_maximum({&scratch.edge[r * states], states}, plan.temperature);
    }
  }
}

std::vector<GibbsForest> cut_into_forests(const GibbsPlan& plan, std::uint64_t seed) {
  std::vector<Site> left(plan.sites());
  std::iota(left.begin(), left.end(), Site{0});
  Random random(seed);
  shuffle(left, random);
  std::vector<GibbsForest> forests;
  while (!left.empty()) {
    Growing growing(plan);
    std::erase_if(left, [&](Site s) { return growing.try_to_add(s); });
    forests.push_back(growing.forest());
  }
  return forests;
}

std::vector<GibbsForest> all_pairs(const GibbsPlan& plan) {
  std::vector<GibbsForest> pairs;
  for (Site s = 0; s < plan.sites(); ++s) {
    std::set<Site> others;
    for (const Factor f : plan.factors.of(plan.variable[s])) {
      for (const SiteScores::Place& place : plan.scores->places(f)) {
        if (place.site != s) others.insert(place.site);
      }
    }
    const auto member = [&](Site site, Site other) {
      GibbsForest::Member m{site, GibbsForest::kRoot, {}, {}};
      for (const Factor f : plan.factors.of(plan.variable[site])) {
        const bool both = std::ranges::any_of(
            plan.scores->places(f), [&](const auto& place) { return place.site == other; });
        (both ? m.to_parent : m.own).push_back(f);
      }
      return m;
    };
    if (others.empty()) pairs.push_back(GibbsForest({member(s, kOutside)}));
    for (const Site u : others) {
      if (u < s) continue;
      GibbsForest::Member first = member(s, u), second = member(u, s);
      first.to_parent.clear();
      second.parent = 0;
      pairs.push_back(GibbsForest({std::move(first), std::move(second)}));
    }
  }
  return pairs;
}

bool is_forest(const GibbsPlan& plan) {
  Growing growing(plan);
  for (Site s = 0; s < plan.sites(); ++s) {
    if (!growing.try_to_add(s)) return false;
  }
  return true;
}

}  // namespace croft
