// How a str becomes a std::string and a path: as pybind11 does it, but that a lone surrogate is an
// error which says so, and not one that lists types of C++.
#pragma once
#include <pybind11/pybind11.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace pybind11::detail {

template <>
struct type_caster<std::string> {
  PYBIND11_TYPE_CASTER(std::string, const_name("str"));

  bool load(handle from, bool) {
    if (!from) return false;
    if (PyBytes_Check(from.ptr()) != 0) {
      value.assign(PyBytes_AS_STRING(from.ptr()),
                   static_cast<std::size_t>(PyBytes_GET_SIZE(from.ptr())));
      return true;
    }
    if (PyUnicode_Check(from.ptr()) == 0) return false;
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(from.ptr(), &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      throw value_error(repr(from).cast<std::string>() +
                        " has a lone surrogate, which UTF-8 cannot hold");
    }
    value.assign(bytes, static_cast<std::size_t>(size));
    return true;
  }

  static handle cast(const std::string& text, return_value_policy, handle) {
    PyObject* const made =
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    if (made == nullptr) throw error_already_set();
    return made;
  }
};

// str, bytes and what has __fspath__.
template <>
struct type_caster<std::filesystem::path> {
  PYBIND11_TYPE_CASTER(std::filesystem::path, const_name("os.PathLike"));

  bool load(handle from, bool) {
    if (!from) return false;
    const auto named = reinterpret_steal<object>(PyOS_FSPath(from.ptr()));
    if (!named) {
      PyErr_Clear();
      return false;
    }
    PyObject* bytes = nullptr;
    if (PyUnicode_FSConverter(named.ptr(), &bytes) == 0) {
      const bool encodes = PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0;
      PyErr_Clear();
      throw value_error(repr(named).cast<std::string>() +
                        (encodes ? " has a NUL, which no name of a file has"
                                 : " has a lone surrogate, which no name of a file has"));
    }
    const auto owned = reinterpret_steal<object>(bytes);
    value =
        std::string(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
    return true;
  }
};

}  // namespace pybind11::detail
