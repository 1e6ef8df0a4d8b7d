#include "croft/core/parallel.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft {

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable start, finished, turn;
  std::size_t generation = 0, active = 0;
  bool closing = false;
  bool abandonable = false;
  const Task* task = nullptr;
  const Task* commit = nullptr;
  std::size_t count = 0;
  std::atomic<std::size_t> next{0};
  std::size_t next_commit = 0;  // guarded by mutex
  std::exception_ptr error;
  std::vector<std::jthread> workers;

  void work(std::size_t worker) {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < count;) {
        if (abandonable && interruption) throw Interrupted("interrupted");
        (*task)(i, worker);
        if (commit != nullptr && !commit_in_turn(i, worker)) return;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = std::numeric_limits<std::size_t>::max() / 2;  // the others find nothing more to do
      turn.notify_all();
    }
  }

  bool commit_in_turn(std::size_t i, std::size_t worker) {
    std::unique_lock lock(mutex);
    turn.wait(lock, [&] { return next_commit == i || error; });
    if (error) return false;
    lock.unlock();
    (*commit)(i, worker);
    lock.lock();
    ++next_commit;
    turn.notify_all();
    return true;
  }

  void loop(std::size_t worker) {
    std::size_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        start.wait(lock, [&] { return closing || generation != seen; });
        if (closing) return;
        seen = generation;
      }
      work(worker);
      const std::lock_guard lock(mutex);
      if (--active == 0) finished.notify_one();
    }
  }
};

ThreadPool::ThreadPool(std::size_t threads, Ranks& ranks, Ranks& helpers)
    : state_(std::make_unique<State>()), ranks_(ranks), helpers_(helpers) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  if (threads > kMaxThreads) {
    throw UsageError(Message::option("threads"), " ", std::to_string(threads), " is more than ",
                     std::to_string(kMaxThreads));
  }
  state_->workers.reserve(threads - 1);
  try {
    for (std::size_t worker = 1; worker < threads; ++worker) {
      state_->workers.emplace_back([state = state_.get(), worker] { state->loop(worker); });
    }
  } catch (const std::system_error&) {
    // The machine, or a limit of a container, allows no more: results do not depend on it.
  } catch (const std::bad_alloc&) {
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->start.notify_all();
}

std::size_t ThreadPool::threads() const { return state_->workers.size() + 1; }

void ThreadPool::run(std::size_t count, const Task& task) { run_ordered(count, task, Task()); }

void ThreadPool::run_ordered(std::size_t count, const Task& task, const Task& commit) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    s.task = &task;
    s.commit = commit ? &commit : nullptr;
    s.count = count;
    // Others would wait for this one.
    s.abandonable = Abandonable::here() && ranks_.alone() && helpers_.alone();
    s.next = 0;
    s.next_commit = 0;
    s.error = nullptr;
    s.active = s.workers.size();
    ++s.generation;
  }
  s.start.notify_all();
  s.work(0);
  std::unique_lock lock(s.mutex);
  s.finished.wait(lock, [&] { return s.active == 0; });
  if (s.error) std::rethrow_exception(std::exchange(s.error, nullptr));
}

}  // namespace croft
