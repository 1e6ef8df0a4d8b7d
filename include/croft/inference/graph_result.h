// What every method for factor graphs says about its answer.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "croft/core/interrupt.h"
#include "croft/structure/factor_graph.h"

namespace croft {

enum class ResultKind { exact, lower_bound, upper_bound, estimate };
constexpr std::string_view name_of(ResultKind kind) {
  switch (kind) {
    case ResultKind::exact:
      return "exact";
    case ResultKind::lower_bound:
      return "lower bound";
    case ResultKind::upper_bound:
      return "upper bound";
    case ResultKind::estimate:
      break;
  }
  return "estimate";
}

// How a method that runs until it converges has ended.
struct Convergence {
  bool converged = false;
  std::size_t iterations = 0;
  double residual = 0;  // the largest change in the last iteration, of what the method says
};

// After an iteration, for a progress line or a time limit.  Values that a method does not know are
// not set.
struct GraphProgress {
  std::size_t iteration = 0;
  double residual = 0;
  std::optional<double> value;        // log Z, or its bound
  std::optional<double> best, bound;  // of the best assignment: its score, and what none exceeds
  std::span<const State> assignment;  // that of `best`, valid during the call
};
// False stops the method cleanly, with what it has.
using GraphCallback = std::function<bool(const GraphProgress&)>;
// For callers without a time limit or a progress line: false once `interruption` is set.
inline GraphCallback until_interrupted() {
  return [](const GraphProgress&) { return !interruption.load(); };
}

// [variables][states], each adding up to 1.
using VariableMarginals = std::vector<std::vector<double>>;

}  // namespace croft
