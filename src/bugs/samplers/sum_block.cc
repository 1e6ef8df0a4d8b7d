#include "bugs/samplers/sum_block.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "bugs/distributions/densities.h"
#include "bugs/node_values.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/univariate.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;

bool is_discrete(const ModelGraph& graph, Slot s) {
  return distribution(graph.node(graph.node_of(s)).distribution).discrete;
}

// True if numbers of the law may be moved one by one.
bool moves_freely(const Distribution& law) {
  switch (law.id) {
    case Id::multivariate_normal:
    case Id::multivariate_normal_covariance:
    case Id::multivariate_student:
    case Id::multinomial:
      return true;
    default:
      return law.value == Shape::scalar && law.id != Id::copied;
  }
}

class GroupFinder {
 public:
  explicit GroupFinder(const ModelGraph& graph) : graph_(graph) {}
  std::vector<SumGroup> run() {
    for (const NodeId id : graph_.observed()) {
      if (graph_.node(id).distribution == Id::sum) add_sum(id);
    }
    for (const NodeId id : graph_.sampled()) {
      if (graph_.node(id).distribution == Id::multinomial) add_counts(id);
    }
    return std::move(groups_);
  }

 private:
  void add_sum(NodeId id) {
    const Node& node = graph_.node(id);
    for (std::uint32_t k = 0; k < node.count; ++k) {
      SumConstraint constraint;
      constraint.total = graph_.initial()[node.first + k];
      for (const Parameter& p : graph_.parameters(node)) {
        const Slot s = graph_.slots_of(p)[k];
        if (graph_.fixed(s)) {
          constraint.total -= graph_.initial()[s];
          continue;
        }
        const NodeId term = graph_.node_of(s);
        if (term == kNothing || !moves_freely(distribution(graph_.node(term).distribution))) {
          throw InputError(graph_.where(id),
                           "a term of an observed sum has to be a number with a distribution, or "
                           "a constant",
                           graph_.name(id), "give each term a name and a distribution");
        }
        constraint.terms[s] += 1;
      }
      if (!constraint.terms.empty()) add(std::move(constraint));
    }
  }

  void add_counts(NodeId id) {
    const Node& node = graph_.node(id);
    SumConstraint constraint;
    for (std::uint32_t k = 0; k < node.count; ++k) constraint.terms[node.first + k] = 1;
    const Slot size = graph_.slot_of(node, 1);
    const NodeId of = graph_.node_of(size);
    if (of == kNothing || graph_.fixed(size) || graph_.node(of).count != 1 ||
        !moves_freely(distribution(graph_.node(of).distribution))) {
      constraint.total_slot = size;
    } else {
      constraint.terms[size] = -1;
    }
    add(std::move(constraint));
  }

  void add(SumConstraint constraint) {
    SumGroup joined;
    for (const auto& [slot, coefficient] : constraint.terms)
      joined.nodes.push_back(graph_.node_of(slot));
    joined.constraints.push_back(std::move(constraint));
    std::erase_if(groups_, [&](SumGroup& group) {
      const bool touches = std::ranges::any_of(group.nodes, [&](NodeId id) {
        return std::ranges::find(joined.nodes, id) != joined.nodes.end();
      });
      if (touches) {
        joined.nodes.insert(joined.nodes.end(), group.nodes.begin(), group.nodes.end());
        std::ranges::move(group.constraints, std::back_inserter(joined.constraints));
      }
      return touches;
    });
    std::ranges::sort(joined.nodes);
    joined.nodes.erase(std::unique(joined.nodes.begin(), joined.nodes.end()), joined.nodes.end());
    groups_.push_back(std::move(joined));
  }

  const ModelGraph& graph_;
  std::vector<SumGroup> groups_;
};

