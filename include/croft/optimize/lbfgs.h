// L-BFGS, and OWL-QN for l1 > 0.
//
// Liu & Nocedal (1989); Andrew & Gao (2007).  docs/math/optimisation.md sections 2 and 4.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

struct LbfgsOptions {
  static constexpr std::size_t kMaxHistory = 1000;
  // Pairs (s, y) kept, 1 to kMaxHistory; each: 8 bytes a weight.  By default what pairs() says.
  std::optional<std::size_t> history{};
  std::size_t max_line_search = 20;  // evaluations in one line search, >= 1
  StoppingRule stop{};
  // 12 pairs save L-BFGS a fifth of its evaluations against 6 (docs/performance.md).  They slow
  // OWL-QN down, and with many weights they take much memory.
  static constexpr std::size_t kManyWeights = 4'000'000;
  std::size_t pairs(std::size_t weights, bool orthant_wise) const {
    return history.value_or(orthant_wise || weights > kManyWeights ? 6 : 12);
  }
  void validate() const;  // throws UsageError naming the field and its range
};

// Minimises f(w) + (l2/2)|w|^2 from w (in and out).  Throws UsageError when regulariser.l1 > 0 or
// w.size() is not f.dimension(), Error when F or its gradient is not finite at the starting point.
// In a callback and in the end w is the last accepted iterate, never a trial point (after a failed
// line search: up to rounding, as w is moved in place).  If f throws, w is where f was evaluated.
// Memory: 2 doubles + 1 float a weight beside w, and 2 floats a weight for each pair.
OptimizeResult lbfgs(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                     const LbfgsOptions& options, ThreadPool& pool,
                     const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

// The same, an iteration at a time; keeps references to all that it is given but the options.
std::unique_ptr<Optimizer> make_lbfgs(BatchFunction& f, const Regulariser& regulariser,
                                      std::span<double> w, const LbfgsOptions& options,
                                      ThreadPool& pool);

// Minimises f(w) + l1 |w|_1 + (l2/2)|w|^2; weights that end at zero are exactly 0.  As lbfgs, but
// for l1 > 0 too (l1 = 0 is allowed: L-BFGS with a weaker line search), and
// memory: 3 doubles + 1 float a weight beside w, and 2 floats a weight for each pair.
OptimizeResult owlqn(BatchFunction& f, const Regulariser& regulariser, std::span<double> w,
                     const LbfgsOptions& options, ThreadPool& pool,
                     const IterationCallback& callback = {}, Checkpointer* checkpoints = nullptr);

}  // namespace croft
