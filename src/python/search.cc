// croft.search: the search of the library, whose trainings are Python's.
#include <pybind11/stl.h>

#include "app/search/search.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "python/bind.h"
#include "python/options.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// A list of values, as text, or a range as the command line writes it.
SearchParameter parameter(const std::string& name, const py::object& values) {
  if (py::isinstance<py::str>(values)) {
    return parse_search_range(name + "=" + values.cast<std::string>());
  }
  return {.option = name, .values = values.cast<std::vector<std::string>>()};
}

py::dict task_of(const SearchTask& task) {
  py::dict out;
  out["rung"] = task.rung;
  out["candidate"] = task.candidate;
  out["fold"] = task.fold;
  out["values"] = task.values;
  out["train"] = task.train;
  out["test"] = task.test;
  out["iterations"] = task.iterations;
  return out;
}

// The whole result as JSON, as a table of text and as a picture.
py::tuple search(const py::dict& parameters, const py::dict& options, std::size_t sequences,
                 const std::string& data, const py::function& score, const py::object& progress) {
  SearchSettings settings = search_settings_of(options);
  for (const auto& [name, values] : parameters) {
    settings.parameters.push_back(
        parameter(name.cast<std::string>(), py::reinterpret_borrow<py::object>(values)));
  }
  const auto ask = [&](const SearchTask& task) { return score(task_of(task)).cast<double>(); };
  const auto tell = [&](const SearchProgress& now) {
    if (progress.is_none()) return;
    py::dict event;
    event["rung"] = now.rung;
    event["candidate"] = now.candidate;
    event["fold"] = now.fold;
    event["done"] = now.done;
    event["all"] = now.all;
    event["score"] = now.score;
    progress(event);
  };
  const SearchedSettings found = search_settings(settings, sequences, data, ask, tell);
  if (!found.failure.empty()) throw Error(found.failure);
  return py::make_tuple(to_json(found).dump(), format_table(found), search_svg(found));
}

}  // namespace

void bind_search(py::module_& module) {
  module.def("search", &search, py::arg("parameters"), py::arg("options"), py::arg("sequences"),
             py::arg("data"), py::arg("score"), py::arg("progress"));
}

}  // namespace croft::python
