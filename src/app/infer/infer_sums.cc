// Methods that estimate or bound sums, and max-product.
#include <cmath>
#include <optional>
#include <string>

#include "app/infer/infer_methods.h"
#include "app/infer/sum_bounds.h"
#include "croft/core/error.h"
#include "croft/inference/belief_propagation.h"
#include "croft/inference/mean_field.h"
#include "croft/inference/tree_reweighted.h"
#include "inference/graph/messages/convergent_propagation.h"
#include "inference/graph/messages/generalised_propagation.h"
#include "inference/graph/messages/region_graph.h"
#include "inference/graph/messages/shared_scores.h"

namespace croft {
namespace {

using enum GraphTask;

// log Z, and where they are asked for marginals: those of the method, or nothing.
//   bound : "a lower bound", where log Z is that unless it is exact
template <class Beliefs>
void take(const InferProblem& p, const Convergence& end, ResultKind kind, double log_partition,
          bool contradiction, const Beliefs& beliefs, InferResult& result,
          std::string_view bound = {}) {
  take(end, result);
  result.kind = kind;
  result.log_partition = log_partition;
  const bool estimates = bound.empty() && kind != ResultKind::exact && std::isfinite(log_partition);
  if (contradiction && p.request.task != partition) fail_without_assignment();
  VariableMarginals found;
  if (estimates || p.request.task != partition) found = beliefs();
  if (estimates) hold_between_bounds(p.graph, found, result);
  if (p.request.task == partition) return;
  result.marginals = std::move(found);
  if (result.marginals.empty() && p.graph.variables() > 0) fail_without_finding();
  if (bound.empty() || kind == ResultKind::exact) return;
  result.kind = ResultKind::estimate;
  result.notes.push_back(Message("log Z is ", bound));
}

BeliefPropagationOptions message_options(const InferProblem& p) {
  auto options = options_of<BeliefPropagationOptions>(p);
  Settings(p.request).read("schedule", options.schedule, message_schedule);
  return options;
}

void run_belief_propagation(const InferProblem& p, InferResult& result) {
  const std::optional<FactorGraph> shared = with_shared_scores(p.graph);
  SumProduct messages(shared ? *shared : p.graph, message_options(p));
  const Convergence end = messages.run(p.progress);
  take(
      p, end, messages.kind(), messages.log_partition(), messages.contradiction(),
      [&] { return messages.beliefs(); }, result);
}

void run_max_product(const InferProblem& p, InferResult& result) {
  const std::optional<FactorGraph> shared = with_shared_scores(p.graph);
  MaxProduct messages(shared ? *shared : p.graph, message_options(p));
  take(messages.run(p.progress), result);
  if (messages.contradiction()) fail_without_assignment();
  result.kind = messages.kind();
  result.assignment = messages.best().states;
  check_found(result, p.graph);
}

void take(const InferProblem& p, const MeanFieldResult& found, InferResult& result) {
  take(
      p, found.convergence, found.kind, found.bound, found.contradiction,
      [&] { return found.marginals; }, result, "a lower bound");
  if (found.forbidding == 0 || found.kind == ResultKind::exact) return;
  result.warnings.push_back({result.method, ": ", found.forbidding,
                             found.forbidding == 1 ? " factor forbids" : " factors forbid",
                             " joint states of variables that it takes to be independent; its "
                             "numbers are those of a corner of what is allowed, and may be far "
                             "from the truth: another --method keeps such constraints"});
}

MeanFieldOptions mean_field_options(const InferProblem& p) {
  auto options = options_of<MeanFieldOptions>(p);
  Settings(p.request).read("starts", options.starts);
  return options;
}

void run_mean_field(const InferProblem& p, InferResult& result) {
  take(p, mean_field(p.graph, mean_field_options(p), p.progress), result);
}

void run_structured_mean_field(const InferProblem& p, InferResult& result) {
  take(p, structured_mean_field(p.graph, forest_parts(p.graph), mean_field_options(p), p.progress),
       result);
}

void run_tree_reweighted(const InferProblem& p, InferResult& result) {
  auto options = options_of<TreeReweightedOptions>(p);
  Settings(p.request).read("trees", options.trees).read("tree-steps", options.tree_steps);
  TreeReweighted messages(p.graph, options);
  const Convergence end = messages.run(p.progress);
  take(
      p, end, messages.kind(), messages.bound(), messages.contradiction(),
      [&] { return messages.beliefs(); }, result, "an upper bound");
}

void run_double_loop(const InferProblem& p, InferResult& result) {
  const DoubleLoopResult found =
      convergent_propagation(p.graph, options_of<DoubleLoopOptions>(p), p.progress);
  take(
      p, found.convergence, found.kind, found.log_partition, found.contradiction,
      [&] { return found.beliefs; }, result);
}

void run_fractional(const InferProblem& p, InferResult& result) {
  auto options = options_of<FractionalOptions>(p);
  Settings(p.request).read("weight", options.weight);
  const FractionalResult found = fractional_propagation(p.graph, options, p.progress);
  take(
      p, found.convergence, found.contradiction ? ResultKind::exact : ResultKind::estimate,
      found.log_partition, found.contradiction, [&] { return found.beliefs; }, result);
}

// Conditioning has left of an observed variable one state; it may be in a cluster all the same.
RegionGraph regions_of(const InferProblem& p, const Settings& settings) {
  const std::string* clusters = settings.find("clusters");
  const std::string* length_text = settings.find("loop-length");
  std::size_t length = 4;
  settings.read("loop-length", length);
  if (clusters == nullptr || *clusters == "loops") {
    return make_region_graph(p.graph, loop_clusters(p.graph, length, p.progress), p.progress);
  }
  if (length_text != nullptr) throw UsageError("--set loop-length is for --set clusters=loops");
  if (*clusters == "factors") return make_region_graph(p.graph, {}, p.progress);
  return make_region_graph(p.graph, parse_clusters(*clusters, p.graph.variables()), p.progress);
}

void run_generalised_propagation(const InferProblem& p, InferResult& result) {
  auto options = options_of<GeneralisedOptions>(p);
  const Settings settings(p.request);
  settings.read("scheme", options.scheme, region_scheme);
  if (settings.find("inner-iterations") != nullptr && options.scheme != RegionScheme::double_loop) {
    throw UsageError("--set inner-iterations is for --set scheme=double-loop");
  }
  const RegionGraph regions = regions_of(p, settings);
  p.plan(std::to_string(regions.outer.size()) + " clusters, " +
         std::to_string(regions.inner.size()) + " regions where they overlap");
  const GeneralisedResult found = generalised_propagation(p.graph, regions, options, p.progress);
  if (!found.convergence.converged && !result.stopped) {
    result.notes.push_back(
        options.scheme == RegionScheme::one_loop
            ? Message("it has not converged: take --set scheme=double-loop, or damping")
            : "it has not converged: give more --max-iterations, or --set "
              "inner-iterations=100");
  }
  take(
      p, found.convergence, found.kind, found.log_partition, found.contradiction,
      [&] { return found.beliefs; }, result);
}

}  // namespace

std::vector<InferMethod> sum_methods() {
  return {
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
  };
}

}  // namespace croft
