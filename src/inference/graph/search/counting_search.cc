#include "inference/graph/search/counting_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/inference/elimination_order.h"

namespace croft {
namespace {

constexpr std::size_t kMostStates = 64;
constexpr double kMostTable = 1 << 16;
constexpr std::size_t kMostClauses = 8;  // that a table is taken apart into
constexpr std::size_t kNodesBetween = 64;
constexpr double kEqual = 1e-12;           // scores that differ by rounding
constexpr double kMostRounded = 1e3;       // larger scores may differ by what matters to a sum
constexpr std::size_t kMostDepth = 20000;  // of the recursion
constexpr double kOrder = 1;               // how much a late place in an elimination order counts
constexpr double kBytesOfKnown = 64;

using States = std::uint64_t;  // a bit for each
using NodeId = std::uint32_t;
constexpr NodeId kNoNode = 0xffffffff;

bool single(States s) { return (s & (s - 1)) == 0; }
State first_of(States s) { return static_cast<State>(std::countr_zero(s)); }

std::uint64_t scrambled(std::uint64_t a) {
  a ^= a >> 30;
  a *= 0xbf58476d1ce4e5b9;
  a ^= a >> 27;
  a *= 0x94d049bb133111eb;
  return a ^ (a >> 31);
}

// Key of a set in any order; two sets share one with a probability of about 2^-128.
struct SetKey {
  std::uint64_t a = 0, b = 0;
  void add(std::uint64_t kind, std::uint64_t id, std::uint64_t what) {
    const std::uint64_t h = scrambled(scrambled(id * 4 + kind) + what * 0x9e3779b97f4a7c15);
    a += scrambled(h + 0x8c2f9d1b);
    b += scrambled(h ^ 0xd6e8feb86659fd93);
  }
  bool operator==(const SetKey&) const = default;
};
struct HashOfKey {
  std::size_t operator()(const SetKey& k) const { return k.a; }
};

// Variables that do not depend on any others, with the clauses and tables that join them.
struct Component {
  std::vector<Variable> variables;
  std::vector<std::uint32_t> tables;
  Variable branch = 0;
  SetKey key;
};

class CountingSearch {
 public:
  CountingSearch(const FactorGraph& graph, const CountingOptions& options,
                 const GraphCallback& progress)
      : graph_(graph), options_(options), progress_(progress) {
    const std::size_t n = graph.variables();
    for (Variable v = 0; v < n; ++v) {
      const std::size_t count = graph.states(v);
      left_.push_back(count == 64 ? ~States{0} : (States{1} << count) - 1);
    }
    literals_of_.resize(n);
    tables_of_.resize(n);
    degree_.assign(n, 0);
    seen_variable_.assign(n, 0);
    for (Factor f = 0; f < graph.factors(); ++f) add_factor(f);
    seen_clause_.assign(clauses_.size(), 0);
    seen_table_.assign(tables_.size(), 0);
    EliminationOptions search{.rules = {EliminationRule::min_fill}, .restarts = 2};
    search.most_log2_states = kInf;
    search.progress = progress;
    place_.assign(n, 0);
    const EliminationOrder order = find_elimination_order(graph, search);
    for (std::size_t k = 0; k < order.order.size(); ++k) {
      place_[order.order[k]] = static_cast<double>(k + 1) / static_cast<double>(order.order.size());
    }
  }

  CountingResult run() {
    CountingResult result;
    const std::size_t mark = trail_.size();
    for (std::uint32_t t = 0; t < tables_.size(); ++t) queue_table(t);
    std::vector<Variable> all;
    for (Variable v = 0; v < graph_.variables(); ++v) all.push_back(v);
    Component whole;
    whole.variables = std::move(all);
    for (std::uint32_t t = 0; t < tables_.size(); ++t) whole.tables.push_back(t);
    bool possible = constant_ > -kInf && propagate();
    for (std::uint32_t c = 0; possible && c < clauses_.size(); ++c)
      possible = look_at(c) && propagate();
    NodeId root = kNoNode;
    if (possible) {
      nodes_.push_back({});
      branches_of_new_.emplace_back();
      const double value = fall_apart(whole);
      if (!stopped_) {
        nodes_[0].value = value;
        root = 0;
        close(0);
      }
    }
    undo(mark);
    result.nodes = count_;
    result.finished = !stopped_;
    result.log_partition = root == kNoNode ? -kInf : constant_ + nodes_[0].value;
    if (result.finished && options_.marginals && result.log_partition > -kInf) {
      result.marginals = marginals();
    }
    return result;
  }

