// What trainers tell Python on the way, and at the end.
#pragma once
#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <utility>

#include "croft/app/train.h"

namespace croft::python {

// Hands what happens to the caller, and notices Ctrl-C.  The callback may be None.
class TrainingObserver {
 public:
  explicit TrainingObserver(pybind11::object callback) : callback_(std::move(callback)) {}

  TrainWatcher watcher() {
    return {.data_read = [this](const TrainData& data) { read(data); },
            .reading = nullptr,
            .iteration = [this](const TrainProgress& now) { return see(now); },
            .round = [this](const FeatureRound& round) { see(round); }};
  }
  bool interrupted() const { return interrupted_; }
  bool stopped() const { return stopped_; }  // by the caller, or by a signal
  // Of the caller's callback; training has stopped at it.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void read(const TrainData& data);
  bool see(const TrainProgress& now) {
    stopped_ = !goes_on(now);
    return !stopped_;
  }
  void see(const FeatureRound& round);
  bool goes_on(const TrainProgress& now);
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  pybind11::object callback_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool stopped_ = false, interrupted_ = false;
  std::exception_ptr error_;
};

// The result as a dict: reason, message, converged, iterations, …
pybind11::dict info_of(const TrainResult& result, bool interrupted);

}  // namespace croft::python
