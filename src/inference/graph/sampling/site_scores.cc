#include "inference/graph/sampling/site_scores.h"

#include <algorithm>
#include <map>
#include <utility>

namespace croft {
namespace {

constexpr std::uint64_t kMadeStates = 1 << 12;  // of potentials that are written down as tables

}  // namespace

SiteScores::SiteScores(const FactorGraph& graph, std::span<const Site> site_of)
    : graph_(graph), site_of_(site_of.begin(), site_of.end()), table_(graph.factors(), nullptr) {
  std::map<std::pair<PotentialId, std::vector<std::uint64_t>>, const double*> known;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    std::vector<std::uint64_t> sizes;
    std::uint64_t stride = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
      if (site_of_[scope[k]] != kNoSite) places_.push_back({site_of_[scope[k]], stride});
      stride *= graph.states(scope[k]);
      sizes.push_back(graph.states(scope[k]));
    }
    begin_.push_back(places_.size());
    const PotentialId id = graph.potential_of(f);
    if (graph.potential(id).kind == PotentialKind::table) {
      table_[f] = graph.numbers(id).data();
    } else if (graph.joint_states(f) <= kMadeStates) {
      const double*& table = known[{id, sizes}];
      if (table == nullptr) {
        made_.push_back(std::make_shared<std::vector<double>>(graph.table(f)));
        made_of_.push_back(f);
        table = made_.back()->data();
      }
      table_[f] = table;
    }
  }
}

void SiteScores::refresh() {
  for (std::size_t k = 0; k < made_.size(); ++k) {
    const Factor f = made_of_[k];
    const PotentialId id = graph_.potential_of(f);
    std::vector<double>& table = *made_[k];
    if (graph_.potential(id).kind == PotentialKind::potts) {
      const double equal = graph_.numbers(id)[0], unequal = graph_.numbers(id)[1];
      const auto scope = graph_.scope(f);
      const std::size_t rows = graph_.states(scope[0]), columns = graph_.states(scope[1]);
      std::ranges::fill(table, unequal);
      for (std::size_t s = 0; s < std::min(rows, columns); ++s) table[s * columns + s] = equal;
    } else {
      std::ranges::copy(graph_.table(f), table.begin());
    }
  }
}

SiteScores::Free SiteScores::free_at(Factor f, Site u, Site v, std::span<const State> x) const {
  Free at;
  for (const Place& place : places(f)) {
    if (place.site == u) {
      at.stride_u = place.stride;
    } else if (place.site == v) {
      at.stride_v = place.stride;
    } else {
      at.base += place.stride * x[place.site];
    }
  }
  return at;
}

double SiteScores::score(Factor f, std::span<State> x) const {
  if (table_[f] != nullptr) return table_[f][free_at(f, kNoSite, kNoSite, x).base];
  std::vector<State> states;
  for (const Variable v : graph_.scope(f)) {
    states.push_back(site_of_[v] == kNoSite ? 0 : x[site_of_[v]]);
  }
  return graph_.score_of(f, states);
}

void SiteScores::add(Factor f, Site u, std::size_t states, std::span<State> x, double* out) const {
  if (table_[f] != nullptr) {
    const Free at = free_at(f, u, kNoSite, x);
    const double* from = table_[f] + at.base;
    for (std::size_t s = 0; s < states; ++s) out[s] += from[s * at.stride_u];
    return;
  }
  const State kept = x[u];
  for (std::size_t s = 0; s < states; ++s) {
    x[u] = static_cast<State>(s);
    out[s] += score(f, x);
  }
  x[u] = kept;
}

void SiteScores::add(Factor f, Site u, std::size_t states_u, Site v, std::size_t states_v,
                     std::span<State> x, double* out) const {
  if (table_[f] != nullptr) {
    const Free at = free_at(f, u, v, x);
    const double* from = table_[f] + at.base;
    for (std::size_t s = 0; s < states_u; ++s) {
      for (std::size_t t = 0; t < states_v; ++t) {
        out[s * states_v + t] += from[s * at.stride_u + t * at.stride_v];
      }
    }
    return;
  }
  const State kept = x[u];
  for (std::size_t s = 0; s < states_u; ++s) {
    x[u] = static_cast<State>(s);
    add(f, v, states_v, x, out + s * states_v);
  }
  x[u] = kept;
}

}  // namespace croft
