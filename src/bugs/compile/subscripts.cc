// Subscripts that move, looked at before anything is drawn: can they be outside their array?
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bugs/compile/expressions.h"
#include "bugs/node_values.h"
#include "croft/core/interrupt.h"

namespace croft::bugs {
namespace {

constexpr double kMostOfOne = 4096;      // joint values of the nodes that a subscript is made of
constexpr double kMostOfAll = 2e7;       // of all subscripts of a program
constexpr std::size_t kMostParts = 200;  // operations and nodes that one is made of

// The values that a node can have, if they are few.
bool states_of(const ModelGraph& graph, NodeId id, double* values, std::vector<double>& out) {
  const Node& node = graph.node(id);
  if (node.count != 1 || !distribution(node.distribution).discrete) return false;
  const Bounds bounds = possible_values(graph, node);
  if (!(bounds.upper - bounds.lower < kMostOfOne)) return false;
  const bool known = fixed_parameters(graph, node);
  for (double x = bounds.lower; x <= bounds.upper; ++x) {
    values[node.first] = x;
    if (!known || log_density_of(graph, node, values) > -std::numeric_limits<double>::infinity()) {
      out.push_back(x);
    }
  }
  return true;
}

}  // namespace

void OperationTable::check_subscripts(OperationId pick, const Expression& e) {
  const Operation& o = graph_.operation(pick);
  const auto arguments = graph_.arguments(o);
  const GraphParts parts =
      graph_.parts_of({arguments.begin(), arguments.begin() + o.aux}, kMostParts);
  const std::vector<double>& initial = graph_.initial();
  values_.insert(values_.end(), initial.begin() + static_cast<std::ptrdiff_t>(values_.size()),
                 initial.end());
  if (parts.nodes.size() + parts.operations.size() > kMostParts) {
    graph_.watch_subscripts(pick, e.where, e.name);
    return;
  }
  double joint = 1;
  std::vector<std::vector<double>> values;
  for (const NodeId id : parts.nodes) {
    const bool few = states_of(graph_, id, values_.data(), values.emplace_back());
    joint *= static_cast<double>(values.back().size());
    if (few && joint <= kMostOfOne && tried_ + joint <= kMostOfAll) continue;
    graph_.watch_subscripts(pick, e.where, e.name);
    return;
  }
  tried_ += joint;
  if (interruption) throw Interrupted("interrupted");
  for (std::size_t state = 0; static_cast<double>(state) < joint; ++state) {
    std::size_t rest = state;
    for (std::size_t k = 0; k < values.size(); ++k) {
      values_[graph_.node(parts.nodes[k]).first] = values[k][rest % values[k].size()];
      rest /= values[k].size();
    }
    graph_.evaluate(parts.operations, values_.data());
    if (picked_place(o, arguments, values_.data()) < arguments.size()) continue;
    std::string when;
    for (const NodeId id : parts.nodes) {
      when += (when.empty() ? "where " : " and ") + std::string(graph_.name(id)) + " is " +
              fmt::format("{}", values_[graph_.node(id).first]);
      if (when.size() > 80) break;
    }
    for (std::size_t d = 0; d < o.aux; ++d) {
      const double subscript = values_[arguments[d]];
      if (std::isnan(subscript)) break;  // what it is made of is no number
      const std::string fault = subscript_fault(subscript, values_[arguments[o.aux + d]], when);
      if (!fault.empty()) fail_at(e, fault, e.name, "write a subscript that stays in the array");
    }
  }
}

}  // namespace croft::bugs
