// Fork-join over fixed blocks of work: the blocks never depend on the number of threads.
//
// Results are identical for any number of threads because (a) what a task computes depends on its
// index alone, and (b) sums across tasks are taken in index order, by `run_ordered`.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "croft/core/ranks.h"

namespace croft {

class ThreadPool {
 public:
  static constexpr std::size_t kMaxThreads = 1024;
  // threads >= 1: the caller is one of them; 0: one per processor.  Where the system starts no more
  // threads, those that it has started do the work.  Throws UsageError for more than kMaxThreads.
  //   ranks   : processes with pools of their own that do the same to other shares of the data
  //   helpers : processes that have the same data as this one and do the same to it, so that each
  //             may leave parts of a long computation to the others.  Not both.
  explicit ThreadPool(std::size_t threads = 1, Ranks& ranks = no_other_ranks(),
                      Ranks& helpers = no_other_ranks());
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t threads() const;
  Ranks& ranks() const { return ranks_; }
  Ranks& helpers() const { return helpers_; }
  // Those of both that there are: each has computed a part of what is now added up over all.
  Ranks& partners() const { return helpers_.alone() ? ranks_ : helpers_; }

  // task(index, worker) for every index in [0, count); worker < threads() names the scratch space
  // to use.  Indices are handed out in increasing order.  Returns when all are done; the first
  // exception of a task is thrown again here, after the others have stopped.  Not re-entrant.
  using Task = std::function<void(std::size_t index, std::size_t worker)>;
  void run(std::size_t count, const Task& task);

  // As run, and then commit(index, worker) for each index, one at a time and in increasing order,
  // by the worker that ran its task: the place to add a block's partial sums to the total.
  void run_ordered(std::size_t count, const Task& task, const Task& commit);

 private:
  struct State;
  std::unique_ptr<State> state_;
  Ranks& ranks_;
  Ranks& helpers_;
};

}  // namespace croft
