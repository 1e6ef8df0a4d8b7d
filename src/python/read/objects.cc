#include "python/read/objects.h"

namespace croft::python {

namespace py = pybind11;

std::string InputPlace::sequence() const {
  return index ? name + "[" + std::to_string(*index) + "]" : name;
}

std::string InputPlace::words() const { return sequence() + "[" + std::to_string(position) + "]"; }

void type_error(const std::string& message) { throw py::type_error(message); }
void value_error(const std::string& message) { throw py::value_error(message); }
void fail_changed(const std::string& where) { value_error(where + " changed while it was read"); }

std::string a_type(PyObject* object) {
  const std::string name = Py_TYPE(object)->tp_name;
  return (std::string_view("aeiouAEIOU").find(name[0]) == std::string_view::npos ? "a " : "an ") +
         name;
}

void forget_failure() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw py::error_already_set();
  PyErr_Clear();
}

py::object attribute(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  if (value == nullptr) forget_failure();
  return py::reinterpret_steal<py::object>(value);
}

std::string_view text_of(PyObject* object, const std::string& where) {
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(object, &size);
    if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
    PyErr_Clear();
    value_error(where + " has a lone surrogate, which UTF-8 cannot hold; encode it first");
  }
  if (PyBytes_Check(object)) {
    return {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))};
  }
  type_error(where + " is " + a_type(object) + ", and a str was expected");
}

py::object called(const py::object& f, const py::object& argument, const std::string& where) {
  try {
    return f(argument);
  } catch (const py::error_already_set& fault) {
    if (py::hasattr(fault.value(), "add_note")) {
      fault.value().attr("add_note")("in the feature function, at " + where);
    }
    throw;
  }
}

py::object Elements::listed(PyObject* object, const std::string& where, const char* what) {
  const bool none = PyUnicode_Check(object) || PyBytes_Check(object) || PyDict_Check(object);
  const std::string type = a_type(object);
  PyObject* const list = none ? nullptr : PySequence_Fast(object, "");
  if (list != nullptr) return py::reinterpret_steal<py::object>(list);
  if (!none && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
  PyErr_Clear();
  type_error(where + " is " + type + ", and " + what + " was expected");
}

py::object positional(const py::object& object, std::string_view name) {
  PyObject* at = object.ptr();
  const bool named =
      PyDict_Check(at) || (PyMapping_Check(at) && attribute(at, "keys") && !attribute(at, "iloc"));
  if (named || PyUnicode_Check(at) || PyBytes_Check(at) || PySequence_Check(at) == 0) {
    type_error(std::string(name) + " is " + a_type(at) + ", and a list was expected");
  }
  if (!attribute(at, "iloc")) return object;
  // Of pandas, whose [n] is a label and not a place.
  PyObject* list = PySequence_List(at);
  if (list == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(list);
}

}  // namespace croft::python
