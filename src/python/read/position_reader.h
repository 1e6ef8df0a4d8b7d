// What the object of a position says, attribute by attribute.
//
//   dict                key -> number (or bool): attribute `key` with that value
//                       key -> str: `key:str`;  key -> dict, list or set: `key:` and what is in it
//   list, tuple, set    of str, each an attribute of value 1 (a set: in sorted order)
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "croft/data/string_lists.h"
#include "python/read/objects.h"

namespace croft::python {

// Hands attributes to `Sink`, which has
//   auto enter(PyObject* key)              all names begin with that key and ":"
//   void leave(outer)                      ... no more; outer : what enter() gave
//   void add(PyObject* name, double value)
//   void add(PyObject* key, PyObject* text)
// where names, keys and texts are str or bytes, or else the sink throws.  No method of the caller's
// is called while a sink runs.
template <class Sink>
class PositionReader {
 public:
  //   place : of the position, for messages
  PositionReader(Sink& sink, const InputPlace& place) : sink_(sink), place_(place) {}

  // Throws TypeError or ValueError, which say where.
  void read(PyObject* item) {
    if (PyDict_Check(item) || PyList_Check(item) || PyTuple_Check(item) || is_set(item) ||
        PyDictKeys_Check(item)) {
      add_members(item);
    } else if (!PyUnicode_Check(item) && attribute(item, "keys")) {  // another mapping
      const pybind11::dict members;
      if (PyDict_Update(members.ptr(), item) != 0) throw pybind11::error_already_set();
      add_members(members.ptr());
    } else {
      type_error(place_.words() + " is " + a_type(item) +
                 ", and a dict or a list of the position's attributes was expected");
    }
  }

 private:
  void add_members(PyObject* members) {
    constexpr int kDeepest = 100;
    if (++depth_ > kDeepest) {
      value_error(place_.words() + " is nested more than " + std::to_string(kDeepest) + " deep");
    }
    const auto kept = pybind11::reinterpret_borrow<pybind11::object>(members);
    if (PyDict_Check(members)) {
      add_dict(members);
    } else if (is_set(members)) {
      add_set(members);
    } else {
      add_list(members);
    }
    --depth_;
  }

  void add_dict(PyObject* members) {
    PyObject *key = nullptr, *value = nullptr;
    const Py_ssize_t size = PyDict_GET_SIZE(members);
    for (Py_ssize_t at = 0; PyDict_Next(members, &at, &key, &value);) {
      add_member(key, value);
      if (PyDict_GET_SIZE(members) != size) fail_changed(place_.words());
    }
  }

  void add_set(PyObject* members) {
    const auto list = pybind11::reinterpret_steal<pybind11::object>(PySequence_List(members));
    if (!list) throw pybind11::error_already_set();
    std::vector<std::pair<std::string_view, PyObject*>> texts;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list.ptr()); ++k) {
      PyObject* const item = PyList_GET_ITEM(list.ptr(), k);
      texts.emplace_back(text_of(item, place_), item);
    }
    std::ranges::sort(texts);
    for (const auto& each : texts) sink_.add(each.second, 1.0);
  }

  void add_list(PyObject* members) {
    const Elements list(
        members, [&] { return place_.words(); }, "a list of attributes");
    for (std::size_t k = 0; k < list.size(); ++k) {
      const pybind11::object item = list[k];
      if (PyDict_Check(item.ptr()) && depth_ > 1) {
        add_members(item.ptr());
      } else {
        sink_.add(item.ptr(), 1.0);
      }
    }
  }

  void add_member(PyObject* key, PyObject* value) {
    if (PyBool_Check(value)) {
      sink_.add(key, value == Py_True ? 1.0 : 0.0);
    } else if (PyUnicode_Check(value) || PyBytes_Check(value)) {
      sink_.add(key, value);
    } else if (PyFloat_CheckExact(value)) {
      add_number(key, PyFloat_AS_DOUBLE(value));
    } else if (PyDict_Check(value) || PyList_Check(value) || PyTuple_Check(value) ||
               is_set(value)) {
      const auto outer = sink_.enter(key);
      add_members(value);
      sink_.leave(outer);
    } else {
      // Both are kept: the value's __float__ may take them out of the dict.
      const auto key_kept = pybind11::reinterpret_borrow<pybind11::object>(key);
      const auto value_kept = pybind11::reinterpret_borrow<pybind11::object>(value);
      add_number(key, number_of(key, value));
    }
  }

  double number_of(PyObject* key, PyObject* value) const {
    const double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred() != nullptr) {
      const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
      forget_failure();
      const std::string here =
          place_.words() + "[" + pybind11::repr(key).cast<std::string>() + "] is ";
      if (too_large) value_error(here + "a number that no float can hold");
      type_error(here + a_type(value) +
                 ", and a number, a str, or a dict, list or set of these was expected");
    }
    return number;
  }

  void add_number(PyObject* key, double value) {
    check_finite(value, place_);
    sink_.add(key, value);
  }

  Sink& sink_;
  const InputPlace& place_;
  int depth_ = 0;
};

// Names as strings.
class StringSink {
 public:
  StringSink(StringLists& out, const InputPlace& place) : out_(out), place_(place) {}

  std::size_t enter(PyObject* key) {
    const std::size_t outer = prefix_.size();
    prefix_ += text_of(key, place_);
    prefix_ += ':';
    return outer;
  }
  void leave(std::size_t outer) { prefix_.resize(outer); }
  void add(PyObject* name, double value) {
    out_.bytes() += prefix_;
    out_.bytes() += text_of(name, place_);
    out_.end_item(value);
  }
  void end_position() { out_.end_list(); }
  void add(PyObject* key, PyObject* text) {
    out_.bytes() += prefix_;
    out_.bytes() += text_of(key, place_);
    out_.bytes() += ':';
    out_.bytes() += text_of(text, place_);
    out_.end_item();
  }

 private:
  StringLists& out_;
  const InputPlace& place_;
  std::string prefix_;
};

}  // namespace croft::python
