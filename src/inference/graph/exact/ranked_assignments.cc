#include "inference/graph/exact/ranked_assignments.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr std::size_t kNoClique = Clique::kNone;  // of the node above the roots

std::uint64_t joint_of(const FactorGraph& graph, std::span<const Variable> variables,
                       std::span<const State> x) {
  std::uint64_t joint = 0;
  for (const Variable v : variables) joint = joint * graph.states(v) + x[v];
  return joint;
}

// A heap has the best first.
constexpr auto is_worse = [](const auto& a, const auto& b) {
  return a.score != b.score ? a.score < b.score : a.joint > b.joint;
};

}  // namespace

RankedAssignments::RankedAssignments(const FactorGraph& graph, const CliqueTree& tree,
                                     const std::vector<ScopedTable>& up, std::size_t most,
                                     Watch& watch)
    : graph_(graph), tree_(tree), up_(up), most_(most), watch_(watch), x_(graph.variables(), 0) {
  for (std::size_t c = 0; c < tree.cliques.size(); ++c) {
    if (tree.cliques[c].parent == kNoClique) roots_.push_back(c);
  }
}

std::vector<BestAssignment> RankedAssignments::all() {
  const NodeId first = top();
  std::vector<BestAssignment> best;
  for (std::size_t rank = 0; rank < most_ && is_there(first, rank); ++rank) {
    std::vector<State> states = assignment(rank);
    const double score = graph_.score(states);
    best.push_back({std::move(states), score});
  }
  std::ranges::sort(best, [](const BestAssignment& a, const BestAssignment& b) {
    return a.score != b.score ? a.score > b.score : a.states < b.states;
  });
  return best;
}

// One state, which is nothing, and the roots as its children.
RankedAssignments::NodeId RankedAssignments::top() {
  Node& node = nodes_.emplace_back();
  node.clique = kNoClique;
  node.waiting.push_back({});
  return 0;
}

// That of the states in x_.
RankedAssignments::NodeId RankedAssignments::node_of(std::size_t clique) {
  const std::vector<Variable>& separator = tree_.cliques[clique].separator;
  const auto [at, added] =
      ids_.try_emplace({clique, joint_of(graph_, separator, x_)}, nodes_.size());
  if (added) {
    Node& node = nodes_.emplace_back();
    node.clique = clique;
    for (const Variable v : separator) node.separator.push_back(x_[v]);
    rank_states(node);
  }
  return at->second;
}

double RankedAssignments::Input::value() const {
  return scores != nullptr ? (*scores)[at] : table->log_value(at);
}

// The factors and the children's messages, at the states of x_.
std::vector<RankedAssignments::Input> RankedAssignments::inputs_of(const Clique& clique) {
  std::vector<Input> inputs;
  const auto add = [&](Input input, std::span<const Variable> scope) {
    input.stride.assign(clique.eliminated.size(), 0);
    std::uint64_t stride = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
      const auto at = std::ranges::find(clique.eliminated, scope[k]);
      if (at == clique.eliminated.end()) {
        input.at += stride * x_[scope[k]];
      } else {
        input.stride[static_cast<std::size_t>(at - clique.eliminated.begin())] = stride;
      }
      stride *= graph_.states(scope[k]);
    }
    inputs.push_back(std::move(input));
  };
  for (const Factor f : clique.factors) {
    const auto [at, added] = scores_.try_emplace(f);
    if (added) at->second = graph_.table(f);
    add({.scores = &at->second, .table = {}, .stride = {}}, graph_.scope(f));
  }
  for (const std::size_t child : clique.children) {
    add({.scores = {}, .table = &up_[child].table, .stride = {}}, up_[child].variables);
  }
  return inputs;
}

// What a clique eliminates, given its separator: the best `most` joint states wait.
void RankedAssignments::rank_states(Node& node) {
  const Clique& clique = tree_.cliques[node.clique];
  std::vector<Input> inputs = inputs_of(clique);
  double offsets = 0;
  for (const std::size_t child : clique.children) offsets += up_[child].table.offset;
  std::vector<State> states(clique.eliminated.size(), 0);
  const std::uint64_t count = joint_states(graph_, clique.eliminated);
  for (std::uint64_t joint = 0; joint < count; ++joint) {
    double score = offsets;
    for (const Input& each : inputs) score += each.value();
    if (score > -kInf) node.waiting.push_back({score, joint, {}});
    if (node.waiting.size() / 2 >= most_) keep_best(node.waiting, most_);
    for (std::size_t k = states.size(); k-- > 0;) {
      const bool carries = ++states[k] == graph_.states(clique.eliminated[k]);
      const std::uint64_t back = carries ? states[k] - 1 : 0;
      for (Input& each : inputs) {
        each.at = carries ? each.at - back * each.stride[k] : each.at + each.stride[k];
      }
      if (!carries) break;
      states[k] = 0;
    }
    watch_.advance(1);
  }
  keep_best(node.waiting, most_);
  std::ranges::make_heap(node.waiting, is_worse);
}