 private:
  struct Literal {  // true where v is not s
    Variable v;
    State s;
  };
  struct Clause {
    std::uint32_t begin, end;  // into literals_
  };
  struct Table {
    std::vector<Variable> scope;
    std::vector<std::size_t> strides;
    std::vector<double> scores;
  };
  struct Occurrence {
    std::uint32_t clause;
    State s;
  };
  // The result for one allowed state of a component's branching variable.
  struct Branch {
    double value = 0;
    std::uint32_t first = 0, variables = 0, children = 0;  // into variables_, then children_
    std::uint32_t first_child = 0;
  };
  struct Node {
    double value = -kInf;
    std::uint32_t first = 0, branches = 0;
  };

  void add_factor(Factor f) {
    const auto scope = graph_.scope(f);
    Table table;
    const std::vector<double> scores = graph_.table(f);
    std::size_t stride = 1;
    for (std::size_t k = scope.size(); k-- > 0; stride *= graph_.states(scope[k])) {
      if (graph_.states(scope[k]) < 2) continue;
      table.scope.push_back(scope[k]);
      table.strides.push_back(stride);
    }
    if (table.scope.empty()) {
      constant_ += scores[0];
      return;
    }
    table.scores = scores;
    const double high = *std::ranges::max_element(scores);
    const auto zeros = static_cast<std::size_t>(std::ranges::count(scores, -kInf));
    const bool alike =
        std::ranges::all_of(scores, [&](double x) { return x == -kInf || x == high; });
    if (alike && zeros < scores.size() && zeros <= kMostClauses) {
      constant_ += high;
      for (std::size_t k = 0; k < scores.size(); ++k) {
        if (scores[k] == -kInf) add_clause(table, k);
      }
      return;
    }
    const auto id = static_cast<std::uint32_t>(tables_.size());
    for (const Variable v : table.scope) tables_of_[v].push_back(id);
    tables_.push_back(std::move(table));
    in_queue_.push_back(0);
  }
  void add_clause(const Table& table, std::size_t joint) {
    const auto id = static_cast<std::uint32_t>(clauses_.size());
    const auto begin = static_cast<std::uint32_t>(literals_.size());
    for (std::size_t k = 0; k < table.scope.size(); ++k) {
      const Variable v = table.scope[k];
      const auto s = static_cast<State>(joint / table.strides[k] % graph_.states(v));
      literals_.push_back({v, s});
      literals_of_[v].push_back({id, s});
    }
    clauses_.push_back({begin, static_cast<std::uint32_t>(literals_.size())});
  }

  // --- what zeros forbid ---------------------------------------------------------------------

  void queue_table(std::uint32_t t) {
    if (in_queue_[t]) return;
    in_queue_[t] = 1;
    queue_.push_back(t);
  }
  // False where nothing is left.
  bool keep(Variable v, States states) {
    const States both = left_[v] & states;
    if (both == left_[v]) return true;
    trail_.push_back({v, left_[v]});
    left_[v] = both;
    return both != 0;
  }
  void undo(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back())
      left_[trail_.back().first] = trail_.back().second;
  }

  // False at a contradiction.
  bool look_at(std::uint32_t c) {
    const Literal* open = nullptr;
    for (std::uint32_t k = clauses_[c].begin; k < clauses_[c].end; ++k) {
      const Literal& each = literals_[k];
      const States bit = States{1} << each.s;
      if ((left_[each.v] & bit) == 0) return true;  // satisfied
      if (left_[each.v] == bit) continue;           // false
      if (open != nullptr) return true;
      open = &each;
    }
    return open != nullptr && keep(open->v, ~(States{1} << open->s));
  }

