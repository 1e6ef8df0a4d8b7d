// Hidden Markov models trained on Python's sequences.
#include <pybind11/stl.h>

#include <cmath>

#include "app/train/train_hmm.h"
#include "croft/core/json.h"
#include "model/kinds/hmm_model.h"
#include "python/bind.h"
#include "python/model.h"
#include "python/sequences.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// X, and what y says of it: y, or a list of one sequence, may be None.
class HmmInput final : public TrainingInput {
 public:
  HmmInput(const py::object& x, const py::object& y, const py::object& weights, bool rows)
      : x_(positional(x, kTrainingName)), y_(y), weights_(weights), rows_(rows) {
    const std::size_t size = py::len(x_);
    if (!y_.is_none()) y_ = positional(y_, "y");
    if (!weights_.is_none()) weights_ = positional(weights_, "sample_weight");
    const auto check = [&](const py::object& other, const char* name) {
      if (other.is_none() || py::len(other) == size) return;
      throw py::value_error("X has " + std::to_string(size) + " sequences and " + name + " " +
                            std::to_string(py::len(other)) + " elements");
    };
    check(y_, "y");
    check(weights_, "sample_weight");
    extractor_.emplace(hmm_extraction(rows ? InputFormat::columns : InputFormat::attributes,
                                      rows ? count_columns(x_) : 0));
  }
  const Extractor& extractor() const override { return *extractor_; }

  void read(const Visit& visit) override {
    const py::gil_scoped_acquire lock;
    SequenceReader reader(rows_, kTrainingName);
    InputSequence sequence;
    Extractor::Scratch scratch;
    for (std::size_t n = 0; n < py::len(x_); ++n) {
      if (n % 1000 == 999) check_signals();
      const auto index = py::int_(n);
      reader.read(x_[index], n, sequence);
      if (rows_) {
        check_columns(sequence.rows, n, extractor_->config().columns);
        extractor_->extract(sequence.rows, false, scratch, sequence.text);
      }
      sequence.text.first_line = rows_ ? 1 : sequence.text.first_line;
      sequence.text.labels.clear();
      if (!y_.is_none() && !py::object(y_[index]).is_none()) {
        reader.read_labels(py::object(y_[index]), "y", sequence.text);
      }
      sequence.text.weight = weights_.is_none() ? 1 : weight_of(weights_, n);
      if (sequence.text.weight == 0) continue;
      check_sizes(sequence.text, reader.sequence_name());
      visit(sequence.text, reader.sequence_name());
    }
    form_ = reader.form();
  }
  void read_holdout(const Visit&) override {}
  void describe(Json& record) const override { describe_form(form_, record); }

 private:
  py::object x_, y_, weights_;
  std::optional<SequenceForm> form_;
  bool rows_;
  std::optional<Extractor> extractor_;
};

HmmOptions options_of(const py::dict& given) {
  HmmOptions o;
  o.smoothing.emission = given["smoothing"].cast<double>();
  o.smoothing.transition = given["transition_smoothing"].cast<double>();
  o.smoothing.end = given["ends"].cast<bool>();
  o.unknown.rare = given["rare"].cast<std::size_t>();
  o.unknown.suffix = given["suffix"].cast<std::size_t>();
  o.states = given["states"].cast<std::size_t>();
  o.em_iterations = given["em_iterations"].cast<std::size_t>();
  o.tolerance = given["tolerance"].cast<double>();
  o.starts = given["starts"].cast<std::size_t>();
  o.seed = given["seed"].cast<std::uint64_t>();
  o.threads = given["threads"].cast<std::size_t>();
  return o;
}

py::tuple train(const py::object& x, const py::object& y, const py::object& weights,
                const py::dict& options, bool rows, const py::object& callback) {
  HmmRequest request;
  request.options = options_of(options);
  request.partial = kPartial;
  HmmInput input(x, y, weights, rows);
  bool interrupted = false;
  std::exception_ptr error;
  const auto see = [&](const HmmProgress& now) {
    const py::gil_scoped_acquire lock;
    try {
      check_signals();
      py::dict event;
      event["start"] = now.start;
      event["iteration"] = now.iteration;
      event["objective"] = now.objective;
      event["log_likelihood"] = now.log_likelihood;
      const py::object answer = callback(event);
      return !py::isinstance<py::bool_>(answer) || answer.cast<bool>();
    } catch (py::error_already_set& raised) {
      interrupted = raised.matches(PyExc_KeyboardInterrupt);
      if (!interrupted) error = std::current_exception();
      return false;
    }
  };
  const TrainedHmm trained = [&] {
    const py::gil_scoped_release unlock;
    return train_hmm_on(request, input, {.data_read = {}, .reading = {}, .iteration = see});
  }();
  if (error) std::rethrow_exception(error);
  py::dict info;
  info["log_likelihood"] = trained.result.log_likelihood;
  info["objective"] = trained.result.objective;
  info["iterations"] = trained.result.iterations;
  info["converged"] = trained.result.converged;
  info["start"] = trained.result.start;
  info["interrupted"] = interrupted;
  auto model =
      std::make_shared<PythonModel>(Container::from_bytes(trained.model.bytes(), "the model"));
  return py::make_tuple(std::move(model), info);
}

// Probabilities, not logarithms: (start [L], transitions [L][L], end [L] or None).
py::tuple hmm_transitions(const PythonModel& self) {
  const auto* model = dynamic_cast<const HmmModel*>(self.model.get());
  if (model == nullptr) throw py::value_error("this model is of kind " + self.model->kind());
  const auto list = [](std::span<const double> logs) {
    py::list out;
    for (const double log : logs) out.append(std::exp(log));
    return out;
  };
  py::list rows;
  for (Label y = 0; y < model->labels(); ++y) {
    rows.append(list(model->transitions<double>().log()[y]));
  }
  return py::make_tuple(list(model->start()), rows,
                        model->end().empty() ? py::object(py::none()) : list(model->end()));
}

}  // namespace

void bind_hmm(py::module_& module) {
  module.def("train_hmm", &train, py::arg("X"), py::arg("y"), py::arg("sample_weight"),
             py::arg("options"), py::arg("rows"), py::arg("callback"));
  module.def("hmm_transitions", &hmm_transitions, py::arg("model"));
}

}  // namespace croft::python
