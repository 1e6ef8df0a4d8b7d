#include "bugs/exact/discrete_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "bugs/distributions.h"
#include "bugs/node_values.h"
#include "croft/core/interrupt.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/junction_tree.h"

namespace croft::bugs {
namespace {

constexpr double kNoMass = -std::numeric_limits<double>::infinity();

// The joint state of the nodes as values; the last of them changes fastest.
void put_joint_state(const ModelGraph& graph, const DiscreteModel& model,
                     std::span<const NodeId> nodes, std::size_t joint,
                     std::vector<double>& values) {
  for (std::size_t k = nodes.size(); k-- > 0;) {
    const auto& states = model.values[model.variable[nodes[k]]];
    values[graph.node(nodes[k]).first] = states[joint % states.size()];
    joint /= states.size();
  }
}

std::vector<NodeId> nodes_of(const DiscreteModel& model, Factor factor) {
  std::vector<NodeId> nodes;
  for (const Variable v : model.graph.scope(factor)) nodes.push_back(model.nodes[v]);
  return nodes;
}

class Translation {
 public:
  Translation(const ModelGraph& graph, const DiscreteLimits& limits, std::string& why)
      : graph_(graph), limits_(limits), why_(why), values_(graph.initial()) {}

  bool add_variables();
  bool add_factors();
  // Of zeros over what the slot depends on; kNothing where it depends on nothing.
  bool add_zeros(Slot slot, Factor& factor);
  DiscreteModel result() { return std::move(model_); }

 private:
  bool fail(NodeId id, std::string_view words) {
    why_ = graph_.describe(id) + " " + std::string(words);
    return false;
  }
  bool support_of(NodeId id, std::vector<double>& values);
  bool joint_states(NodeId id, const std::vector<NodeId>& nodes, std::size_t& count);

  const ModelGraph& graph_;
  const DiscreteLimits& limits_;
  std::string& why_;
  std::vector<double> values_;
  DiscreteModel model_;
  std::size_t tabulated_ = 0;
};

// The values of a node, whatever the others are.
bool Translation::support_of(NodeId id, std::vector<double>& values) {
  const Node& node = graph_.node(id);
  const Distribution& law = distribution(node.distribution);
  if (!law.discrete) return fail(id, "is continuous");
  if (law.value != Shape::scalar) return fail(id, "is an array");
  const Bounds bounds = possible_values(graph_, node);
  const double count = bounds.upper - bounds.lower + 1;
  if (!(count <= static_cast<double>(limits_.states))) {
    return fail(id, "has too many values, or their range is not known");
  }
  if (count < 1) return fail(id, "has no value");
  for (double x = bounds.lower; x <= bounds.upper; ++x) values.push_back(x);
  return true;
}

bool Translation::add_variables() {
  model_.variable.assign(graph_.nodes(), kNothing);
  for (NodeId id = 0; id < graph_.nodes(); ++id) {
    if (graph_.node(id).observed) continue;
    std::vector<double> values;
    if (!support_of(id, values)) return false;
    model_.variable[id] = model_.graph.add_variable(values.size());
    model_.nodes.push_back(id);
    model_.values.push_back(std::move(values));
  }
  return true;
}

bool Translation::joint_states(NodeId id, const std::vector<NodeId>& nodes, std::size_t& count) {
  count = 1;
  for (const NodeId n : nodes) {
    count *= model_.values[model_.variable[n]].size();
    if (count > limits_.table) return fail(id, "depends on too many others at once");
  }
  tabulated_ += count;
  return tabulated_ <= limits_.all_tables || fail(id, "and others have too large tables");
}

bool Translation::add_factors() {
  for (NodeId id = 0; id < graph_.nodes(); ++id) {
    const Node& node = graph_.node(id);
    std::vector<Slot> used{node.lower, node.upper};
    for (const Parameter& p : graph_.parameters(node)) {
      const auto slots = graph_.slots_of(p);
      used.insert(used.end(), slots.begin(), slots.end());
    }
    GraphParts parts = graph_.parts_of(std::move(used));
    if (!node.observed) parts.nodes.push_back(id);  // the last, which changes fastest
    std::size_t count = 0;
    if (!joint_states(id, parts.nodes, count)) return false;
    std::vector<double> table(count);
    std::vector<std::size_t> undrawable;
    for (std::size_t joint = 0; joint < count; ++joint) {
      if (joint % 65536 == 65535 && interruption) throw Interrupted("interrupted");
      put_joint_state(graph_, model_, parts.nodes, joint, values_);
      graph_.evaluate(parts.operations, values_.data());
      if (!node.informative && !can_be_drawn(graph_, node, values_.data())) {
        undrawable.push_back(joint);
        continue;
      }
      const double p = log_density_of(graph_, node, values_.data());
      table[joint] = std::isnan(p) ? kNoMass : p;
    }
    if (!undrawable.empty()) model_.undrawable.push_back({id, std::move(undrawable)});
    std::vector<Variable> scope;
    for (const NodeId n : parts.nodes) scope.push_back(model_.variable[n]);
    model_.graph.add_factor(scope, model_.graph.add_table(table));
  }
  return true;
}

bool Translation::add_zeros(Slot slot, Factor& factor) {
  factor = kNothing;
  const GraphParts parts = graph_.parts_of({slot});
  if (parts.nodes.empty()) return true;
  std::size_t count = 0;
  if (!joint_states(parts.nodes[0], parts.nodes, count)) return false;
  std::vector<Variable> scope;
  for (const NodeId n : parts.nodes) scope.push_back(model_.variable[n]);
  factor = model_.graph.add_factor(scope, model_.graph.add_table(std::vector<double>(count, 0)));
  return true;
}

}  // namespace

std::optional<DiscreteModel> discrete_model(const ModelGraph& graph, std::string& why,
                                            const std::vector<Slot>& also,
                                            std::vector<Factor>* factors_of_also,
                                            const DiscreteLimits& limits) {
  Translation translation(graph, limits, why);
  if (!translation.add_variables() || !translation.add_factors()) return std::nullopt;
  for (const Slot slot : also) {
    Factor factor = kNothing;
    if (!translation.add_zeros(slot, factor)) return std::nullopt;
    if (factors_of_also != nullptr) factors_of_also->push_back(factor);
  }
  return translation.result();
}

void fail_undrawable(const ModelGraph& graph, const DiscreteModel& model, NodeId node,
                     std::size_t joint) {
  std::vector<NodeId> nodes = nodes_of(model, node);
  std::vector<double> values = graph.initial();
  put_joint_state(graph, model, nodes, joint, values);
  nodes.pop_back();  // itself
  std::string when;
  for (const NodeId id : nodes) {
    when += (when.empty() ? " where " : " and ") + std::string(graph.name(id)) + " is " +
            fmt::format("{}", values[graph.node(id).first]);
    if (when.size() > 80) break;
  }
  throw InputError(
      graph.where(node), Message("the parameters or bounds of this node are impossible", when),
      graph.name(node), "give what they depend on a distribution that keeps them possible");
}

namespace {

// No assignment is allowed: names the first node with which that is so.  Of nodes in order, each
// depends on those before it alone.
[[noreturn]] void fail_impossible(const ModelGraph& graph, const DiscreteModel& model,
                                  const EliminationOrder& order, const GraphCallback& go_on) {
  const auto possible = [&](std::size_t first) {  // with the factors of so many nodes
    FactorGraph some;
    for (const auto& states : model.values) some.add_variable(states.size());
    for (Factor f = 0; f < model.graph.factors(); ++f) {
      std::vector<double> table = model.graph.table(f);
      if (f >= first) std::ranges::fill(table, 0);
      some.add_factor(model.graph.scope(f), some.add_table(table));
    }
    return JunctionTree(some, order, go_on).log_partition() > kNoMass;
  };
  std::size_t low = 0, high = graph.nodes();  // possible with low, not with high
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (possible(middle) ? low : high) = middle;
  }
  const auto id = static_cast<NodeId>(high - 1);
  const std::string problem =
      graph.node(id).observed
          ? "an observed value is impossible, whatever the nodes are that it depends on"
          : "this node has no value that is possible, whatever the others are";
  throw InputError(graph.where(id), problem, graph.name(id), "");
}

ExactMarginal marginal_of(const ModelGraph& graph, const DiscreteModel& model,
                          const Monitor& monitor, std::span<const double> joint) {
  const GraphParts parts = graph.parts_of({monitor.slot});
  std::vector<double> values = graph.initial();
  std::map<double, double> shares;
  double no_number = 0;
  for (std::size_t k = 0; k < joint.size(); ++k) {
    if (!(joint[k] > 0)) continue;
    put_joint_state(graph, model, parts.nodes, k, values);
    graph.evaluate(parts.operations, values.data());
    const double value = values[monitor.slot];
    (std::isnan(value) ? no_number : shares[value]) += joint[k];
  }
  ExactMarginal marginal{.name = monitor.name, .values = {}, .probabilities = {}};
  const auto add = [&](double value, double share) {
    marginal.values.push_back(value);
    marginal.probabilities.push_back(share);
  };
  for (const auto& [value, share] : shares) add(value, share);
  if (no_number > 0) add(std::numeric_limits<double>::quiet_NaN(), no_number);
  return marginal;
}

}  // namespace

