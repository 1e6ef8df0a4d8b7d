// The table of methods, and what `auto` makes of it.
#include "app/infer/infer_methods.h"

#include <charconv>

#include "croft/core/error.h"
#include "croft/inference/graph_cut.h"

namespace croft {
namespace {

using enum GraphTask;

constexpr std::size_t kAutoNodes = 10000;
constexpr InferOptions kIterates{.tolerance = true, .max_iterations = true, .seconds = true};
constexpr InferOptions kCounts{.max_iterations = true, .seconds = true};
constexpr InferOptions kStops{.seconds = true};
constexpr InferOptions kPlans{.seconds = true, .memory = true};
constexpr InferOptions kProposes{.max_iterations = true, .seconds = true, .proposal = true};
constexpr InferOptions kSearches{.max_iterations = true, .seconds = true, .memory = true};

[[noreturn]] void refuse(std::string_view name, const std::string& text, std::string_view what) {
  throw UsageError("--set ", name, "=", text, " is not ", what);
}

}  // namespace

std::span<const InferMethod> infer_methods() {
  static const std::vector<InferMethod> methods = {
      {"junction-tree",
       "exact; time and memory grow with the cliques of an elimination order",
       {partition, marginals, map, sample},
       kPlans,
       {{"order", "min-fill|weighted-min-fill|min-weight|min-degree"}, {"restarts", "N"}},
       run_junction_tree},
      {"variable-elimination",
       "exact: the messages of a junction tree towards its root alone",
       {partition, map},
       kPlans,
       {{"order", "min-fill|weighted-min-fill|min-weight|min-degree"}, {"restarts", "N"}},
       run_junction_tree},
      {"brute-force",
       "exact, by all assignments of small graphs: to check others against",
       {partition, marginals, map},
       {},
       {},
       run_brute_force},
      {"cutset-conditioning",
       "exact, by a junction tree for each state of a few variables: time instead of memory",
       {partition, marginals, map},
       kPlans,
       {{"restarts", "N"}},
       run_conditioning},
      {"recursive-conditioning",
       "exact, in as little memory as is allowed: some variables of a junction tree state by state",
       {partition, marginals, map, sample},
       kPlans,
       {{"restarts", "N"}},
       run_recursive_conditioning},
      {"belief-propagation",
       "sum-product messages: exact on trees, Bethe's estimate elsewhere",
       {partition, marginals},
       kIterates,
       {{"schedule", "auto|residual|parallel|sequential|random|spanning-trees"},
        {"damping", "0..1"}},
       run_belief_propagation},
      {"tree-reweighted",
       "an upper bound on log Z that holds at every iteration; factors of at most two variables",
       {partition, marginals},
       kIterates,
       {{"damping", "0..1"}, {"trees", "N"}, {"tree-steps", "N"}},
       run_tree_reweighted},
      {"mean-field",
       "a lower bound on log Z, by independent variables",
       {partition, marginals},
       kIterates,
       {{"starts", "N"}},
       run_mean_field},
      {"structured-mean-field",
       "a lower bound on log Z, by forests that do not depend on each other",
       {partition, marginals},
       kIterates,
       {{"starts", "N"}},
       run_structured_mean_field},
      {"double-loop",
       "belief propagation that always converges, slower",
       {partition, marginals},
       kIterates,
       {{"inner-iterations", "N"}},
       run_double_loop},
      {"generalised-belief-propagation",
       "messages between clusters of variables, of a grid its squares: Kikuchi's estimate",
       {partition, marginals},
       kIterates,
       {{"clusters", "loops|factors|\"0 1 4 5; 1 2 5 6\""},
        {"loop-length", "VARIABLES"},
        {"scheme", "one-loop|double-loop"},
        {"damping", "0..1"},
        {"inner-iterations", "N"}},
       run_generalised_propagation},
      {"fractional",
       "belief propagation with weighted entropies; factors of at most two variables",
       {partition, marginals},
       kIterates,
       {{"weight", "X"}, {"damping", "0..1"}},
       run_fractional},
      {"max-product",
       "max-product messages: exact on trees, a guess elsewhere",
       {map},
       kIterates,
       {{"schedule", "auto|residual|parallel|sequential|random|spanning-trees"},
        {"damping", "0..1"}},
       run_max_product},
      {"graph-cut",
       "exact, by a minimum cut, for binary variables whose pairs like to be equal",
       {map},
       {},
       {},
       run_graph_cut},
      {"qpbo",
       "roof duality: a bound and what is certain, for pairs of binary variables",
       {map},
       {},
       {},
       run_qpbo},
      {"alpha-expansion",
       "moves by minimum cuts, for pairs",
       {map},
       kCounts,
       {},
       run_alpha_expansion},
      {"alpha-beta-swap",
       "moves by minimum cuts, for pairs",
       {map},
       kCounts,
       {},
       run_alpha_beta_swap},
      {"trw-s",
       "sequential tree-reweighted messages: an assignment and a bound",
       {map},
       kIterates,
       {{"decode-every", "ITERATIONS"}},
       run_trw_s},
      {"mplp",
       "max-product linear programming: an assignment and a bound",
       {map},
       kIterates,
       {{"decode-every", "ITERATIONS"}},
       run_mplp},
      {"dual-decomposition",
       "subgradient descent: an assignment and a bound",
       {map},
       kIterates,
       {{"step", "0..2"}, {"decode-every", "ITERATIONS"}},
       run_dual_decomposition},
      {"icm",
       "the best state of one variable at a time",
       {map},
       kStops,
       {{"restarts", "N"}},
       run_icm},
      {"lazy-flipper",
       "the best states of few connected variables at a time",
       {map},
       kStops,
       {{"subset", "VARIABLES"}, {"restarts", "N"}},
       run_lazy_flipper},
      {"annealing",
       "simulated annealing; --max-iterations are sweeps",
       {map},
       kCounts,
       {{"first-temperature", "T"}, {"last-temperature", "T"}},
       run_annealing},
      {"branch-and-bound",
       "exact where it ends: a search with a proof; --max-iterations are nodes",
       {map},
       kSearches,
       {{"gap", "SCORE"},
        {"root-iterations", "N"},
        {"annealing-sweeps", "SWEEPS"},
        {"restarts", "N"}},
       run_branch_and_bound},
      {"gibbs",
       "sampling, with standard errors; --max-iterations are sweeps of each chain",
       {marginals, sample},
       kCounts,
       {{"burn-in", "SWEEPS"},
        {"thin", "SWEEPS"},
        {"chains", "N"},
        {"scan", "coloured|sequential|random"},
        {"blocks", "none|pairs|trees"}},
       run_gibbs},
      {"swendsen-wang",
       "sampling by clusters of equal neighbours, for pairs that like to be equal",
       {marginals, sample},
       kCounts,
       {{"burn-in", "SWEEPS"}, {"chains", "N"}},
       run_swendsen_wang},
      {"parallel-tempering",
       "Gibbs sampling at several temperatures, which change places",
       {marginals, sample},
       kCounts,
       {{"burn-in", "SWEEPS"}, {"chains", "N"}, {"temperatures", "N"}, {"hottest", "T"}},
       run_parallel_tempering},
      {"metropolis-hastings",
       "one variable to another state, accepted or not; Python and C++ take proposals of your own",
       {marginals, sample},
       kProposes,
       {{"burn-in", "SWEEPS"}, {"chains", "N"}},
       run_metropolis_hastings},
      {"likelihood-weighting",
       "weighted draws from a Bayesian network; --max-iterations are draws",
       {partition, marginals},
       kCounts,
       {},
       run_likelihood_weighting},
      {"annealed-importance-sampling",
       "weighted runs from independent variables to the graph; --max-iterations are runs",
       {partition, marginals},
       kCounts,
       {{"steps", "N"}},
       run_annealed_importance_sampling},
  };
  return methods;
}

AutoChoice auto_without_junction_tree(const InferProblem& p) {
  switch (p.request.task) {
    case partition:
    case marginals:
      return {"belief-propagation", "belief propagation gives an estimate", {}};
    case sample:
      return {"gibbs", "Gibbs sampling does without", {}};
    case map:
      break;
  }
  if (why_no_graph_cut(p.graph).empty()) {
    return {"graph-cut", "a minimum cut is exact here", {}};
  }
  if (p.request.seconds) {
    return {"branch-and-bound", "branch and bound has an assignment and a bound at any time", {}};
  }
  return {"branch-and-bound",
          {"branch and bound goes through ", kAutoNodes,
           " nodes at most (--time or --max-iterations: as you say)"},
          kAutoNodes};
}

std::string_view auto_iterating(GraphTask task) {
  switch (task) {
    case partition:
    case marginals:
      return "belief-propagation";
    case map:
      return "trw-s";
    case sample:
      break;
  }
  return "gibbs";
}

const std::string* Settings::find(std::string_view name) const {
  const std::string* found = nullptr;
  for (const auto& [each, value] : request_.settings) {
    if (each == name) found = &value;
  }
  return found;
}

void Settings::read(std::string_view name, double& value) const {
  const std::string* text = find(name);
  if (text != nullptr && parse_number(*text, value) != NumberKind::finite) {
    refuse(name, *text, "a number");
  }
}

void Settings::read(std::string_view name, std::size_t& value) const {
  const std::string* text = find(name);
  if (text == nullptr) return;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) {
    refuse(name, *text, "a whole number");
  }
}

void fail_without_assignment() {
  throw Error(
      "no assignment is allowed: the factors' zeros (and the evidence) contradict each other");
}

void fail_without_finding() {
  throw Error(
      "the method has found no allowed assignment, which does not mean that there is none; try "
      "another --method");
}

void check_found(const InferResult& result, const FactorGraph& graph) {
  if (result.assignment.empty() && graph.variables() > 0) fail_without_finding();
}

}  // namespace croft
