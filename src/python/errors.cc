// The library's exceptions as Python's, in Python's words.
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

}  // namespace

void bind_errors(pybind11::module_& module) {
  static PyObject* error =
      pybind11::exception<Error>(module, "Error", PyExc_ValueError).release().ptr();
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
      PyErr_SetObject(error, text);
      Py_DECREF(text);
    }
  });
}

}  // namespace croft::python
