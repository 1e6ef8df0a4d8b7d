// The adapter of generalised belief propagation.
#include <string>

#include "app/infer/infer_methods.h"
#include "croft/core/error.h"
#include "inference/graph/messages/generalised_propagation.h"
#include "inference/graph/messages/region_graph.h"

namespace croft {
namespace {

// Conditioning has left of an observed variable one state; it may be in a cluster all the same.
RegionGraph regions_of(const InferProblem& p, const Settings& settings) {
  const std::string* clusters = settings.find("clusters");
  const std::string* length_text = settings.find("loop-length");
  std::size_t length = 4;
  settings.read("loop-length", length);
  if (clusters == nullptr || *clusters == "loops") {
    return make_region_graph(p.graph, loop_clusters(p.graph, length));
  }
  if (length_text != nullptr) throw UsageError("--set loop-length is for --set clusters=loops");
  if (*clusters == "factors") return make_region_graph(p.graph, {});
  return make_region_graph(p.graph, parse_clusters(*clusters, p.graph.variables()));
}

}  // namespace

void run_generalised_propagation(const InferProblem& p, InferResult& result) {
  GeneralisedOptions options;
  if (p.request.tolerance) options.tolerance = *p.request.tolerance;
  if (p.request.max_iterations) options.max_iterations = *p.request.max_iterations;
  const Settings settings(p.request);
  settings.read("scheme", options.scheme, region_scheme);
  settings.read("damping", options.damping);
  settings.read("inner-iterations", options.inner_iterations);
  if (settings.find("inner-iterations") != nullptr && options.scheme != RegionScheme::double_loop) {
    throw UsageError("--set inner-iterations is for --set scheme=double-loop");
  }
  const RegionGraph regions = regions_of(p, settings);
  p.plan(std::to_string(regions.outer.size()) + " clusters, " +
         std::to_string(regions.inner.size()) + " regions where they overlap");
  GeneralisedResult found = generalised_propagation(p.graph, regions, options, p.progress);
  take(found.convergence, result);
  result.kind = found.kind;
  result.log_partition = found.log_partition;
  if (!result.converged && !result.stopped) {
    result.notes.push_back(
        options.scheme == RegionScheme::one_loop
            ? Message("it has not converged: take --set scheme=double-loop, or damping")
            : "it has not converged: give more --max-iterations, or --set "
              "inner-iterations=100");
  }
  if (p.request.task == GraphTask::partition) return;
  if (found.contradiction) fail_without_assignment();
  result.marginals = std::move(found.beliefs);
}

}  // namespace croft
