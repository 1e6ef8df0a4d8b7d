// croft.search and croft.learning_curve: the library's, whose trainings are Python's.
#include <pybind11/stl.h>

#include <algorithm>

#include "app/search/learning_curve.h"
#include "app/search/search.h"
#include "app/train/data_groups.h"
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

// The whole result as JSON, as a table of text and as a picture; the number of the candidate that
// is chosen.
//   prefer : of those within one standard error of the best, as croft search has it; empty: the
//   best
py::tuple search(const py::dict& parameters, const py::dict& options, std::size_t sequences,
                 const std::string& data, const py::function& score, const py::object& progress,
                 const std::string& prefer) {
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
  const std::size_t chosen = prefer.empty() ? 0 : within_one_error(found, prefer);
  return py::make_tuple(to_json(found).dump(), format_table(found), search_svg(found), chosen);
}

// The curve as JSON, as a table of text, as comma-separated values and as a picture.
//   shares   : increasing, in (0, 1]
//   groups   : [sequences], or empty
//   score    : the numbers of sequences -> (score on the test data, score on these) of a model that
//              is trained on them
//   progress : (trainings done, all of them) after each
py::tuple learning_curve(const std::vector<double>& shares, std::size_t repeats,
                         const std::string& metric_name, std::uint64_t seed,
                         const std::vector<std::size_t>& groups, std::size_t sequences,
                         bool contiguous, const py::function& score, const py::function& progress) {
  SearchMetric metric = SearchMetric::score;
  for (const SearchMetric each :
       {SearchMetric::accuracy, SearchMetric::chunk_f1, SearchMetric::log_loss}) {
    if (name_of(each) == metric_name) metric = each;
  }
  const auto members = members_of(groups, sequences);
  std::vector<CurvePoint> points(shares.size());
  const auto once = static_cast<std::size_t>(std::ranges::count(shares, 1.0));
  const std::size_t all = repeats * (shares.size() - once) + once;
  std::size_t done = 0;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      if (repeat > 0 && shares[k] == 1) continue;  // all draws of the whole are the same
      const std::vector<std::size_t> which =
          drawn_share(members, shares[k], seed + repeat, contiguous);
      points[k].share = shares[k];
      if (repeat == 0) points[k].sequences = which.size();
      const auto [test, train] = score(which).cast<std::pair<double, double>>();
      points[k].test.folds.push_back(test);
      points[k].train.folds.push_back(train);
      progress(++done, all);
    }
  }
  return py::make_tuple(to_json(points, metric).dump(), curve_table(points, metric),
                        curve_csv(points, metric), curve_svg(points, metric));
}

}  // namespace

void bind_search(py::module_& module) {
  module.def("search", &search);
  module.def("learning_curve", &learning_curve);
}

}  // namespace croft::python
