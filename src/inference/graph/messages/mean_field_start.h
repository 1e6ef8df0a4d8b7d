// Where mean field starts, and how it goes on: the same for all forms of q.  Internal to
// inference/.
#pragma once
#include <cmath>
#include <limits>
#include <optional>

#include "croft/core/random.h"
#include "croft/inference/mean_field.h"
#include "inference/graph/allowed_assignment.h"

namespace croft {

inline double entropy(const std::vector<double>& p) {
  double sum = 0;
  for (const double each : p) {
    if (each > 0) sum -= each * std::log(each);
  }
  return sum;
}

class MeanFieldStart {
 public:
  MeanFieldStart(const FactorGraph& graph, std::uint64_t seed);

  // The next one, independent of the others; nothing where no allowed assignment is found.
  std::optional<VariableMarginals> next();
  bool contradiction() const { return contradiction_; }

 private:
  const FactorGraph& graph_;
  Random random_;
  bool forbids_ = false;  // a factor, some joint states
  bool first_ = true, contradiction_ = false;
};

// All starts.  Field: start(q), iterate() -> largest change, bound(), marginals().
template <class Field>
MeanFieldResult ascend(const FactorGraph& graph, const MeanFieldOptions& options,
                       const GraphCallback& callback, Field& field) {
  options.validate();
  MeanFieldResult result;
  result.bound = -std::numeric_limits<double>::infinity();
  MeanFieldStart starts(graph, options.seed);
  std::size_t iterations = 0;
  bool more = true;
  for (std::size_t k = 0; k < options.starts && more; ++k) {
    std::optional<VariableMarginals> q = starts.next();
    if (!q) break;
    field.start(std::move(*q));
    Convergence end;
    double bound = field.bound();
    while (more && !end.converged && end.iterations < options.max_iterations) {
      end.residual = field.iterate();
      ++end.iterations;
      end.converged = end.residual <= options.tolerance;
      bound = field.bound();
      GraphProgress progress;
      progress.iteration = ++iterations;
      progress.residual = end.residual;
      progress.value = std::max(bound, result.bound);
      more = !callback || callback(progress);
    }
    if (bound <= result.bound) continue;
    result.bound = bound;
    result.convergence = end;
    result.marginals = field.marginals();
  }
  result.convergence.iterations = iterations;
  result.contradiction = starts.contradiction();
  return result;
}

}  // namespace croft
