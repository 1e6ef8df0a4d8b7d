// A request to end work that may take long or wait long.
#pragma once
#include <atomic>
#include <cstddef>

#include "croft/core/error.h"

namespace croft {

// Set by a front end (a signal handler, another thread) to end what the process is doing.  Readers
// of input then throw Interrupted instead of waiting for more, within a fraction of a second.  The
// library itself never sets or clears it; a front end that goes on afterwards clears it.
inline std::atomic<bool> interruption = false;
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers set it");

// Thrown where an interruption leaves no result to hand back.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// While one lives, thread pools that its thread runs give up between two tasks once `interruption`
// is set: run() throws Interrupted.  For work that its caller can do without, going back to what
// was before it.  Pools that share out their work with other processes do not give up.
class Abandonable {
 public:
  Abandonable() { ++alive_; }
  ~Abandonable() { --alive_; }
  Abandonable(const Abandonable&) = delete;
  Abandonable& operator=(const Abandonable&) = delete;
  static bool here() { return alive_ > 0; }
  // For loops without a pool: throws Interrupted where one lives and `interruption` is set.
  static void look() {
    if (here() && interruption) throw Interrupted("interrupted");
  }

 private:
  static inline thread_local std::size_t alive_ = 0;
};

}  // namespace croft