class SumBlock : public Sampler {
 public:
  SumBlock(const ModelGraph& graph, SumGroup group)
      : nodes_(std::move(group.nodes)), constraints_(std::move(group.constraints)) {
    const std::vector<NodeId> leave_out = tied(graph, nodes_);
    separate_ = stand_apart(graph, nodes_, leave_out);
    if (!separate_) blankets_.emplace_back(graph, nodes_, leave_out);
    for (const NodeId id : nodes_) {
      if (separate_) blankets_.emplace_back(graph, std::span(&id, 1), leave_out);
      const Node& node = graph.node(id);
      for (Slot s = node.first; s < node.first + node.count; ++s) {
        slots_.push_back(s);
        discrete_.push_back(is_discrete(graph, s) ? 1 : 0);
        place_.push_back(laws_.size());
      }
      laws_.emplace_back(graph, id);
    }
    steps_.resize(slots_.size());
    order_.resize(slots_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  std::string name() const override { return "slice along sums"; }
  std::span<const NodeId> nodes() const override { return nodes_; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    eliminate(values, random);
    for (Blanket& each : blankets_) each.begin(values);
    for (std::size_t free = 0; free < slots_.size(); ++free) {
      if (pivot_row_[free] == kNothing) move(free, values, random);
    }
  }
  void end_adaptation() override {
    for (SliceSteps& s : steps_) s.end_adaptation();
  }
  void archive(StateArchive& state) override {
    for (SliceSteps& s : steps_) s.archive(state);
    state(order_);
  }

 private:
  // Children that the constraints stand for, and the nodes themselves.
  static std::vector<NodeId> tied(const ModelGraph& graph, std::vector<NodeId> nodes) {
    for (const NodeId child : graph.children_of(nodes)) {
      if (graph.node(child).distribution == Id::sum && graph.node(child).observed)
        nodes.push_back(child);
    }
    return nodes;
  }

  // True if no node is a parent of another one, and no child has two of them as
  // parents.
  static bool stand_apart(const ModelGraph& graph, const std::vector<NodeId>& nodes,
                          std::span<const NodeId> leave_out) {
    std::set<NodeId> seen;
    for (const NodeId id : nodes) {
      for (const NodeId child : graph.children(id)) {
        if (std::ranges::find(nodes, child) != nodes.end()) return false;
        if (std::ranges::find(leave_out, child) != leave_out.end()) continue;
        if (!seen.insert(child).second) return false;
      }
    }
    return true;
  }

  // Constraints solved for one number each, which are taken in a random order: every smallest set
  // of numbers that can move together is found in time.
  void eliminate(double* values, Random& random) {
    const std::size_t m = constraints_.size(), n = slots_.size();
    rows_.assign(m, std::vector<double>(n + 1, 0.0));
    for (std::size_t r = 0; r < m; ++r) {
      for (std::size_t k = 0; k < n; ++k) {
        const auto found = constraints_[r].terms.find(slots_[k]);
        if (found != constraints_[r].terms.end()) rows_[r][k] = found->second;
      }
      rows_[r][n] = constraints_[r].right_side(values);
    }
    for (std::size_t k = n; k > 1; --k) std::swap(order_[k - 1], order_[random.below(k)]);
    pivot_row_.assign(n, kNothing);
    std::size_t row = 0;
    for (std::size_t k = 0; k < n && row < m; ++k) {
      const std::size_t column = order_[k];
      std::size_t best = row;
      for (std::size_t r = row; r < m; ++r) {
        if (std::fabs(rows_[r][column]) > std::fabs(rows_[best][column])) best = r;
      }
      if (!(std::fabs(rows_[best][column]) > 1e-9)) continue;
      std::swap(rows_[row], rows_[best]);
      const double pivot = rows_[row][column];
      for (double& x : rows_[row]) x /= pivot;
      for (std::size_t r = 0; r < m; ++r) {
        const double factor = rows_[r][column];
        if (r == row || factor == 0) continue;
        for (std::size_t j = 0; j <= n; ++j) rows_[r][j] -= factor * rows_[row][j];
      }
      pivot_row_[column] = static_cast<std::uint32_t>(row++);
    }
    if (row == n) return;
    for (std::size_t k = 0; k < n; ++k) {  // what sums of doubles have lost
      if (pivot_row_[k] == kNothing || discrete_[k] != 0) continue;
      const std::vector<double>& solved = rows_[pivot_row_[k]];
      double x = solved[n];
      for (std::size_t j = 0; j < n; ++j)
        if (pivot_row_[j] == kNothing) x -= solved[j] * values[slots_[j]];
      values[slots_[k]] = x;
    }
  }

  // Along the direction in which slot `free` moves by 1, and the solved numbers make up for it.
  void move(std::size_t free, double* values, Random& random) {
    along_.clear();
    moved_ = {place_[free]};
    bool whole = discrete_[free] != 0;
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      if (pivot_row_[k] == kNothing) continue;
      const double slope = -rows_[pivot_row_[k]][free];
      if (std::fabs(slope) < 1e-9) continue;
      along_.push_back({slots_[k], values[slots_[k]], slope, discrete_[k] != 0});
      if (std::ranges::find(moved_, place_[k]) == moved_.end()) moved_.push_back(place_[k]);
      whole = whole || discrete_[k] != 0;
    }
    double& x = values[slots_[free]];
    const double old = x;
    const auto f = [&](double y) {
      // A whole number k is any y from k to k + 1.
      x = !whole ? y : discrete_[free] != 0 ? std::floor(y) : old + std::floor(y) - std::floor(old);
      for (const Moved& p : along_) {
        values[p.slot] = x == old ? p.old : p.old + p.slope * (x - old);
        if (p.discrete && !is_whole(values[p.slot])) return kNever;
      }
      return log_density(values);
    };
    const double y = whole ? std::floor(old) + random.uniform() : old;
    const double here = f(y);
    if (!std::isfinite(here)) return;
    steps_[free].step(y, here, f, random);
  }

  // Log density of the nodes that move and of their children, or of all nodes.
  double log_density(double* values) {
    if (!separate_) {
      blankets_[0].run(values);
    } else {
      for (const std::size_t k : moved_) blankets_[k].run(values);
    }
    double sum = 0;
    const auto add = [&](double term) {
      sum += term;
      return sum > kNever;
    };
    if (!separate_) {
      for (NodeView& law : laws_)
        if (!add(law.log_density(values, Part::whole))) return kNever;
      return sum + blankets_[0].log_likelihood(values);
    }
    for (const std::size_t k : moved_) {
      if (!add(laws_[k].log_density(values, Part::whole))) return kNever;
      if (!add(blankets_[k].log_likelihood(values))) return kNever;
    }
    return sum;
  }

  struct Moved {
    Slot slot;
    double old, slope;
    bool discrete;
  };
  std::vector<NodeId> nodes_;
  std::vector<SumConstraint> constraints_;
  bool separate_ = false;
  std::vector<Blanket> blankets_;  // [nodes] where they are separate; else one
  std::vector<Slot> slots_;
  std::vector<std::size_t> place_;      // [slots] of the node
  std::vector<std::uint8_t> discrete_;  // [slots]
  std::vector<NodeView> laws_;          // [nodes]
  std::vector<SliceSteps> steps_;       // [slots]
  std::vector<std::size_t> order_;      // [slots]
  std::vector<std::vector<double>> rows_;
  std::vector<std::uint32_t> pivot_row_;  // [slots] kNothing: free
  std::vector<Moved> along_;
  std::vector<std::size_t> moved_;  // places of nodes
};

// The numbers that a node's law and bounds allow.
Bounds range_of(const ModelGraph& graph, NodeId id, const double* values) {
  NodeView view(graph, id);
  const Bounds limits = view.truncation(values),
               range = support(view.distribution(), view.parameters(values));
  return {std::max(limits.lower, range.lower), std::min(limits.upper, range.upper)};
}

}  // namespace