  // All joint states of what is left of a table's variables: visit(score, states).
  template <class Visit>
  void for_left(const Table& table, const Visit& visit) const {
    const std::size_t n = table.scope.size();
    std::size_t index = 0;
    at_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      at_[k] = first_of(left_[table.scope[k]]);
      index += at_[k] * table.strides[k];
    }
    for (;;) {
      if (!visit(table.scores[index])) return;
      std::size_t k = 0;
      for (; k < n; ++k) {
        const States more = left_[table.scope[k]] & ~((States{2} << at_[k]) - 1);
        index -= at_[k] * table.strides[k];
        at_[k] = first_of(more != 0 ? more : left_[table.scope[k]]);
        index += at_[k] * table.strides[k];
        if (more != 0) break;
      }
      if (k == n) return;
    }
  }
  bool look_at(const Table& table) {
    support_.assign(table.scope.size(), 0);
    for_left(table, [&](double score) {
      if (score == -kInf) return true;
      for (std::size_t k = 0; k < at_.size(); ++k) support_[k] |= States{1} << at_[k];
      return true;
    });
    const std::vector<States> support = support_;
    for (std::size_t k = 0; k < support.size(); ++k) {
      if (!keep(table.scope[k], support[k])) return false;
    }
    return true;
  }
  bool propagate() {
    bool possible = true;
    while (possible && (done_ < trail_.size() || !queue_.empty())) {
      if (done_ < trail_.size()) {
        const Variable v = trail_[done_++].first;
        const States left = left_[v];
        if (single(left)) {
          const State s = first_of(left);
          for (const Occurrence& each : literals_of_[v]) {
            if (each.s == s && !(possible = look_at(each.clause))) break;
          }
        }
        for (const std::uint32_t t : tables_of_[v]) queue_table(t);
        continue;
      }
      const std::uint32_t t = queue_.back();
      queue_.pop_back();
      in_queue_[t] = 0;
      possible = look_at(tables_[t]);
    }
    for (const std::uint32_t t : queue_) in_queue_[t] = 0;
    queue_.clear();
    done_ = trail_.size();
    return possible;
  }

  // --- components ------------------------------------------------------------------------------

  bool satisfied(std::uint32_t c) const {
    for (std::uint32_t k = clauses_[c].begin; k < clauses_[c].end; ++k) {
      if ((left_[literals_[k].v] >> literals_[k].s & 1) == 0) return true;
    }
    return false;
  }
  // True if a table still tells joint states apart; else its score is *constant.
  bool tells_apart(const Table& table, double* constant) const {
    double low = kInf, high = -kInf;
    const auto apart = [&] {
      return low == -kInf ||
             high - low >
                 kEqual * std::clamp(std::max(std::abs(high), std::abs(low)), 1.0, kMostRounded);
    };
    for_left(table, [&](double score) {
      low = std::min(low, score);
      high = std::max(high, score);
      return !apart();
    });
    *constant = high;
    return apart();
  }

  Component component_of(Variable from) {
    Component c;
    c.variables.push_back(from);
    seen_variable_[from] = stamp_;
    degree_[from] = 0;
    const auto reach = [&](Variable u, double weight) {
      if (seen_variable_[u] != stamp_) {
        seen_variable_[u] = stamp_;
        degree_[u] = 0;
        c.variables.push_back(u);
      }
      degree_[u] += weight;
    };
    for (std::size_t k = 0; k < c.variables.size(); ++k) {
      const Variable v = c.variables[k];
      c.key.add(0, v, left_[v]);
      for (const Occurrence& each : literals_of_[v]) {
        if (seen_clause_[each.clause] == stamp_) continue;
        seen_clause_[each.clause] = stamp_;
        if (satisfied(each.clause)) continue;
        c.key.add(1, each.clause, 0);
        for (std::uint32_t at = clauses_[each.clause].begin; at < clauses_[each.clause].end; ++at) {
          if (!single(left_[literals_[at].v])) reach(literals_[at].v, 1);
        }
      }
      for (const std::uint32_t t : tables_of_[v]) {
        if (seen_table_[t] == stamp_) continue;
        seen_table_[t] = stamp_;
        double constant = 0;
        if (!tells_apart(tables_[t], &constant)) continue;
        c.tables.push_back(t);
        std::size_t base = 0;
        for (std::size_t at = 0; at < tables_[t].scope.size(); ++at) {
          const States left = left_[tables_[t].scope[at]];
          if (single(left)) base += first_of(left) * tables_[t].strides[at];
        }
        c.key.add(2, t, base);
        for (const Variable u : tables_[t].scope) {
          if (!single(left_[u])) reach(u, 1);
        }
      }
    }
    double best = -1;
    for (const Variable v : c.variables) {
      const double score = degree_[v] * (1 + kOrder * place_[v]);
      if (score > best) {
        best = score;
        c.branch = v;
      }
    }
    return c;
  }

