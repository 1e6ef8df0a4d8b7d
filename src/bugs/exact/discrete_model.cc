#include "bugs/exact/discrete_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "bugs/distributions.h"
#include "bugs/node_values.h"
#include "croft/core/interrupt.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/junction_tree.h"

namespace croft::bugs {
namespace {

class Translation {
 public:
  Translation(const ModelGraph& graph, const DiscreteLimits& limits, std::string& why)
      : graph_(graph), limits_(limits), why_(why), values_(graph.initial()) {}

  bool add_variables();
  bool add_factors();
  // Of zeros over what the slot depends on; kNothing where it depends on nothing.
  bool add_zeros(Slot slot, Factor& factor);
  DiscreteModel result() { return std::move(model_); }

  // What a few slots are made of: operations in order, and unobserved nodes.
  struct Parts {
    std::vector<OperationId> operations;
    std::vector<NodeId> nodes;
  };
  Parts parts_of(std::vector<Slot> slots) const;
  Variable variable_of(NodeId id) const { return variable_[id]; }

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
  std::vector<Variable> variable_;  // [nodes]
  std::size_t tabulated_ = 0;
};

// The values of a node, whatever the others are.
bool Translation::support_of(NodeId id, std::vector<double>& values) {
  const Node& node = graph_.node(id);
  const Distribution& law = distribution(node.distribution);
  if (!law.discrete) return fail(id, "is continuous");
  if (law.value != Shape::scalar) return fail(id, "is an array");
  const auto parameters = graph_.parameters(node);
  Bounds bounds{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  switch (node.distribution) {
    case DistributionId::bernoulli:
      bounds = {0, 1};
      break;
    case DistributionId::categorical:
      bounds = {1, static_cast<double>(parameters[0].count)};
      break;
    case DistributionId::interval:
      bounds = {0, static_cast<double>(parameters[1].count)};
      break;
    default:
      if (fixed_parameters(graph_, node)) {
        std::vector<std::vector<double>> numbers;
        for (const Parameter& p : parameters) {
          std::vector<double>& one = numbers.emplace_back();
          for (const Slot s : graph_.slots_of(p)) one.push_back(graph_.initial()[s]);
        }
        const std::vector<Numbers> spans(numbers.begin(), numbers.end());
        bounds = support(node.distribution, spans);
      } else if (node.distribution == DistributionId::binomial ||
                 node.distribution == DistributionId::beta_binomial) {
        const Slot size = graph_.slot_of(node, parameters.size() - 1);
        if (graph_.fixed(size)) bounds = {0, graph_.initial()[size]};
      }
  }
  if (node.lower != kNothing && graph_.fixed(node.lower)) {
    bounds.lower = std::max(bounds.lower, std::ceil(graph_.initial()[node.lower]));
  }
  if (node.upper != kNothing && graph_.fixed(node.upper)) {
    bounds.upper = std::min(bounds.upper, std::floor(graph_.initial()[node.upper]));
  }
  const double count = bounds.upper - bounds.lower + 1;
  if (!(count <= static_cast<double>(limits_.states))) {
    return fail(id, "has too many values, or their range is not known");
  }
  if (count < 1) return fail(id, "has no value");
  for (double x = bounds.lower; x <= bounds.upper; ++x) values.push_back(x);
  return true;
}

bool Translation::add_variables() {
  variable_.assign(graph_.nodes(), kNothing);
  for (NodeId id = 0; id < graph_.nodes(); ++id) {
    if (graph_.node(id).observed) continue;
    std::vector<double> values;
    if (!support_of(id, values)) return false;
    variable_[id] = model_.graph.add_variable(values.size());
    model_.nodes.push_back(id);
    model_.values.push_back(std::move(values));
  }
  return true;
}

Translation::Parts Translation::parts_of(std::vector<Slot> slots) const {
  std::set<OperationId> operations;
  std::set<NodeId> nodes;
  while (!slots.empty()) {
    const Slot s = slots.back();
    slots.pop_back();
    if (s == kNothing || graph_.fixed(s)) continue;
    if (const NodeId id = graph_.node_of(s); id != kNothing) {
      nodes.insert(id);
    } else if (const OperationId o = graph_.operation_of(s); operations.insert(o).second) {
      const auto arguments = graph_.arguments(graph_.operation(o));
      slots.insert(slots.end(), arguments.begin(), arguments.end());
    }
  }
  return {{operations.begin(), operations.end()}, {nodes.begin(), nodes.end()}};
}

bool Translation::joint_states(NodeId id, const std::vector<NodeId>& nodes, std::size_t& count) {
  count = 1;
  for (const NodeId n : nodes) {
    count *= model_.values[variable_[n]].size();
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
    Parts parts = parts_of(std::move(used));
    if (!node.observed) parts.nodes.push_back(id);  // the last, which changes fastest
    std::size_t count = 0;
    if (!joint_states(id, parts.nodes, count)) return false;
    std::vector<double> table(count);
    for (std::size_t joint = 0; joint < count; ++joint) {
      if (joint % 65536 == 65535 && interruption) throw Interrupted("interrupted");
      std::size_t rest = joint;
      for (std::size_t k = parts.nodes.size(); k-- > 0;) {
        const auto& states = model_.values[variable_[parts.nodes[k]]];
        values_[graph_.node(parts.nodes[k]).first] = states[rest % states.size()];
        rest /= states.size();
      }
      graph_.evaluate(parts.operations, values_.data());
      const double p = log_density_of(graph_, node, values_.data());
      table[joint] = std::isnan(p) ? -std::numeric_limits<double>::infinity() : p;
    }
    std::vector<Variable> scope;
    for (const NodeId n : parts.nodes) scope.push_back(variable_[n]);
    model_.graph.add_factor(scope, model_.graph.add_table(table));
  }
  return true;
}

bool Translation::add_zeros(Slot slot, Factor& factor) {
  factor = kNothing;
  const Parts parts = parts_of({slot});
  if (parts.nodes.empty()) return true;
  std::size_t count = 0;
  if (!joint_states(parts.nodes[0], parts.nodes, count)) return false;
  std::vector<Variable> scope;
  for (const NodeId n : parts.nodes) scope.push_back(variable_[n]);
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
  const GraphMarginals marginals = tree.marginals(wanted);
  result.log_evidence = marginals.log_partition;
  std::vector<double> values = graph.initial();
  const Translation parts_finder(graph, DiscreteLimits{}, why);
  std::map<NodeId, Variable> variable;
  for (Variable v = 0; v < model->nodes.size(); ++v) variable[model->nodes[v]] = v;
  std::size_t next = 0;
  for (std::size_t m = 0; m < monitors.size(); ++m) {
    std::map<double, double> shares;
    if (factors[m] == kNothing) {
      shares[graph.initial()[slots[m]]] = 1;
    } else {
      const auto parts = parts_finder.parts_of({slots[m]});
      const std::vector<double>& joint = marginals.factor[next++];
      for (std::size_t k = 0; k < joint.size(); ++k) {
        std::size_t rest = k;
        for (std::size_t n = parts.nodes.size(); n-- > 0;) {
          const auto& states = model->values[variable[parts.nodes[n]]];
          values[graph.node(parts.nodes[n]).first] = states[rest % states.size()];
          rest /= states.size();
        }
        graph.evaluate(parts.operations, values.data());
        // What is impossible may have no value at all.
        if (joint[k] > 0) shares[values[slots[m]]] += joint[k];
      }
    }
    ExactMarginal& marginal = result.exact.emplace_back();
    marginal.name = monitors[m].name;
    for (const auto& [value, share] : shares) {
      marginal.values.push_back(value);
      marginal.probabilities.push_back(share);
    }
  }
  return true;
}

}  // namespace croft::bugs
