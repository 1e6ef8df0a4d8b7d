// Spans of positions as column labels, and back.
#include <pybind11/stl.h>

#include "app/label/row_reader.h"
#include "python/bind.h"

namespace croft::python {
namespace {

namespace py = pybind11;
using Span = std::tuple<std::size_t, std::size_t, std::string>;

std::vector<std::string> labels_of(const std::vector<Span>& spans, std::size_t length,
                                   const std::string& scheme) {
  std::vector<LabelledSpan> sorted;
  for (const auto& [begin, end, label] : spans) sorted.push_back({begin, end, label});
  std::ranges::sort(sorted, {}, &LabelledSpan::begin);
  return labels_of_spans(sorted, length, chunk_scheme_from_name(scheme));
}

std::vector<Span> spans_of(const std::vector<std::string>& labels, const std::string& scheme) {
  const std::vector<std::string_view> views(labels.begin(), labels.end());
  std::vector<Span> spans;
  for (const LabelledSpan& each : spans_of_labels(views, chunk_scheme_from_name(scheme))) {
    spans.emplace_back(each.begin, each.end, each.label);
  }
  return spans;
}

std::string scheme_of(const std::vector<std::string>& labels) {
  return std::string(
      chunk_scheme_name(span_scheme(std::vector<std::string_view>(labels.begin(), labels.end()))));
}

}  // namespace

void bind_spans(py::module_& module) {
  module.def("labels_of_spans", &labels_of, py::arg("spans"), py::arg("length"), py::arg("scheme"));
  module.def("spans_of_labels", &spans_of, py::arg("labels"), py::arg("scheme"));
  module.def("span_scheme", &scheme_of, py::arg("labels"));
}

}  // namespace croft::python