  // --- search ------------------------------------------------------------------------------------

  // After propagation within a component: the value of what is left, as a branch of the node that
  // is being made.
  double fall_apart(const Component& c) {
    ++stamp_;
    Branch branch;
    std::vector<std::pair<Variable, States>> variables;
    std::vector<Component> parts;
    for (const Variable v : c.variables) {
      if (seen_variable_[v] == stamp_) continue;
      if (single(left_[v])) {
        variables.emplace_back(v, left_[v]);
        continue;
      }
      Component part = component_of(v);
      if (part.variables.size() == 1 && part.tables.empty()) {  // no clause is left, either
        branch.value += std::log(static_cast<double>(std::popcount(left_[v])));
        variables.emplace_back(v, left_[v]);
      } else {
        parts.push_back(std::move(part));
      }
    }
    for (const std::uint32_t t : c.tables) {
      double constant = 0;
      if (!tells_apart(tables_[t], &constant)) branch.value += constant;
    }
    std::ranges::sort(parts, {}, [](const Component& part) { return part.variables.size(); });
    std::vector<NodeId> children;
    for (const Component& part : parts) {
      const NodeId child = solve(part);
      if (stopped_) return -kInf;
      if (nodes_[child].value == -kInf) return -kInf;
      branch.value += nodes_[child].value;
      children.push_back(child);
    }
    if (options_.marginals) {
      branch.first = static_cast<std::uint32_t>(variables_.size());
      branch.variables = static_cast<std::uint32_t>(variables.size());
      branch.first_child = static_cast<std::uint32_t>(children_.size());
      branch.children = static_cast<std::uint32_t>(children.size());
      variables_.insert(variables_.end(), variables.begin(), variables.end());
      children_.insert(children_.end(), children.begin(), children.end());
      branches_of_new_.back().push_back(branch);
    }
    return branch.value;
  }
  NodeId solve(const Component& c) {
    if (const auto known = known_.find(c.key); known != known_.end()) return known->second;
    ++count_;
    const bool too_many = options_.max_nodes > 0 && count_ > options_.max_nodes;
    stopped_ =
        stopped_ || too_many || branches_of_new_.size() > kMostDepth || bytes() > options_.memory;
    if (count_ % kNodesBetween == 0 && progress_) {
      GraphProgress now;
      now.iteration = count_;
      stopped_ = stopped_ || !progress_(now);
    }
    if (stopped_) return kNoNode;
    branches_of_new_.emplace_back();
    std::vector<double> values;
    for (States states = left_[c.branch]; states != 0; states &= states - 1) {
      const std::size_t mark = trail_.size();
      keep(c.branch, States{1} << first_of(states));
      const double value = propagate() ? fall_apart(c) : -kInf;
      undo(mark);
      done_ = mark;
      if (stopped_) return kNoNode;
      values.push_back(value);
    }
    const double high = *std::ranges::max_element(values);
    double sum = 0;
    for (const double each : values) sum += high == -kInf ? 0 : std::exp(each - high);
    const auto id = static_cast<NodeId>(nodes_.size());
    nodes_.push_back({.value = high == -kInf ? high : high + std::log(sum)});
    close(id);
    if (static_cast<double>(known_.size()) * kBytesOfKnown > options_.memory / 2) known_.clear();
    known_.emplace(c.key, id);
    return id;
  }
  // Memory of what is never forgotten, roughly.
  double bytes() const {
    return 2 * static_cast<double>(
                   nodes_.size() * sizeof(Node) + branches_.size() * sizeof(Branch) +
                   variables_.size() * sizeof(variables_[0]) + children_.size() * sizeof(NodeId));
  }
  void close(NodeId id) {
    nodes_[id].first = static_cast<std::uint32_t>(branches_.size());
    nodes_[id].branches = static_cast<std::uint32_t>(branches_of_new_.back().size());
    for (const Branch& each : branches_of_new_.back()) branches_.push_back(each);
    branches_of_new_.pop_back();
  }