std::vector<SumGroup> sum_groups(const ModelGraph& graph) { return GroupFinder(graph).run(); }

void meet_sums(const ModelGraph& graph, const SumGroup& group,
               const std::vector<std::uint8_t>& held, double* values, Random& random) {
  constexpr int kRounds = 100;  // over the constraints, where they share numbers
  const std::vector<OperationId> operations = graph.dependents_of(group.nodes);
  for (int round = 0; round < kRounds; ++round) {
    bool met = true;
    for (const SumConstraint& c : group.constraints) {
      std::vector<std::pair<Slot, double>> terms;
      double left = c.right_side(values), size = 0;
      for (const auto& [slot, coefficient] : c.terms) {
        left -= coefficient * values[slot];
        size += std::fabs(values[slot]);
        if (held[graph.node_of(slot)] == 0) terms.emplace_back(slot, coefficient);
      }
      if (std::fabs(left) <= 1e-12 * size) continue;
      met = false;
      for (std::size_t k = terms.size(); k > 1; --k)
        std::swap(terms[k - 1], terms[random.below(k)]);
      // A share for each; what some cannot take, others do.
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t k = 0; k < terms.size(); ++k) {
          const auto [slot, coefficient] = terms[k];
          const Bounds range = range_of(graph, graph.node_of(slot), values);
          const auto others = static_cast<double>(pass == 0 ? terms.size() - k : 1);
          double x = values[slot] + left / coefficient / others;
          if (is_discrete(graph, slot)) x = std::round(x);
          if (std::isfinite(range.lower)) x = std::max(x, range.lower);
          if (std::isfinite(range.upper)) x = std::min(x, range.upper);
          left -= coefficient * (x - values[slot]);
          values[slot] = x;
        }
      }
      graph.evaluate(operations, values);
    }
    if (met) return;
  }
}

std::unique_ptr<Sampler> make_sum_block(const ModelGraph& graph, SumGroup group) {
  return std::make_unique<SumBlock>(graph, std::move(group));
}

}  // namespace croft::bugs
