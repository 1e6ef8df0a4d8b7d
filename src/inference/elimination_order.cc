#include "croft/inference/elimination_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft {
namespace {

using Neighbours = std::vector<std::vector<Variable>>;  // [variables] sorted

Neighbours neighbours_of(const FactorGraph& graph) {
  Neighbours lists(graph.variables());
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable u : graph.scope(f)) {
      if (graph.states(u) < 2) continue;
      for (const Variable v : graph.scope(f)) {
        if (u != v && graph.states(v) >= 2) lists[u].push_back(v);
      }
    }
  }
  for (std::vector<Variable>& list : lists) {
    std::ranges::sort(list);
    const auto rest = std::ranges::unique(list);
    list.erase(rest.begin(), rest.end());
  }
  return lists;
}

// Elimination of one variable after the other, with what the rules ask for kept up to date.
class Elimination {
 public:
  Elimination(const FactorGraph& graph, Neighbours lists, EliminationRule rule, Random& random)
      : rule_(rule), random_(random), lists_(std::move(lists)), log2_(lists_.size()) {
    for (Variable v = 0; v < log2_.size(); ++v) {
      log2_[v] = std::log2(static_cast<double>(graph.states(v)));
    }
    entry_.resize(log2_.size());
    mark_.resize(log2_.size());
    for (Variable v = 0; v < log2_.size(); ++v) {
      if (graph.states(v) >= 2) enter(v);
    }
  }

  // Stops, with an empty order, where the cliques come to more than `most` joint states.
  EliminationOrder run(double most) {
    EliminationOrder result;
    double total = 0;
    while (!queue_.empty()) {
      const Variable v = std::get<2>(*queue_.begin());
      queue_.erase(queue_.begin());
      const double size = clique_size(v);
      result.log2_largest = std::max(result.log2_largest, size);
      total += std::exp2(size);
      if (total > most) return {};
      result.order.push_back(v);
      eliminate(v);
      work_ += lists_[v].size() * lists_[v].size();
    }
    result.log2_total = total > 0 ? std::log2(total) : 0;
    return result;
  }
  double work() const { return work_; }

 private:
  double clique_size(Variable v) const {
    double size = log2_[v];
    for (const Variable u : lists_[v]) size += log2_[u];
    return size;
  }

  double cost(Variable v) {
    const std::vector<Variable>& list = lists_[v];
    if (rule_ == EliminationRule::min_degree) return static_cast<double>(list.size());
    if (rule_ == EliminationRule::min_weight) return clique_size(v);
    // Twice the pairs that are neighbours, from the marked lists.
    ++stamp_;
    for (const Variable u : list) mark_[u] = stamp_;
    double missing = 0;
    for (const Variable u : list) {
      double sum = 0;
      std::size_t known = 0;
      for (const Variable t : lists_[u]) {
        if (mark_[t] != stamp_) continue;
        ++known;
        if (rule_ == EliminationRule::weighted_min_fill) sum += std::exp2(log2_[t]);
      }
      work_ += lists_[u].size();
      if (rule_ == EliminationRule::min_fill) {
        missing += static_cast<double>(list.size() - 1 - known);
      } else {
        double all = -std::exp2(log2_[u]);
        for (const Variable t : list) all += std::exp2(log2_[t]);
        missing += std::exp2(log2_[u]) * (all - sum);
      }
    }
    return missing / 2;
  }

  void enter(Variable v) {
    entry_[v] = {cost(v), random_.next(), v};
    queue_.insert(entry_[v]);
  }

