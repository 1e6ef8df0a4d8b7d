#include "inference/graph/search/sums_given.h"

#include <utility>

#include "croft/inference/junction_tree.h"

namespace croft {

SumsGiven::SumsGiven(const FactorGraph& graph, std::span<const Variable> given, double log2_states,
                     double memory, GraphCallback goes_on)
    : graph_(graph),
      given_(given.begin(), given.end()),
      log2_states_(log2_states),
      memory_(memory),
      goes_on_(std::move(goes_on)) {}

FactorGraph SumsGiven::at(std::span<const State> x) const {
  Evidence known(graph_.variables(), kUnobserved);
  for (const Variable v : given_) known[v] = x[v];
  return condition(graph_, known);
}

std::optional<double> SumsGiven::sum(std::span<const State> x) {
  if (too_much_) return std::nullopt;
  const FactorGraph rest = at(x);
  if (!order_) {  // it fits any states
    EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = 4};
    options.most_log2_states = log2_states_;
    options.progress = goes_on_;
    try {
      order_ = find_elimination_order(rest, options);
    } catch (const TooWide&) {
      too_much_ = true;
      return std::nullopt;
    }
  }
  JunctionTree tree(rest, *order_, goes_on_);
  too_much_ = tree.log2_joint_states() > log2_states_ || tree.bytes() > memory_;
  if (too_much_) return std::nullopt;
  return tree.log_partition();
}

}  // namespace croft
