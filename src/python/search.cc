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
using namespace py::literals;

// A list of values, as text, or a range as the command line writes it.
SearchParameter parameter(const std::string& name, const py::object& values) {
  if (py::isinstance<py::str>(values)) {
    return parse_search_range(name + "=" + values.cast<std::string>());
  }
  return {.option = name, .values = values.cast<std::vector<std::string>>()};
}

py::dict task_of(const SearchTask& task) {
  return py::dict("rung"_a = task.rung, "candidate"_a = task.candidate, "fold"_a = task.fold,
                  "values"_a = task.values, "train"_a = task.train, "test"_a = task.test,
                  "iterations"_a = task.iterations);
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
    progress(py::dict("rung"_a = now.rung, "candidate"_a = now.candidate, "fold"_a = now.fold,
                      "done"_a = now.done, "all"_a = now.all, "score"_a = now.score));
  };
  const SearchedSettings found = search_settings(settings, sequences, data, ask, tell);
  if (!found.failure.empty()) throw Error(found.failure);
  return py::make_tuple(to_json(found).dump(), format_table(found), search_svg(found));
}

}  // namespace

void bind_search(py::module_& module) { module.def("search", &search); }

}  // namespace croft::python
