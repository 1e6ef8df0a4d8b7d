#include "inference/graph/sampling/single_site.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"

namespace croft {
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
