// How many threads are worth it, where they share so much that one may be quicker.
#pragma once
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>

namespace croft {

// Steps that are alike are run by all threads or by one, whichever was quicker; the other is tried
// again, ever more rarely.  For work whose result does not depend on the threads: the clock decides
// how long it takes, and nothing else.
class ThreadChoice {
 public:
  explicit ThreadChoice(std::size_t all) : threads_{1, all}, now_(all > 1) {}

  std::size_t threads() const { return threads_[now_]; }

  // run(threads()) returns how many steps it took.
  template <class Run>
  void time(const Run& run) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t steps = run(threads());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (threads_[1] == 1 || steps == 0) return;
    pace_[now_] = seconds.count() / static_cast<double>(steps);
    ++runs_;
    const std::size_t other = 1 - now_;
    const bool again = runs_ >= 4 && std::has_single_bit(runs_);
    if (again || pace_[other] < pace_[now_]) now_ = other;
  }

 private:
  std::array<std::size_t, 2> threads_;
  std::size_t now_;               // in threads_
  std::array<double, 2> pace_{};  // seconds a step, of the last run; 0: not tried yet
  std::size_t runs_ = 0;
};

}  // namespace croft
