#include "train/graph/exact_fit.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>

#include "croft/inference/junction_tree.h"
#include "inference/graph/oracles/shared_plans.h"
#include "structure/counters.h"

namespace croft {
namespace {

constexpr double kMostLog2States = 31;  // of all instances together: seconds for an evaluation
constexpr double kMostBytes = 4e9;

double joint_states(const FactorGraph& graph, double most_bytes) {
  EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = 1};
  options.most_log2_states = kMostLog2States;
  options.progress = until_interrupted();
  const EliminationOrder order = find_elimination_order(graph, options);
  const double bytes = JunctionTree(graph, order, options.progress).bytes();
  if (bytes > most_bytes) {
    throw Error(fmt::format("takes {:.2g} bytes, and {:.2g} are allowed", bytes, most_bytes));
  }
  return std::exp2(order.log2_total);
}

}  // namespace

Message why_not_exact(std::span<const GraphInstance> instances, std::optional<double> memory) {
  std::map<std::string, double> known;
  double total = 0;
  for (const GraphInstance& each : instances) {
    if (is_forest(each.graph)) continue;
    const auto [at, is_new] = known.try_emplace(structure_of(each.graph), 0);
    const CounterOptions scores{.scores_change = true};
    try {
      if (is_new) {
        at->second =
            needs_counters(each.graph, scores)
                ? joint_states(with_counters(each.graph, scores).graph, memory.value_or(kMostBytes))
                : joint_states(each.graph, memory.value_or(kMostBytes));
      }
    } catch (const Interrupted&) {
      throw;
    } catch (const TooWide& wide) {
      return {"a junction tree of an instance of ", each.graph.variables(), " variables has ",
              fmt::format("2^{:.0f} joint states or more", std::floor(wide.log2_states()))};
    } catch (const Error& error) {
      return {"the junction tree of an instance of ", each.graph.variables(), " variables ",
              error.message()};
    }
    total += at->second;
    if (total > std::exp2(kMostLog2States)) {
      return {"the junction trees of the instances have more than ",
              fmt::format("2^{:.0f} joint states together", kMostLog2States)};
    }
  }
  return {};
}

}  // namespace croft
