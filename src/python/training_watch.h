// What trainers tell Python on the way, and at the end.
#pragma once
#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <functional>
#include <utility>

#include "app/train/trainer.h"
#include "croft/core/interrupt.h"

namespace croft::python {

// Hands what happens to the caller, as dicts, and notices Ctrl-C.  The callback may be None.
class PythonObserver final : public TrainObserver {
 public:
  explicit PythonObserver(pybind11::object callback) : callback_(std::move(callback)) {}

  void data_read(const DataSummary& data) override;
  void round(const FeatureRound& round) override;
  void warn(std::string_view what) override;
  // The result as a dict: reason, converged, iterations, objective, …  Throws what the callback
  // has, at which training stopped.
  pybind11::dict info(const TrainOutcome& outcome) const;
  // Of a training that stopped before there was a model: throws that, what the callback has, or an
  // error where the callback answered False.
  [[noreturn]] void fail(const Interrupted& stop) const;

 private:
  bool see(const TrainStep& step) override;
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  pybind11::object callback_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool interrupted_ = false;
  std::exception_ptr error_;
};

// The course of the trainer on data that `read` hands to it, without Python's lock but where it is
// asked for.  Returns the result as a dict.
pybind11::dict observe(Trainer& trainer, const std::function<void()>& read,
                       pybind11::object callback);
// The same of sequences: (model, dict of the result).
pybind11::tuple train_observed(SequenceTrainer& trainer, TrainingInput& input,
                               pybind11::object callback);

}  // namespace croft::python