void RankedAssignments::keep_best(std::vector<Ranked>& waiting, std::size_t most) const {
  if (waiting.size() <= most) return;
  const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::nth_element(waiting, end,
                           [](const Ranked& a, const Ranked& b) { return is_worse(b, a); });
  waiting.erase(end, waiting.end());
}

// The states of a node's separator and of what its clique eliminates, in x_.
void RankedAssignments::set_states(const Node& node, std::uint64_t joint) {
  if (node.clique == kNoClique) return;
  const Clique& clique = tree_.cliques[node.clique];
  for (std::size_t k = 0; k < clique.separator.size(); ++k) {
    x_[clique.separator[k]] = node.separator[k];
  }
  for (std::size_t k = clique.eliminated.size(); k-- > 0;) {
    const Variable v = clique.eliminated[k];
    x_[v] = static_cast<State>(joint % graph_.states(v));
    joint /= graph_.states(v);
  }
}

const std::vector<std::size_t>& RankedAssignments::child_cliques(const Node& node) const {
  return node.clique == kNoClique ? roots_ : tree_.cliques[node.clique].children;
}

std::vector<RankedAssignments::NodeId> RankedAssignments::children_of(NodeId node,
                                                                      std::uint64_t joint) {
  set_states(nodes_[node], joint);
  std::vector<NodeId> children;
  for (const std::size_t child : child_cliques(nodes_[node])) children.push_back(node_of(child));
  return children;
}

// Whether the rank is found, or known not to be there.
bool RankedAssignments::settled(NodeId node, std::size_t rank) const {
  const Node& n = nodes_[node];
  return n.found.size() > rank || (n.expanded && n.waiting.empty());
}

bool RankedAssignments::is_there(NodeId node, std::size_t rank) {
  require(node, rank);
  return nodes_[node].found.size() > rank;
}

// Finds a rank, and first what it depends on: by a list, as trees may be a million cliques deep.
void RankedAssignments::require(NodeId node, std::size_t rank) {
  asked_.assign(1, {node, rank});
  while (!asked_.empty()) {
    const auto [at, wanted] = asked_.back();
    if (settled(at, wanted)) {
      asked_.pop_back();
    } else if (nodes_[at].expanded) {
      Node& n = nodes_[at];
      std::ranges::pop_heap(n.waiting, is_worse);
      n.found.push_back(std::move(n.waiting.back()));
      n.waiting.pop_back();
      n.expanded = false;
    } else {
      nodes_[at].expanded = expand(at);
    }
  }
}

std::size_t RankedAssignments::Ranked::rank_of(std::size_t child) const {
  const auto at = std::ranges::find(raised, child, &Raised::child);
  return at == raised.end() ? 0 : at->rank;
}

// What follows the last one found: a rank raised by 1, that of the last child in `raised` or of one
// after it, so that each comes once.  False where the children's ranks have to be found first.
bool RankedAssignments::expand(NodeId node) {
  const Ranked last = nodes_[node].found.back();
  const std::vector<NodeId> children = children_of(node, last.joint);
  watch_.advance(static_cast<double>(children.size()));
  const std::size_t from = last.raised.empty() ? 0 : last.raised.back().child;
  const std::size_t before = asked_.size();
  for (std::size_t k = from; k < children.size(); ++k) {
    const std::size_t next = last.rank_of(k) + 1;
    if (!settled(children[k], next)) asked_.emplace_back(children[k], next);
  }
  if (asked_.size() > before) return false;
  Node& n = nodes_[node];
  for (std::size_t k = from; k < children.size(); ++k) {
    const std::vector<Ranked>& ranked = nodes_[children[k]].found;
    const std::size_t rank = last.rank_of(k);
    if (ranked.size() <= rank + 1) continue;
    const double lost = ranked[rank].score - ranked[rank + 1].score;
    Ranked& next = n.waiting.emplace_back(last);
    next.score -= lost;
    if (rank == 0) next.raised.push_back({k, 0});
    ++next.raised.back().rank;
  }
  keep_best(n.waiting, most_ - std::min(most_, n.found.size()));
  std::ranges::make_heap(n.waiting, is_worse);
  return true;
}

std::vector<State> RankedAssignments::assignment(std::size_t rank) {
  std::vector<State> x(graph_.variables(), 0);
  std::vector<std::pair<NodeId, std::size_t>> open{{0, rank}};
  while (!open.empty()) {
    const auto [node, wanted] = open.back();
    open.pop_back();
    require(node, wanted);
    const Ranked chosen = nodes_[node].found[wanted];
    const std::vector<NodeId> children = children_of(node, chosen.joint);
    if (nodes_[node].clique != kNoClique) {
      for (const Variable v : tree_.cliques[nodes_[node].clique].eliminated) x[v] = x_[v];
    }
    for (std::size_t k = 0; k < children.size(); ++k) {
      open.emplace_back(children[k], chosen.rank_of(k));
    }
  }
  return x;
}

}  // namespace croft
