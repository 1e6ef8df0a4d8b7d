#include "croft/inference/mplp.h"

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"
#include "inference/local_state.h"
#include "inference/message_passes.h"

namespace croft {

void MplpOptions::validate() const {
  if (max_iterations == 0) throw UsageError("mplp needs max_iterations of at least 1");
  if (decode_every == 0) throw UsageError("mplp needs decode_every of at least 1");
  if (!(tolerance >= 0)) throw UsageError("the tolerance of mplp must be a number >= 0");
}

MapResult mplp(const FactorGraph& graph, const MplpOptions& options,
               const GraphCallback& callback) {
  options.validate();
  MapResult result;
  Convergence& c = result.convergence;
  Reparametrisation scores(graph);
  StarUpdate update(scores);
  std::vector<State> states(graph.variables(), 0);
  while (c.iterations < options.max_iterations) {
    for (Reparametrisation::Term t = 0; t < scores.terms(); ++t) update(t);
    // After its update a term has nothing left to add, until others change its messages: none do.
    CompensatedSum bound(scores.constant());
    for (Variable v = 0; v < graph.variables(); ++v) bound.add(std::ranges::max(scores.belief(v)));
    if (c.iterations % options.decode_every == 0) {
      read_beliefs(scores, states);
      offer(result, graph, states);
    }
    const double before = result.bound;
    result.bound = std::min(before, bound.value());
    ++c.iterations;
    c.residual = before - result.bound;
    c.converged = reaches(result.score, result.bound) ||
                  c.residual <= options.tolerance * std::max(1.0, std::abs(result.bound));
    if (!report(callback, result) || c.converged) break;
  }
  scores.gather_beliefs();
  result.bound = std::max(result.bound, scores.bound());
  polish(result, graph, states);
  conclude(result);
  return result;
}

}  // namespace croft
