#include "app/infer_methods.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_brute_force.h"
#include "croft/inference/junction_tree.h"

namespace croft {
namespace {

using enum GraphTask;

constexpr double kMostAssignments = 1 << 26;  // of brute force

[[noreturn]] void fail_without_assignment() {
  throw Error(
      "no assignment is allowed: the factors' zeros (and the evidence) contradict each other");
}

void run_junction_tree(const InferProblem& p, InferResult& result) {
  JunctionTree tree(p.graph, find_elimination_order(p.graph));
  result.memory_bytes = tree.bytes();
  if (tree.bytes() > p.memory) {
    throw Error(fmt::format("the junction tree needs {} of memory, and {} are allowed; give "
                            "--memory {}M, or another --method",
                            memory_text(tree.bytes()), memory_text(p.memory),
                            std::ceil(tree.bytes() / (1 << 20))));
  }
  switch (p.request.task) {
    case partition:
      result.log_partition = tree.log_partition();
      return;
    case marginals: {
      GraphMarginals found = tree.marginals();
      result.log_partition = found.log_partition;
      result.marginals = std::move(found.variable);
      return;
    }
    case map:
      result.assignment = tree.best().states;
      if (result.assignment.empty() && p.graph.variables() > 0) fail_without_assignment();
      result.bound = p.graph.score(result.assignment);
      return;
    case sample: {
      Random random(p.request.seed);
      result.samples = tree.samples(p.request.samples, random);
      return;
    }
  }
}

void run_brute_force(const InferProblem& p, InferResult& result) {
  double assignments = 1;
  for (Variable v = 0; v < p.graph.variables(); ++v) {
    assignments *= static_cast<double>(p.graph.states(v));
  }
  if (assignments > kMostAssignments) {
    throw Error(fmt::format("brute-force goes through all assignments, and there are 2^{:.1f}; at "
                            "most 2^{:.0f} are tried: give another --method",
                            std::log2(assignments), std::log2(kMostAssignments)));
  }
  GraphBruteForce all = brute_force(p.graph);
  const bool possible = std::isfinite(all.log_partition);
  if (!possible && p.request.task != partition) fail_without_assignment();
  if (p.request.task == map) {
    result.assignment = std::move(all.best);
    result.bound = all.best_score;
    return;
  }
  result.log_partition = all.log_partition;
  if (p.request.task == marginals) result.marginals = std::move(all.variable);
}

}  // namespace

std::span<const InferMethod> infer_methods() {
  static const std::vector<InferMethod> methods = {
      {"junction-tree", "exact; time and memory grow with the cliques of an elimination order",
       {partition, marginals, map, sample}, {}, run_junction_tree},
      {"brute-force", "exact, by all assignments, of small graphs: to check others against",
       {partition, marginals, map}, {}, run_brute_force},
  };
  return methods;
}

std::span<const std::string_view> auto_fallbacks(GraphTask task) {
  static constexpr std::array<std::string_view, 1> sums = {"belief-propagation"};
  static constexpr std::array<std::string_view, 3> best = {"branch-and-bound", "trw-s", "icm"};
  static constexpr std::array<std::string_view, 1> draws = {"gibbs"};
  switch (task) {
    case partition:
    case marginals:
      return sums;
    case map:
      return best;
    case sample:
      break;
  }
  return draws;
}

}  // namespace croft
