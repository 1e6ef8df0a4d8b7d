// Dynamic Bayesian networks: streams of evidence.  A network is a text in BIF here.
#include <pybind11/stl.h>

#include <deque>
#include <optional>

#include "croft/core/error.h"
#include "croft/inference/slice_filter.h"
#include "data/graphs/slice_file.h"
#include "python/bind.h"

namespace croft::python {
namespace {

namespace py = pybind11;

using Endings = std::pair<std::string, std::string>;

SliceFile read_slices(const std::string& text, const Endings& endings) {
  if (endings.first == endings.second) {
    throw UsageError("endings are two that differ, not ", in_quotes(endings.first), " twice");
  }
  return slice_file(read_graph(LineReader(text, "the network"), GraphFormat::bif),
                    {endings.first, endings.second});
}

SliceEvidence evidence_of(Evidence states,
                          std::vector<std::pair<Variable, std::vector<double>>> likelihoods) {
  return {std::move(states), std::move(likelihoods)};
}

// What SliceFilter answers, or False where the evidence is impossible.
class PythonStream {
 public:
  PythonStream(const std::string& text, const Endings& endings, std::optional<std::size_t> history)
      : file_(read_slices(text, endings)),
        filter_(file_.net, {.history = history.value_or(SliceFilter::kAll)}) {}

  std::string slice() const { return write_bif(file_.slice()); }
  bool step(Evidence states, std::vector<std::pair<Variable, std::vector<double>>> likelihoods) {
    return filter_.advance(evidence_of(std::move(states), std::move(likelihoods)));
  }
  const SliceFilter& filter() const { return filter_; }
  SliceFilter& filter() { return filter_; }

 private:
  SliceFile file_;
  SliceFilter filter_;
};

// The log-score of the best path and its states; the number of the slice that is impossible.
py::object best_path(
    const std::string& text, const Endings& endings,
    std::vector<std::pair<Evidence, std::vector<std::pair<Variable, std::vector<double>>>>> rows) {
  std::vector<std::vector<State>> best;
  double log_score = 0;
  {
    const py::gil_scoped_release release;
    SlicePath path(read_slices(text, endings).net);
    for (auto& [states, likelihoods] : rows) {
      if (path.advance(evidence_of(std::move(states), std::move(likelihoods)))) continue;
      throw UsageError("the evidence of slice ", path.slices(),
                       " has probability 0 given the slices before it");
    }
    best = path.best();
    log_score = path.log_score();
  }
  return py::make_tuple(log_score, best);
}

std::string unrolled_bif(const std::string& text, const Endings& endings, std::size_t slices) {
  return write_bif(unrolled(read_slices(text, endings), slices));
}

}  // namespace

void bind_slice_stream(py::module_& module) {
  py::class_<PythonStream>(module, "SliceStream")
      .def(py::init<const std::string&, const Endings&, std::optional<std::size_t>>())
      .def("slice", &PythonStream::slice)
      .def("step", &PythonStream::step)
      .def_property_readonly("slices", [](const PythonStream& s) { return s.filter().slices(); })
      .def_property_readonly("log_likelihood",
                             [](const PythonStream& s) { return s.filter().log_likelihood(); })
      .def("marginals", [](const PythonStream& s) { return s.filter().marginals(); })
      .def("ahead", [](PythonStream& s, std::size_t slices) { return s.filter().ahead(slices); })
      .def("smoothed", [](PythonStream& s, std::size_t back) { return s.filter().smoothed(back); })
      .def("smooth", [](PythonStream& s) { return s.filter().smoothed(); });
  module.def("best_path", &best_path);
  module.def("unrolled", &unrolled_bif);
}

}  // namespace croft::python