  // From the root down: a node was made after those that it depends on, but for the root itself.
  VariableMarginals marginals() const {
    VariableMarginals p(graph_.variables());
    for (Variable v = 0; v < p.size(); ++v) p[v].assign(graph_.states(v), 0);
    std::vector<double> flow(nodes_.size(), 0);
    const auto pass = [&](NodeId id) {
      const Node& node = nodes_[id];
      if (flow[id] == 0) return;
      // Relative to the largest: they add up to 1 where node.value has no digits left for that.
      const std::span branches(branches_.data() + node.first, node.branches);
      double high = -kInf, total = 0;
      for (const Branch& branch : branches) high = std::max(high, branch.value);
      for (const Branch& branch : branches) total += std::exp(branch.value - high);
      for (const Branch& branch : branches) {
        const double here = flow[id] * std::exp(branch.value - high) / total;
        for (std::uint32_t at = branch.first; at < branch.first + branch.variables; ++at) {
          const auto [v, states] = variables_[at];
          const double each = here / std::popcount(states);
          for (States s = states; s != 0; s &= s - 1) p[v][first_of(s)] += each;
        }
        for (std::uint32_t at = 0; at < branch.children; ++at) {
          flow[children_[branch.first_child + at]] += here;
        }
      }
    };
    flow[0] = 1;
    pass(0);
    for (auto id = static_cast<NodeId>(nodes_.size()); id-- > 1;) pass(id);
    return p;
  }

  const FactorGraph& graph_;
  const CountingOptions& options_;
  const GraphCallback& progress_;
  double constant_ = 0;
  std::vector<Literal> literals_;
  std::vector<Clause> clauses_;
  std::vector<Table> tables_;
  std::vector<std::vector<Occurrence>> literals_of_;   // [variables]
  std::vector<std::vector<std::uint32_t>> tables_of_;  // [variables]
  std::vector<double> place_;                          // [variables] in an elimination order

  std::vector<States> left_;                        // [variables]
  std::vector<std::pair<Variable, States>> trail_;  // what a variable had before
  std::size_t done_ = 0;                            // of the trail
  std::vector<std::uint32_t> queue_;                // tables
  std::vector<std::uint8_t> in_queue_;
  mutable std::vector<State> at_;
  std::vector<States> support_;

  std::uint64_t stamp_ = 0;
  std::vector<std::uint64_t> seen_variable_, seen_clause_, seen_table_;
  std::vector<double> degree_;

  std::unordered_map<SetKey, NodeId, HashOfKey> known_;
  std::vector<Node> nodes_;
  std::vector<Branch> branches_;
  std::vector<std::pair<Variable, States>> variables_;
  std::vector<NodeId> children_;
  std::vector<std::vector<Branch>> branches_of_new_;  // of the nodes that are being made
  std::size_t count_ = 0;
  bool stopped_ = false;
};

}  // namespace

void CountingOptions::validate() const {
  if (!(memory > 0)) throw UsageError("counting needs memory above 0");
}

std::string why_no_counting(const FactorGraph& graph) {
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) > kMostStates) {
      return "variable " + std::to_string(v) + " has " + std::to_string(graph.states(v)) +
             " states, and 64 are the most";
    }
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (static_cast<double>(graph.joint_states(f)) > kMostTable) {
      return "factor " + std::to_string(f) + " has more than 2^16 joint states";
    }
  }
  return "";
}

CountingResult counting_search(const FactorGraph& graph, const CountingOptions& options,
                               const GraphCallback& progress) {
  options.validate();
  if (const std::string why = why_no_counting(graph); !why.empty()) {
    throw Error("the search with a cache does not take this graph: ", why);
  }
  return CountingSearch(graph, options, progress).run();
}

}  // namespace croft
