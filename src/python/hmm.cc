// What is special to hidden Markov models: their options, and their probabilities.
#include <pybind11/stl.h>

#include <cmath>

#include "app/train/kind_requests.h"
#include "core/json.h"

#include "model/kinds/hmm_model.h"
#include "python/bind.h"
#include "python/model.h"
#include "python/options.h"
#include "python/sequences.h"

namespace croft::python {
namespace {

namespace py = pybind11;

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
  module.def("hmm_transitions", &hmm_transitions, py::arg("model"));
}

}  // namespace croft::python
