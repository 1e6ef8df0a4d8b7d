#include "inference/graph/exact/clique_tree.h"

#include <algorithm>

namespace croft {
namespace {

// Of a clique's table the last part that is wholly the separator's: long enough for SIMD.
constexpr std::size_t kInnerStates = 64;
// Steps that a variable, a factor or a clique takes each time.
constexpr double kSteps = 16;
using Spend = std::function<void(double)>;

// For each variable those that it is joined with when it is eliminated, by their place in the
// order.
class Buckets {
 public:
  Buckets(const FactorGraph& graph, const std::vector<Variable>& order, const Spend& spend)
      : place(graph.variables(), kNone), variables(order) {
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    for (Variable v = 0; v < place.size(); ++v) {
      if (place[v] != kNone || graph.states(v) < 2) continue;
      place[v] = variables.size();
      variables.push_back(v);
    }
    joined.resize(variables.size());
    factors.resize(variables.size());
    for (Factor f = 0; f < graph.factors(); ++f) {
      spend(kSteps);
      add_factor(graph, f);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      std::vector<std::size_t>& list = joined[k];
      spend(kSteps + static_cast<double>(list.size()));
      std::ranges::sort(list);
      const auto rest = std::ranges::unique(list);
      list.erase(rest.begin(), rest.end());
      if (list.empty()) continue;
      std::vector<std::size_t>& next = joined[list.front()];
      next.insert(next.end(), list.begin() + 1, list.end());
    }
  }

  static constexpr std::size_t kNone = Clique::kNone;
  std::vector<std::size_t> place;   // [variables] in the order; then of those that stay
  std::vector<Variable> variables;  // [place]
  std::vector<std::vector<std::size_t>> joined;  // [place] later places
  std::vector<std::vector<Factor>> factors;      // [place]
  std::vector<Factor> constants;

 private:
  void add_factor(const FactorGraph& graph, Factor f) {
    std::vector<std::size_t> at;
    for (const Variable v : graph.scope(f)) {
      if (place[v] != kNone) at.push_back(place[v]);
    }
    if (at.empty()) {
      constants.push_back(f);
      return;
    }
    std::ranges::sort(at);
    factors[at.front()].push_back(f);
    joined[at.front()].insert(joined[at.front()].end(), at.begin() + 1, at.end());
  }
};

// [S .. , E, .. S] with a tail of S of some states, in the order that the parent has S in.
void set_table_order(const FactorGraph& graph, Clique& clique, const Clique* parent) {
  if (parent != nullptr) {
    const auto in = [&](Variable v) {
      return std::ranges::find(clique.separator, v) != clique.separator.end();
    };
    std::vector<Variable> ordered;
    std::ranges::copy_if(parent->variables, std::back_inserter(ordered), in);
    clique.separator = std::move(ordered);
  }
  std::size_t tail = clique.separator.size(), states = 1;
  while (tail > 0 && states < kInnerStates) states *= graph.states(clique.separator[--tail]);
  const auto split = clique.separator.begin() + static_cast<std::ptrdiff_t>(tail);
  clique.variables.assign(clique.separator.begin(), split);
  clique.variables.insert(clique.variables.end(), clique.eliminated.begin(),
                          clique.eliminated.end());
  clique.variables.insert(clique.variables.end(), split, clique.separator.end());
}

}  // namespace

CliqueTree make_clique_tree(const FactorGraph& graph, const std::vector<Variable>& order,
                            const Spend& spend) {
  Buckets buckets(graph, order, spend);
  CliqueTree tree{.cliques = {},
                  .home = std::vector<std::size_t>(graph.variables(), Clique::kNone),
                  .constants = std::move(buckets.constants),
                  .untouched = {}};
  // The clique that a place may still be put into: all that it is joined with is there already.
  std::vector<std::size_t> open(order.size(), Clique::kNone);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::vector<std::size_t>& joined = buckets.joined[k];
    spend(kSteps + static_cast<double>(joined.size()));
    std::size_t at = open[k];
    if (at == Clique::kNone) {
      at = tree.cliques.size();
      tree.cliques.emplace_back();
    }
    Clique& clique = tree.cliques[at];
    clique.eliminated.push_back(order[k]);
    clique.separator.clear();
    for (const std::size_t each : joined) clique.separator.push_back(buckets.variables[each]);
    clique.factors.insert(clique.factors.end(), buckets.factors[k].begin(),
                          buckets.factors[k].end());
    tree.home[order[k]] = at;
    if (joined.empty() || joined.front() >= order.size()) continue;
    if (buckets.joined[joined.front()].size() + 1 == joined.size()) {
      open[joined.front()] = at;
    }
  }
  for (std::size_t k = order.size(); k < buckets.factors.size(); ++k) {
    tree.untouched.insert(tree.untouched.end(), buckets.factors[k].begin(),
                          buckets.factors[k].end());
  }
  for (Clique& clique : tree.cliques) {
    if (clique.separator.empty()) continue;
    clique.parent = tree.home[clique.separator.front()];
  }
  // A clique that took in later variables may stand before its children: number by depth first.
  std::vector<std::vector<std::size_t>> children(tree.cliques.size());
  std::vector<std::size_t> stack, down;
  for (std::size_t c = tree.cliques.size(); c-- > 0;) {
    if (tree.cliques[c].parent == Clique::kNone)
      stack.push_back(c);
    else
      children[tree.cliques[c].parent].push_back(c);
  }
  while (!stack.empty()) {
    const std::size_t c = stack.back();
    stack.pop_back();
    down.push_back(c);
    stack.insert(stack.end(), children[c].begin(), children[c].end());
  }
  std::ranges::reverse(down);
  std::vector<std::size_t> number(down.size());
  std::vector<Clique> sorted;
  for (std::size_t k = 0; k < down.size(); ++k) {
    number[down[k]] = k;
    sorted.push_back(std::move(tree.cliques[down[k]]));
  }
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k].parent == Clique::kNone) continue;
    sorted[k].parent = number[sorted[k].parent];
    sorted[sorted[k].parent].children.push_back(k);
  }
  for (std::size_t& each : tree.home) {
    if (each != Clique::kNone) each = number[each];
  }
  tree.cliques = std::move(sorted);
  for (std::size_t c = tree.cliques.size(); c-- > 0;) {
    Clique& clique = tree.cliques[c];
    spend(kSteps + static_cast<double>(clique.variables.size()));
    set_table_order(graph, clique,
                    clique.parent == Clique::kNone ? nullptr : &tree.cliques[clique.parent]);
  }
  return tree;
}

}  // namespace croft