  void eliminate(Variable v) {
    const std::vector<Variable>& clique = lists_[v];
    changed_.clear();
    for (const Variable u : clique) {
      // u's list and the clique, without u and v.
      merged_.clear();
      std::ranges::set_union(lists_[u], clique, std::back_inserter(merged_));
      std::erase_if(merged_, [&](Variable t) { return t == u || t == v; });
      if (merged_.size() >= lists_[u].size()) joined_.push_back(u);
      lists_[u] = merged_;
      changed_.push_back(u);
    }
    if (!joined_.empty() && rule_ != EliminationRule::min_degree &&
        rule_ != EliminationRule::min_weight) {
      // An edge between two of the clique may be what a neighbour of both was missing.
      ++stamp_;
      for (const Variable u : changed_) mark_[u] = stamp_;
      for (const Variable u : joined_) {
        for (const Variable t : lists_[u]) {
          if (mark_[t] == stamp_) continue;
          mark_[t] = stamp_;
          changed_.push_back(t);
        }
      }
    }
    joined_.clear();
    for (const Variable u : changed_) {
      queue_.erase(entry_[u]);
      enter(u);
    }
  }

  const EliminationRule rule_;
  Random& random_;
  Neighbours lists_;
  std::vector<double> log2_;  // states
  // Cost by the rule; equal ones in random order.
  using Entry = std::tuple<double, std::uint64_t, Variable>;
  std::vector<Entry> entry_;
  std::set<Entry> queue_;  // of what is not eliminated yet
  std::vector<std::uint32_t> mark_;
  std::uint32_t stamp_ = 0;
  std::vector<Variable> merged_, changed_, joined_;
  double work_ = 0;
};

}  // namespace

EliminationRule elimination_rule(std::string_view name) {
  if (name == "min-fill") return EliminationRule::min_fill;
  if (name == "weighted-min-fill") return EliminationRule::weighted_min_fill;
  if (name == "min-weight") return EliminationRule::min_weight;
  if (name == "min-degree") return EliminationRule::min_degree;
  throw UsageError("there is no elimination rule " + in_quotes(name) +
                   "; there are min-fill, weighted-min-fill, min-weight, min-degree");
}

EliminationOrder find_elimination_order(const FactorGraph& graph,
                                        const EliminationOptions& options) {
  if (options.restarts < 1) throw UsageError("restarts must be at least 1");
  std::vector<EliminationRule> rules = options.rules;
  if (rules.empty()) {
    rules = {EliminationRule::min_fill, EliminationRule::min_weight,
             EliminationRule::weighted_min_fill};
  }
  const Neighbours lists = neighbours_of(graph);
  Random random(options.seed);
  EliminationOrder best;
  double most = std::numeric_limits<double>::infinity(), work = 0;
  for (std::size_t k = 0; k < options.restarts; ++k) {
    for (const EliminationRule rule : rules) {
      if (k + work > 0 && work > most) return best;
      Elimination run(graph, lists, rule, random);
      EliminationOrder found = run.run(most);
      work += 4 * run.work() + static_cast<double>(graph.variables());
      if (found.order.empty()) continue;
      const double total = std::exp2(found.log2_total);
      if (total >= most) continue;
      most = total;
      best = std::move(found);
    }
  }
  return best;
}

EliminationOrder cost_of_order(const FactorGraph& graph, std::vector<Variable> order) {
  std::vector<Variable> sorted = order;
  std::ranges::sort(sorted);
  std::vector<Variable> all;
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) >= 2) all.push_back(v);
  }
  if (sorted != all) {
    throw UsageError("an elimination order must have every variable of two states or more once");
  }
  Neighbours lists = neighbours_of(graph);
  EliminationOrder result{.order = std::move(order)};
  double total = 0;
  for (const Variable v : result.order) {
    double size = std::log2(static_cast<double>(graph.states(v)));
    for (const Variable u : lists[v]) size += std::log2(static_cast<double>(graph.states(u)));
    result.log2_largest = std::max(result.log2_largest, size);
    total += std::exp2(size);
    for (const Variable u : lists[v]) {
      std::vector<Variable> merged;
      std::ranges::set_union(lists[u], lists[v], std::back_inserter(merged));
      std::erase_if(merged, [&](Variable t) { return t == u || t == v; });
      lists[u] = std::move(merged);
    }
  }
  result.log2_total = total > 0 ? std::log2(total) : 0;
  return result;
}

}  // namespace croft
