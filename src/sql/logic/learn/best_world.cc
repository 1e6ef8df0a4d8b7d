#include "sql/logic/learn/best_world.h"

#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/junction_tree.h"
#include "logic/max_walk_sat.h"

namespace croft {
namespace {

constexpr double kMostLog2OfBest = 22;
constexpr std::size_t kMostOfBest = 20;  // of a clause in a junction tree

bool has_long_clauses(const ClauseStore& store) {
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (store.literals(i).size() > kMostOfBest) return true;
  }
  for (std::size_t b = 0; b < store.blocks(); ++b) {
    if (store.block(b).atoms.size() > kMostOfBest) return true;
  }
  return false;
}

}  // namespace

BestWorld::BestWorld(const ClauseStore& store, double memory, std::uint64_t seed)
    : store_(store), seed_(seed) {
  if (has_long_clauses(store)) return;
  EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = 2};
  options.most_log2_states = kMostLog2OfBest;
  options.progress = until_interrupted();
  try {
    const FactorGraph graph = graph_of(store, true);
    EliminationOrder order = find_elimination_order(graph, options);
    if (order.log2_total <= kMostLog2OfBest &&
        JunctionTree(graph, order, options.progress).bytes() <= memory) {
      order_ = std::move(order);
    }
  } catch (const TooWide&) {
  }
}

std::vector<std::uint8_t> BestWorld::find() {
  if (order_) {
    const FactorGraph graph = graph_of(store_, true);
    const BestAssignment best = JunctionTree(graph, *order_, until_interrupted()).best();
    if (best.states.empty()) throw Error("no world keeps all hard rules of the network");
    return {best.states.begin(), best.states.end()};
  }
  MaxWalkSatOptions options;
  options.seed = seed_;
  MaxWalkSatResult found =
      max_walk_sat(store_, options, [](std::size_t, double) { return !interruption.load(); });
  if (interruption.load()) throw Interrupted("learning was interrupted");
  if (found.broken_hard > 0) {
    throw Error(
        "no world was found that keeps all hard rules, which does not prove that there is "
        "none; learn with --soft-hard WEIGHT");
  }
  return std::move(found.values);
}

}  // namespace croft
