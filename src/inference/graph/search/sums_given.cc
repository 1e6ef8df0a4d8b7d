#include "inference/graph/search/sums_given.h"

#include <utility>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/junction_tree.h"

namespace croft {

SumsGiven::SumsGiven(const FactorGraph& graph, std::span<const Variable> over, double log2_states,
                     double memory, GraphCallback goes_on)
    : graph_(graph),
      over_(over.begin(), over.end()),
      log2_states_(log2_states),
      memory_(memory),
      goes_on_(std::move(goes_on)),
      lists_(neighbours_of(graph)) {}

std::optional<BestAssignment> SumsGiven::best(std::span<const State> x,
                                              std::span<const Variable> free) const {
  Evidence known(graph_.variables(), kUnobserved);
  for (const Variable v : over_) known[v] = x[v];
  for (const Variable v : free) known[v] = kUnobserved;
  const FactorGraph given = condition(graph_, known);
  EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = 2};
  options.most_log2_states = log2_states_;
  options.last.assign(free.begin(), free.end());
  options.keep_last = true;
  options.progress = goes_on_;
  try {
    JunctionTree sums(given, find_elimination_order(given, options), goes_on_);
    if (sums.bytes() > memory_) return std::nullopt;
    if (free.empty()) return BestAssignment{{x.begin(), x.end()}, sums.log_partition()};
    const FactorGraph rest = sums.sum_out();
    options.last.clear();
    options.keep_last = false;
    JunctionTree tree(rest, find_elimination_order(rest, options), goes_on_);
    if (tree.bytes() > memory_) return std::nullopt;
    BestAssignment found = tree.best();
    if (found.score == -kInf) return BestAssignment{{x.begin(), x.end()}, -kInf};
    for (const Variable v : over_) {
      if (known[v] != kUnobserved) found.states[v] = x[v];
    }
    return found;
  } catch (const TooWide&) {
    return std::nullopt;
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {  // no assignment is allowed
    return BestAssignment{{x.begin(), x.end()}, -kInf};
  }
}

std::vector<Variable> SumsGiven::neighbourhood(std::size_t size, Random& random) const {
  std::vector<Variable> reached{over_[random.below(over_.size())]}, found;
  std::vector<bool> asked(graph_.variables()), seen(graph_.variables());
  for (const Variable v : over_) asked[v] = true;
  seen[reached[0]] = true;
  for (std::size_t next = 0; next < reached.size() && found.size() < size; ++next) {
    const Variable v = reached[next];
    if (asked[v]) found.push_back(v);
    std::vector<Variable> near = lists_[v];
    shuffle(near, random);
    for (const Variable u : near) {
      if (!seen[u]) reached.push_back(u);
      seen[u] = true;
    }
  }
  return found;
}

}  // namespace croft
