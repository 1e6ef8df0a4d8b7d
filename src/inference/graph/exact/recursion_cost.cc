#include "inference/graph/exact/recursion_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace croft {
namespace {

constexpr std::size_t kCandidates = 60;  // whose time is computed, before one is chosen

// Joint states of the variables that are not fixed.
double free_states(const FactorGraph& graph, const std::vector<Variable>& variables,
                   const std::vector<bool>& fixed) {
  double states = 1;
  for (const Variable v : variables) states *= fixed[v] ? 1 : static_cast<double>(graph.states(v));
  return states;
}

}  // namespace

RecursionCost::RecursionCost(const FactorGraph& graph, const std::vector<Variable>& order)
    : graph_(graph), tree_(make_clique_tree(graph, order)), fixed_(graph.variables(), false) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    factor_numbers_ += static_cast<double>(graph.joint_states(f));
  }
}

// Messages up and down, factors, and what the largest clique sends beside what is kept.
double RecursionCost::bytes_of(const Flags& fixed) const {
  double numbers = 2 * factor_numbers_, most = 0;
  for (const Clique& clique : tree_.cliques) {
    numbers += 2 * free_states(graph_, clique.separator, fixed);
    double sent = free_states(graph_, clique.separator, fixed);
    for (const std::size_t child : clique.children) {
      sent += free_states(graph_, tree_.cliques[child].separator, fixed);
    }
    most = std::max(most, 2 * sent);
  }
  return 8 * (numbers + most);
}

// A clique is visited again when what is fixed in its separator has changed: as often as the
// fastest of these changes.
double RecursionCost::states_of(const Flags& fixed) const {
  std::vector<double> changes(graph_.variables(), 1);  // of what is fixed, so far
  double total = 0;
  for (std::size_t c = tree_.cliques.size(); c-- > 0;) {
    const Clique& clique = tree_.cliques[c];
    double visits = 1;
    for (const Variable v : clique.separator) {
      if (fixed[v]) visits = std::max(visits, changes[v]);
    }
    for (const Variable v : clique.eliminated) {
      if (!fixed[v]) continue;
      visits *= static_cast<double>(graph_.states(v));
      changes[v] = visits;
    }
    total += visits * (kVisitStates + free_states(graph_, clique.variables, fixed));
  }
  return total;
}

double RecursionCost::log2_joint_states() const {
  return std::log2(std::max(1.0, states_of(fixed_)));
}

std::vector<double> RecursionCost::shares() const {
  std::vector<double> share(graph_.variables(), 0.0);
  for (const Clique& clique : tree_.cliques) {
    const double size = free_states(graph_, clique.separator, fixed_);
    for (const Variable v : clique.separator) {
      if (!fixed_[v]) share[v] += size * (1 - 1 / static_cast<double>(graph_.states(v)));
    }
  }
  return share;
}

bool RecursionCost::fix_one() {
  const std::vector<double> share = shares();
  std::vector<Variable> by_share(graph_.variables());
  std::iota(by_share.begin(), by_share.end(), Variable{0});
  const std::size_t tried = std::min(kCandidates, by_share.size());
  std::ranges::partial_sort(by_share, by_share.begin() + static_cast<std::ptrdiff_t>(tried),
                            std::greater(), [&](Variable v) { return share[v]; });
  const double bytes = bytes_of(fixed_), states = states_of(fixed_);
  double most = -1;
  Variable best = 0;
  for (std::size_t k = 0; k < tried && share[by_share[k]] > 0; ++k) {
    Flags with = fixed_;
    with[by_share[k]] = true;
    const double freed = std::log2(bytes / bytes_of(with));
    const double slower = std::max(0.0, std::log2(states_of(with) / states));
    const double worth = freed / (slower + 0.0005);
    if (worth > most) {
      most = worth;
      best = by_share[k];
    }
  }
  if (most < 0) return false;
  fixed_[best] = true;
  list_.push_back(best);
  return true;
}

}  // namespace croft