bool answer_exactly(const ModelGraph& graph, const std::vector<Monitor>& monitors, double memory,
                    BugsResult& result, std::string& why) {
  std::vector<Slot> slots;
  for (const Monitor& m : monitors) {
    if (m.slot == kNothing) {
      why = "the deviance is asked for";
      return false;
    }
    slots.push_back(m.slot);
  }
  std::vector<Factor> factors;
  const std::optional<DiscreteModel> model = discrete_model(graph, why, slots, &factors);
  if (!model) return false;
  std::optional<EliminationOrder> order;
  try {
    order = find_elimination_order(model->graph, {.progress = until_interrupted()});
  } catch (const TooWide&) {
    why = "the graph of the model is too wide";
    return false;
  }
  JunctionTree tree(model->graph, *order, until_interrupted());
  if (tree.bytes() > memory || tree.log2_joint_states() > 32) {
    why = "the graph of the model is too wide";
    return false;
  }
  std::vector<Factor> wanted;
  std::ranges::copy_if(factors, std::back_inserter(wanted), [](Factor f) { return f != kNothing; });
  const std::size_t monitored = wanted.size();
  for (const auto& each : model->undrawable) wanted.push_back(each.node);
  GraphMarginals marginals;
  try {
    marginals = tree.marginals(wanted);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    if (tree.log_partition() == kNoMass) fail_impossible(graph, *model, *order, until_interrupted());
    throw;
  }
  for (std::size_t k = 0; k < model->undrawable.size(); ++k) {
    const auto& [node, states] = model->undrawable[k];
    for (const std::size_t joint : states) {
      if (marginals.factor[monitored + k][joint] > 0) fail_undrawable(graph, *model, node, joint);
    }
  }
  result.log_evidence = marginals.log_partition;
  static constexpr double kCertain[] = {1};
  std::size_t next = 0;
  for (std::size_t m = 0; m < monitors.size(); ++m) {
    result.exact.push_back(marginal_of(
        graph, *model, monitors[m],
        factors[m] == kNothing ? std::span<const double>(kCertain) : marginals.factor[next++]));
  }
  return true;
}

}  // namespace croft::bugs
