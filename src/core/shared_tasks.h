// Tasks that the helpers of a pool share out, and whose results all of them get.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "croft/core/parallel.h"

namespace croft {

// Writes what it finds to `result`, which is empty; worker < pool.threads().
using SharedTask =
    std::function<void(std::size_t index, std::size_t worker, std::vector<double>& result)>;
using SharedCommit =
    std::function<void(std::size_t index, std::size_t worker, std::span<const double> result)>;

// As pool.run_ordered(): task(0), task(1), … on all threads, and commit() one at a time in
// increasing order, with scratch space of that worker.  With helpers each process runs some of the
// tasks and commits all of them: sums that commit() makes are those of one process, whoever has
// computed the addends.  Where a task throws on one process, the error is thrown on all.
//   cost : of a task, about in proportion to its time; > 0 of some
// Memory and messages: with helpers those of all results.
void run_shared(ThreadPool& pool, std::size_t count,
                const std::function<double(std::size_t index)>& cost, const SharedTask& task,
                const SharedCommit& commit);

// The tasks [first, second) that this process runs.
std::pair<std::size_t, std::size_t> own_tasks(const Ranks& helpers, std::size_t count,
                                              const std::function<double(std::size_t)>& cost);

}  // namespace croft
