#include "croft/inference/trw_s.h"

#include <cmath>

#include "croft/core/error.h"
#include "inference/local_state.h"
#include "inference/message_passes.h"

namespace croft {

void TrwSOptions::validate() const {
  if (max_iterations == 0) throw UsageError("trw-s needs max_iterations of at least 1");
  if (decode_every == 0) throw UsageError("trw-s needs decode_every of at least 1");
  if (!(tolerance >= 0)) throw UsageError("the tolerance of trw-s must be a number >= 0");
}

MapResult trw_s(const FactorGraph& graph, const TrwSOptions& options,
                const GraphCallback& callback) {
  options.validate();
  MapResult result;
  Convergence& c = result.convergence;
  Reparametrisation scores(graph);
  SequentialPasses passes(scores);
  std::vector<State> states(graph.variables(), 0);
  while (c.iterations < options.max_iterations) {
    const bool decode = c.iterations % options.decode_every == 0;
    passes.forward(decode ? &states : nullptr);
    passes.backward();
    if (decode) offer(result, graph, states);
    const double before = result.bound;
    result.bound = std::min(before, passes.bound());
    ++c.iterations;
    c.residual = before - result.bound;
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
