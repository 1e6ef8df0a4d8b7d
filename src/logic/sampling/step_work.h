// Work in the midst of a long step, which may have to end there.
#pragma once
#include <cstddef>
#include <functional>

#include "croft/core/interrupt.h"

namespace croft {

// Asked by any thread; false: the work is to end.
using StepCheck = std::function<bool()>;

// Counts the work, and asks now and then.
class StepWork {
 public:
  // Keeps it by reference.
  explicit StepWork(const StepCheck& goes_on) : goes_on_(goes_on) {}
  explicit StepWork(StepCheck&&) = delete;

  // Throws Interrupted where the work is to end.
  //   work : some nanoseconds each
  void add(std::size_t work) {
    done_ += work;
    if (done_ < kBetween) return;
    done_ = 0;
    if (goes_on_ && !goes_on_()) throw Interrupted("a step of sampling was interrupted");
  }

 private:
  static constexpr std::size_t kBetween = 1 << 18;  // a millisecond or so
  const StepCheck& goes_on_;
  std::size_t done_ = 0;
};

}  // namespace croft
