#include "python/training_watch.h"

#include <pybind11/stl.h>

#include "python/model.h"
#include "python/read/sequences.h"

namespace croft::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

py::object holdout_of(const std::optional<HoldoutScore>& score) {
  if (!score) return py::none();
  if (score->log_likelihood) return py::dict("log_likelihood"_a = *score->log_likelihood);
  py::dict out("token_accuracy"_a = score->token_accuracy);
  if (score->chunk_f1) out["chunk_f1"] = *score->chunk_f1;
  return out;
}

void add_fields(const Fields& fields, py::dict& out) {
  for (const Field& each : fields) {
    if (each.where == Shown::log) continue;
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, std::monostate>) {
            out[each.name.c_str()] = py::none();
          } else {
            out[each.name.c_str()] = value;
          }
        },
        each.value);
  }
}

}  // namespace

void PythonObserver::data_read(const DataSummary& data) {
  const py::gil_scoped_acquire lock;
  if (callback_.is_none()) return;
  py::dict event("event"_a = "data");
  add_fields(data.counts, event);
  event["seconds"] = seconds();
  callback_(event);
}

bool PythonObserver::see(const TrainStep& step) {
  const py::gil_scoped_acquire lock;
  try {
    check_signals();
    if (callback_.is_none()) return true;
    py::dict event("event"_a = "iteration", "iteration"_a = step.number,
                   "objective"_a = step.objective);
    add_fields(step.further, event);
    event["max_iterations"] = step.most;
    event["seconds"] = seconds();
    if (step.holdout) event["holdout"] = holdout_of(step.holdout);
    const py::object answer = callback_(event);
    return !py::isinstance<py::bool_>(answer) || answer.cast<bool>();
  } catch (py::error_already_set& error) {
    interrupted_ = error.matches(PyExc_KeyboardInterrupt);
    if (!interrupted_) error_ = std::current_exception();
    return false;
  }
}

// A warning that Python makes an error of does not end a training.
void PythonObserver::warn(std::string_view what) {
  const py::gil_scoped_acquire lock;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, std::string(what).c_str(), 1) != 0) {
    PyErr_WriteUnraisable(nullptr);
  }
}

void PythonObserver::round(const FeatureRound& round) {
  const py::gil_scoped_acquire lock;
  if (callback_.is_none()) return;
  py::dict event("event"_a = "features", "what"_a = std::string(round.what),
                 "round"_a = round.number, "iteration"_a = round.iterations,
                 "objective"_a = round.objective);
  if (round.errors) event["errors"] = *round.errors;
  event["added"] = round.added;
  event["dropped"] = round.dropped;
  event["features"] = round.features;
  event["conjunctions"] = round.conjunctions;
  if (round.best_gain) event["best_gain"] = *round.best_gain;
  if (round.least_gain) event["least_gain"] = *round.least_gain;
  if (round.holdout) event["holdout"] = holdout_of(round.holdout);
  event["seconds"] = seconds();
  callback_(event);
}

py::dict PythonObserver::info(const TrainOutcome& outcome) const {
  if (error_) std::rethrow_exception(error_);
  py::dict info;
  info["reason"] = interrupted_ ? "interrupted" : outcome.reason;
  info["converged"] = outcome.converged;
  info["iterations"] = outcome.iterations;
  if (outcome.objective) info["objective"] = *outcome.objective;
  add_fields(outcome.further, info);
  info["holdout"] = holdout_of(outcome.holdout);
  info["interrupted"] = interrupted_;
  return info;
}

void PythonObserver::fail(const Interrupted& stop) const {
  if (error_) std::rethrow_exception(error_);
  if (interrupted_) throw stop;
  throw UsageError(stop.message(), "; there is no model to keep yet");
}

py::dict observe(Trainer& trainer, const std::function<void()>& read, py::object callback) {
  PythonObserver observer(std::move(callback));
  const auto run = [&] {
    const py::gil_scoped_release unlock;
    return train_on(trainer, read, observer);
  };
  try {
    return observer.info(run());
  } catch (const Interrupted& stop) {
    observer.fail(stop);
  }
}

py::tuple train_observed(SequenceTrainer& trainer, TrainingInput& input, py::object callback) {
  py::dict info = observe(
      trainer, [&] { trainer.read(input); }, std::move(callback));
  auto model =
      std::make_shared<PythonModel>(Container::from_bytes(trainer.model().bytes(), "the model"));
  return py::make_tuple(std::move(model), std::move(info));
}

}  // namespace croft::python
