// The library's exceptions as Python's, in Python's words.
#include <cctype>
#include <string>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "python/bind.h"

namespace croft::python {
namespace {

// --min-count is min_count here; --init is of warm_start and partial_fit.
std::string python_words(std::string_view message) {
  std::string out;
  for (std::size_t k = 0; k < message.size(); ++k) {
    const bool option = message.substr(k, 2) == "--" && k + 2 < message.size() &&
                        std::islower(static_cast<unsigned char>(message[k + 2])) != 0;
    if (!option) {
      out += message[k];
      continue;
    }
    std::string name;
    for (k += 2; k < message.size(); ++k) {
      const auto c = static_cast<unsigned char>(message[k]);
      if (std::isalnum(c) == 0 && c != '-') break;
      name += c == '-' ? '_' : message[k];
    }
    --k;
    out += name == "init" ? "the model to go on from" : name;
  }
  return out;
}

// A sequence is a file of its own to the library, X[4], and a position a line, from 1: "X[4]:3: …"
// is of X[4][2].
std::string in_python(std::string_view message) {
  std::string out = python_words(message);
  const std::size_t name_end = out.find("]:");
  if (name_end == out.npos || out.find(' ') < name_end) return out;
  std::size_t end = name_end + 2, line = 0;
  for (; end < out.size() && std::isdigit(static_cast<unsigned char>(out[end])) != 0; ++end) {
    line = 10 * line + static_cast<std::size_t>(out[end] - '0');
  }
  if (line == 0) return out;
  return out.substr(0, name_end + 1) + "[" + std::to_string(line - 1) + "]" + out.substr(end);
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
    } catch (const Error& fault) {
      const std::string message = in_python(fault.what());
      PyObject* text =
          PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace");
      if (text == nullptr) return;  // out of memory: the error is set
      PyErr_SetObject(error, text);
      Py_DECREF(text);
    }
  });
}

}  // namespace croft::python
