// What methods share that lower the bound (MP.2) step by step.  Internal to inference/.
#pragma once
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "inference/graph/local_state.h"
#include "inference/graph/messages/message_passes.h"

namespace croft {

// Throws UsageError that names the method.
template <class Options>
void check_descent(std::string_view method, const Options& options) {
  const auto refuse = [&](std::string_view what) {
    throw UsageError(std::string(method) + ' ' + std::string(what));
  };
  if (options.max_iterations == 0) refuse("needs max_iterations of at least 1");
  if (options.decode_every == 0) refuse("needs decode_every of at least 1");
  if (!(options.tolerance >= 0)) refuse("needs a tolerance that is a number >= 0");
}

// Iterations until the bound is reached, or still.
//   Method(scores) : made once
//   method(states) : an iteration, which returns the bound; writes an assignment unless nullptr
template <class Method, class Options>
MapResult descend_bound(const FactorGraph& graph, const Options& options,
                        const GraphCallback& callback) {
  options.validate();
  MapResult result;
  Convergence& c = result.convergence;
  Reparametrisation scores(graph);
  Method method(scores);
  std::vector<State> states(graph.variables(), 0);
  while (c.iterations < options.max_iterations) {
    const bool decode = c.iterations % options.decode_every == 0;
    const double before = result.bound;
    result.bound = std::min(before, method(decode ? &states : nullptr));
    if (decode) offer(result, graph, states);
    ++c.iterations;
    c.residual = before == result.bound ? 0 : before - result.bound;  // both may be -inf
    c.converged = reaches(result.score, result.bound) ||
                  c.residual <= options.tolerance * std::max(1.0, std::abs(result.bound));
    if (!report(callback, result) || c.converged) break;
  }
  // Once more from the definition (MP.2), without what many small steps have rounded.
  scores.gather_beliefs();
  result.bound = std::max(result.bound, scores.bound());
  polish(result, graph, states);
  conclude(result);
  return result;
}

}  // namespace croft
