#include "python/training_watch.h"

#include "python/sequences.h"

namespace croft::python {

namespace py = pybind11;

namespace {

py::object holdout_of(const std::optional<HoldoutScore>& score) {
  if (!score) return py::none();
  py::dict out;
  out["token_accuracy"] = score->token_accuracy;
  if (score->chunk_f1) out["chunk_f1"] = *score->chunk_f1;
  return out;
}

}  // namespace

void TrainingObserver::read(const TrainData& data) {
  const py::gil_scoped_acquire lock;
  if (callback_.is_none()) return;
  py::dict event;
  event["event"] = "data";
  event["sequences"] = data.sequences;
  event["positions"] = data.positions;
  event["labels"] = data.labels;
  event["attributes"] = data.attributes;
  event["holdout_sequences"] = data.holdout_sequences;
  event["partial_positions"] = data.partial_positions;
  event["features"] = data.features == FeatureSet::all ? "all" : "observed";
  event["seconds"] = seconds();
  callback_(event);
}

bool TrainingObserver::goes_on(const TrainProgress& now) {
  const py::gil_scoped_acquire lock;
  try {
    check_signals();
    if (callback_.is_none()) return true;
    py::dict event;
    event["event"] = "iteration";
    event["iteration"] = now.iteration.number;
    event["evaluations"] = now.iteration.evaluations;
    event["objective"] = now.iteration.objective;
    event["gradient_norm"] = now.iteration.gradient_norm;
    event["weight_norm"] = now.iteration.weight_norm;
    event["active_features"] = now.iteration.active;
    event["step"] = now.iteration.step;
    if (now.iteration.gap) event["gap"] = *now.iteration.gap;
    event["max_iterations"] = now.max_iterations;
    event["seconds"] = seconds();
    if (now.holdout) event["holdout"] = holdout_of(now.holdout);
    const py::object answer = callback_(event);
    return !py::isinstance<py::bool_>(answer) || answer.cast<bool>();
  } catch (py::error_already_set& error) {
    interrupted_ = error.matches(PyExc_KeyboardInterrupt);
    if (!interrupted_) error_ = std::current_exception();
    return false;
  }
}

void TrainingObserver::see(const FeatureRound& round) {
  const py::gil_scoped_acquire lock;
  if (callback_.is_none()) return;
  py::dict event;
  event["event"] = "features";
  event["what"] = std::string(round.what);
  event["round"] = round.number;
  event["iteration"] = round.iterations;
  event["objective"] = round.objective;
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

py::dict info_of(const TrainResult& result, bool interrupted) {
  py::dict info;
  const OptimizeResult& optimization = result.optimization;
  info["reason"] = interrupted ? "interrupted" : std::string(stop_reason_name(optimization.reason));
  info["message"] = optimization.message;
  info["converged"] = optimization.converged();
  info["iterations"] = optimization.iterations;
  info["evaluations"] = optimization.evaluations;
  info["objective"] = optimization.objective;
  info["gradient_norm"] = optimization.gradient_norm;
  info["weights"] = result.dimension;
  info["nonzero_weights"] = result.active;
  info["holdout"] = holdout_of(result.holdout);
  info["best_iteration"] =
      result.best_iteration ? py::object(py::int_(*result.best_iteration)) : py::none();
  return info;
}

}  // namespace croft::python
