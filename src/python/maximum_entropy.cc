// The distribution of largest entropy, of features in a buffer of doubles.
#include <pybind11/stl.h>

#include "croft/core/error.h"
#include "optimize/batch/maximum_entropy.h"
#include "python/bind.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// (column, "=", "<=" or ">=", bound)
using Constraint = std::tuple<std::size_t, std::string, double>;

Relation relation_of(const std::string& sign) {
  for (const Relation each : {Relation::equal, Relation::at_most, Relation::at_least}) {
    if (sign == sign_of(each)) return each;
  }
  throw UsageError("a constraint is =, <= or >=, not " + in_quotes(sign));
}

py::dict solve(const py::buffer& features, const std::vector<double>& base,
               const std::vector<Constraint>& constraints, double tolerance,
               std::size_t max_iterations) {
  const py::buffer_info table = features.request();
  if (table.ndim != 2 || table.format != py::format_descriptor<double>::format() ||
      table.strides[1] != table.itemsize || table.strides[0] != table.itemsize * table.shape[1]) {
    throw UsageError("features is not a matrix of doubles, row by row");
  }
  MaximumEntropyProblem problem{
      .outcomes = static_cast<std::size_t>(table.shape[0]),
      .columns = static_cast<std::size_t>(table.shape[1]),
      .features = {static_cast<const double*>(table.ptr), static_cast<std::size_t>(table.size)},
      .base = base,
      .constraints = {}};
  for (const auto& [column, sign, bound] : constraints) {
    problem.constraints.push_back({column, relation_of(sign), bound});
  }
  MaximumEntropyResult r;
  {
    const py::gil_scoped_release release;
    r = maximum_entropy(problem, {.tolerance = tolerance, .max_iterations = max_iterations});
  }
  using namespace py::literals;
  return py::dict(
      "status"_a = std::string(name_of(r.status)), "message"_a = r.message, "p"_a = r.p,
      "expectations"_a = r.expectation, "multipliers"_a = r.multiplier, "entropy"_a = r.entropy,
      "divergence"_a = r.divergence, "dual"_a = r.dual, "certificate"_a = r.certificate,
      "margin"_a = r.margin, "iterations"_a = r.iterations,
      "kkt"_a = py::dict("stationarity"_a = r.kkt.stationarity, "primal"_a = r.kkt.primal,
                         "normalisation"_a = r.kkt.normalisation, "dual"_a = r.kkt.dual,
                         "slackness"_a = r.kkt.slackness));
}

}  // namespace

void bind_maximum_entropy(py::module_& module) {
  module.def("maximum_entropy", &solve, py::arg("features"), py::arg("base"),
             py::arg("constraints"), py::arg("tolerance"), py::arg("max_iterations"));
}

}  // namespace croft::python
