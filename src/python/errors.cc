// The library's exceptions as Python's, in Python's words.
#include <cerrno>
#include <cstring>
#include <string>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "python/bind.h"
#include "python/options.h"

namespace croft::python {
namespace {

// A sequence is a file of its own to the library, X[4], and a position a line, from 1: X[4][2].
std::string place_in_python(const Location& where) {
  const std::size_t bracket = where.file.find('[');
  const bool sequence = bracket != std::string::npos && where.file.ends_with(']') &&
                        where.file.find_first_of(" ./") == std::string::npos;
  if (!sequence || where.line == 0) return place_of(where);
  return where.file + "[" + std::to_string(where.line - 1) + "]" +
         (where.column > 0 ? ":" + std::to_string(where.column) : "");
}

std::string python_text(const Error& fault) {
  const auto* const input = dynamic_cast<const InputError*>(&fault);
  if (input == nullptr) return in_python(fault.message());
  const std::string place = place_in_python(input->where());
  return (place.empty() ? "" : place + ": ") + in_python(input->fault());
}

// The path of a file that is not there; empty: the fault is another one.
std::string missing_file(const std::string& message) {
  const std::string end = std::string(": cannot open: ") + std::strerror(ENOENT);
  return message.ends_with(end) ? message.substr(0, message.size() - end.size()) : std::string();
}

// An Error that is Python's FileNotFoundError, too.
void set_missing(PyObject* kind, PyObject* text, const std::string& path) {
  PyObject* const fault = PyObject_CallFunctionObjArgs(kind, text, nullptr);
  if (fault == nullptr) return;  // the error is set
  PyObject* const name =
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
  PyObject* const number = PyLong_FromLong(ENOENT);
  if (name != nullptr && number != nullptr &&
      PyObject_SetAttrString(fault, "filename", name) == 0 &&
      PyObject_SetAttrString(fault, "errno", number) == 0) {
    PyErr_SetObject(kind, fault);
  }
  Py_XDECREF(number);
  Py_XDECREF(name);
  Py_DECREF(fault);
}

}  // namespace

void bind_errors(pybind11::module_& module) {
  static PyObject* error =
      pybind11::exception<Error>(module, "Error", PyExc_ValueError).release().ptr();
  pybind11::handle(error).attr("__doc__") =
      "Bad data, bad options, or a file that cannot be read or written; the message says what to "
      "do.";
  static PyObject* const bases = PyTuple_Pack(2, error, PyExc_FileNotFoundError);
  static PyObject* missing =
      bases == nullptr ? nullptr : PyErr_NewException("croft._core.MissingFile", bases, nullptr);
  if (missing == nullptr) throw pybind11::error_already_set();
  // The message says all that OSError would put together of errno and filename.
  pybind11::handle(missing).attr("__str__") = pybind11::handle(PyExc_BaseException).attr("__str__");
  module.attr("MissingFile") = pybind11::handle(missing);
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const pybind11::cast_error& fault) {  // pybind11's own is a RuntimeError
      PyErr_SetString(PyExc_TypeError, fault.what());
    } catch (const Error& fault) {
      const std::string message = python_text(fault);
      PyObject* text =
          PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace");
      if (text == nullptr) return;  // out of memory: the error is set
      const std::string path = missing_file(message);
      if (path.empty()) {
        PyErr_SetObject(error, text);
      } else {
        set_missing(missing, text, path);
      }
      Py_DECREF(text);
    }
  });
}

}  // namespace croft::python
