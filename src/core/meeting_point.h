// Where the threads of one task wait for each other, many times over.
#pragma once
#include <atomic>
#include <cstddef>
#include <thread>

namespace croft {

// For phases of a few microseconds, for which the pool's own fork and join takes too long: who
// waits stays awake for a while.  Every thread must come to every meeting; what it wrote before,
// all see after.
class MeetingPoint {
 public:
  explicit MeetingPoint(std::size_t threads) : threads_(threads) {}

  void wait() {
    const std::size_t meeting = meeting_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      meeting_.store(meeting + 1, std::memory_order_release);
      return;
    }
    for (std::size_t k = 0; meeting_.load(std::memory_order_acquire) == meeting; ++k) {
      if (k >= kPatience) std::this_thread::yield();
    }
  }

 private:
  static constexpr std::size_t kPatience = 4000;  // looks before others get the processor
  const std::size_t threads_;
  alignas(64) std::atomic<std::size_t> arrived_{0};
  alignas(64) std::atomic<std::size_t> meeting_{0};
};

}  // namespace croft
