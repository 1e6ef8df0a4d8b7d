#include "bugs/samplers/power_law.h"

#include <unordered_map>

namespace croft::bugs {
namespace {

// The power of each slot that moves; absent: stands still.  False for an operation that makes
// something else.
bool power_of_operation(const ModelGraph& graph, const Operation& o,
                        const std::unordered_map<Slot, double>& powers, double* power) {
  const auto of = [&](Slot s) {
    const auto it = powers.find(s);
    return it == powers.end() ? 0.0 : it->second;
  };
  switch (o.function) {
    case Function::multiply:
      *power = of(o.a) + of(o.b);
      return true;
    case Function::divide:
      *power = of(o.a) - of(o.b);
      return true;
    case Function::sqrt:
      *power = 0.5 * of(o.a);
      return true;
    case Function::power:
      if (powers.contains(o.b) || !graph.fixed(o.b)) return false;
      *power = of(o.a) * graph.initial()[o.b];
      return true;
    case Function::prod:
      *power = 0;
      for (const Slot s : graph.arguments(o)) *power += of(s);
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<double> power_of(const ModelGraph& graph, NodeId id, std::span<const Slot> slots) {
  std::unordered_map<Slot, double> powers = {{graph.node(id).first, 1.0}};
  for (const OperationId k : graph.dependents(id)) {
    const Operation& o = graph.operation(k);
    double power = 0;
    if (o.outputs != 1 || !power_of_operation(graph, o, powers, &power)) return std::nullopt;
    powers[o.out] = power;
  }
  std::optional<double> common;
  for (const Slot s : slots) {
    const auto it = powers.find(s);
    if (it == powers.end() || it->second == 0 || (common && *common != it->second))
      return std::nullopt;
    common = it->second;
  }
  return common;
}

}  // namespace croft::bugs
