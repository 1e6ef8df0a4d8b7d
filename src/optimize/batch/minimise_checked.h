// How methods that see all samples at once begin and end.
#pragma once
#include <span>

#include "croft/core/parallel.h"
#include "croft/optimize/optimizer.h"
#include "optimize/checks.h"

namespace croft {

// Checks what every such method asks for, and runs Run(f, regulariser, w, options, pool, more...).
template <class Run, class Function, class Options, class... More>
OptimizeResult minimise_checked(Function& f, const Regulariser& regulariser, std::span<double> w,
                                const Options& options, ThreadPool& pool,
                                const IterationCallback& callback, Checkpointer* checkpoints,
                                const More&... more) {
  options.validate();
  regulariser.validate();
  check_dimension(f, w);
  Run run(f, regulariser, w, options, pool, more...);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
