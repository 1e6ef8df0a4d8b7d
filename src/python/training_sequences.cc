// What trainers ask of Python's sequences, beside reading them.

#include "python/sequences.h"

#include "core/json.h"

namespace croft::python {

namespace py = pybind11;

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

std::size_t count_columns(const py::object& x) {
  for (std::size_t n = 0; n < py::len(x); ++n) {
    const py::object rows = x[py::int_(n)];
    if (py::len(rows) == 0) continue;
    const py::object row = rows[py::int_(0)];
    return py::isinstance<py::str>(row) ? 1 : py::len(row);
  }
  return 0;
}

void check_columns(const ColumnSequence& rows, std::size_t n, std::size_t expected) {
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    if (rows.columns(t) == expected) continue;
    throw py::value_error("X[" + std::to_string(n) + "][" + std::to_string(t) + "] has " +
                          std::to_string(rows.columns(t)) + " cells, and the first row has " +
                          std::to_string(expected));
  }
}

double weight_of(const py::object& weights, std::size_t n) {
  const py::object given = weights[py::int_(n)];
  const double value = PyFloat_AsDouble(given.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::value_error("sample_weight[" + std::to_string(n) + "] is " +
                          py::repr(given).cast<std::string>() + ", and a number was expected");
  }
  if (value >= 0 && value <= 1e15) return value;
  throw py::value_error("sample_weight[" + std::to_string(n) + "] is " + std::to_string(value) +
                        "; weights must be finite, and not below 0");
}

void describe_form(const std::optional<SequenceForm>& form, Json& record) {
  if (!form || !form->matrices()) return;
  Json& columns = record["matrix_columns"] = Json::object();
  if (form->sparse) columns["sparse"] = *form->sparse;
  if (form->dense) columns["dense"] = *form->dense;
}

}  // namespace croft::python
