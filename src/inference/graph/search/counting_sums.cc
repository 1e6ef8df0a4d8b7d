#include "inference/graph/search/counting_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace croft {

void CountingSums::add_branch(double value, std::span<const Decided> variables,
                              std::span<const Id> children) {
  if (!keeps_branches_) return;
  Branch branch{.value = value};
  branch.first = static_cast<std::uint32_t>(variables_.size());
  branch.variables = static_cast<std::uint32_t>(variables.size());
  branch.first_child = static_cast<std::uint32_t>(children_.size());
  branch.children = static_cast<std::uint32_t>(children.size());
  variables_.insert(variables_.end(), variables.begin(), variables.end());
  children_.insert(children_.end(), children.begin(), children.end());
  open_.back().push_back(branch);
}

CountingSums::Id CountingSums::close(double value) {
  const auto id = static_cast<Id>(nodes_.size());
  nodes_.push_back({value, static_cast<std::uint32_t>(branches_.size()),
                    static_cast<std::uint32_t>(open_.back().size())});
  branches_.insert(branches_.end(), open_.back().begin(), open_.back().end());
  open_.pop_back();
  return id;
}

double CountingSums::bytes() const {
  return 2 *
         static_cast<double>(nodes_.size() * sizeof(Node) + branches_.size() * sizeof(Branch) +
                             variables_.size() * sizeof(Decided) + children_.size() * sizeof(Id));
}

void CountingSums::pass_down(Id node, std::vector<double>& flow, VariableMarginals& p) const {
  // Relative to the largest: they add up to 1 where the node's value has no digits left for that.
  const auto branches = std::span(branches_).subspan(nodes_[node].first, nodes_[node].branches);
  double high = -kInf, total = 0;
  for (const Branch& branch : branches) high = std::max(high, branch.value);
  for (const Branch& branch : branches) total += std::exp(branch.value - high);
  for (const Branch& branch : branches) {
    const double here = flow[node] * std::exp(branch.value - high) / total;
    for (const auto& [v, states] : std::span(variables_).subspan(branch.first, branch.variables)) {
      const double each = here / std::popcount(states);
      for (StateSet s = states; s != 0; s &= s - 1) p[v][lowest_state(s)] += each;
    }
    for (const Id child : std::span(children_).subspan(branch.first_child, branch.children)) {
      flow[child] += here;
    }
  }
}

VariableMarginals CountingSums::marginals(const FactorGraph& graph, Id root) const {
  VariableMarginals p(graph.variables());
  for (Variable v = 0; v < p.size(); ++v) p[v].assign(graph.states(v), 0);
  std::vector<double> flow(nodes_.size(), 0);
  flow[root] = 1;
  for (Id node = root + 1; node-- > 0;) {
    if (flow[node] > 0) pass_down(node, flow, p);
  }
  return p;
}

}  // namespace croft
