// croft._core: what the Python package calls.  Its functions take and give plain Python objects;
// the package's own files give them names, defaults and documentation.
#include "python/bind.h"

namespace {

namespace py = pybind11;

// Of the class's own pickle, where it has one.  object's would, for the protocols 0 and 1, make an
// instance of pybind11's base of all classes, which ends the process.
py::tuple reduce(const py::object& self) {
  const py::handle type = py::type::handle_of(self);
  if (!py::hasattr(type, "__setstate__")) {
    throw py::type_error("cannot pickle '" + type.attr("__name__").cast<std::string>() +
                         "' object");
  }
  return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"), py::make_tuple(type),
                        self.attr("__getstate__")());
}

// An object without its C++ value: pybind11 would hand on memory that nobody has written.
void* refuse_unmade(std::size_t) {
  throw py::type_error("the object was made by __new__ alone; call its class");
}

void require_constructors(const py::module_& module) {
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(value)) continue;
    auto* const info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (info != nullptr) info->operator_new = refuse_unmade;
  }
}

void pickle_safely(const py::module_& module) {
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(value) || py::hasattr(value, "__cause__"))
      continue;  // an exception
    value.attr("__reduce__") = py::cpp_function(reduce, py::is_method(value));
    value.attr("__reduce_ex__") = py::cpp_function(
        [](const py::object& self, int) { return reduce(self); }, py::is_method(value));
  }
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  namespace python = croft::python;
  module.doc() = "Croft's library, as the package croft calls it.";
  module.attr("version") = CROFT_VERSION;
  python::bind_errors(module);
  python::bind_sequences(module);
  python::bind_model(module);
  python::bind_evaluation(module);
  python::bind_files(module);
  python::bind_tagging(module);
  python::bind_spans(module);
  python::bind_options(module);
  python::bind_training(module);
  python::bind_chain(module);
  python::bind_naive_bayes(module);
  python::bind_logistic_regression(module);
  python::bind_text(module);
  python::bind_maximum_entropy(module);
  python::bind_graph(module);
  python::bind_graph_crf(module);
#ifdef CROFT_SQL
  python::bind_graph_tables(module);
  python::bind_logic(module);
#endif
  python::bind_bugs(module);
  python::bind_bayes_net(module);
  python::bind_slice_stream(module);
  python::bind_search(module);
  pickle_safely(module);
  require_constructors(module);
}
