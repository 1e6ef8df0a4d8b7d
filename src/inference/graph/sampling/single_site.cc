#include "inference/graph/sampling/single_site.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/infinity.h"

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

namespace {

// Variables are their own sites, but for those of one state.
std::vector<Site> sites_of(const FactorGraph& graph) {
  std::vector<Site> sites(graph.variables());
  for (Variable v = 0; v < sites.size(); ++v) {
    sites[v] = graph.states(v) < 2 ? SiteScores::kNoSite : v;
  }
  return sites;
}

}  // namespace

SingleSite::SingleSite(const FactorGraph& graph)
    : graph_(graph),
      lists_(graph),
      site_of_(sites_of(graph)),
      scores_(graph, site_of_),
      is_own_(graph.factors(), false) {
  std::vector<State> zeros(graph.variables(), 0);
  for (Factor f = 0; f < graph.factors(); ++f) {
    const std::size_t sites = scores_.places(f).size();
    if (sites == 0) constant_ += graph.factor_score(f, zeros);
    if (sites == 1) own_.push_back(f);
    if (sites > 1) shared_.push_back(f);
    is_own_[f] = sites == 1;
  }
}

State SingleSite::draw(std::span<const double> scores, Random& random) {
  const double high = *std::ranges::max_element(scores);
  double total = 0;
  for (const double each : scores) total += std::exp(each - high);
  double left = random.uniform() * total;
  State last = 0;
  for (State s = 0; s < scores.size(); ++s) {
    if (scores[s] == -kInf) continue;
    last = s;
    left -= std::exp(scores[s] - high);
    if (left < 0) break;
  }
  return last;
}

std::vector<double> SingleSite::own_scores(Variable v, std::span<State> x) {
  std::vector<double> own(graph_.states(v), 0.0);
  if (own.size() < 2) return own;  // its factors are another's own, or constant
  for (const Factor f : lists_.of(v)) {
    if (is_own_[f]) scores_.add(f, v, own.size(), x, own.data());
  }
  return own;
}

void SingleSite::sweep(double beta, double beta_own, std::span<State> x, Random& random) {
  for (Variable v = 0; v < x.size(); ++v) {
    const std::size_t states = graph_.states(v);
    if (states < 2) continue;
    sum_.assign(states, 0.0);
    part_.assign(states, 0.0);
    for (const Factor f : lists_.of(v)) {
      scores_.add(f, v, states, x, (is_own_[f] ? part_ : sum_).data());
    }
    for (std::size_t s = 0; s < states; ++s) {
      // 0 times -inf: at infinite temperature zeros are zeros all the same.
      const double shared = sum_[s] == -kInf ? -kInf : beta * sum_[s];
      const double own = part_[s] == -kInf ? -kInf : beta_own * part_[s];
      sum_[s] = shared + own;
    }
    if (*std::ranges::max_element(sum_) > -kInf) x[v] = draw(sum_, random);
  }
}

double SingleSite::score(const std::vector<Factor>& factors, std::span<State> x) const {
  double sum = 0;
  for (const Factor f : factors) sum += scores_.score(f, x);
  return sum;
}

}  // namespace croft
