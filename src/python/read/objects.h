// Python's objects by its C interface: lists, texts, and where in an argument they stand.
//
// All functions need the interpreter's lock.
#pragma once
#include <pybind11/pybind11.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace croft::python {

// Where in an argument something stands; words are made of it for messages alone.
struct InputPlace {
  std::string name;                  // of the argument
  std::optional<std::size_t> index;  // of the sequence; none: it is the argument
  std::size_t position = 0;

  std::string sequence() const;  // "X[3]"
  std::string words() const;     // "X[3][5]"
};

[[noreturn]] void type_error(const std::string& message);
[[noreturn]] void value_error(const std::string& message);
// A method of the caller's may have changed what is being read.
[[noreturn]] void fail_changed(const std::string& where);

std::string a_type(PyObject* object);  // with an article: an int

// Forgets a failure, which the caller of this words better; all but Ctrl-C and the like.
void forget_failure();

// The attribute of that name; null where there is none.
pybind11::object attribute(PyObject* object, const char* name);

inline bool is_set(PyObject* object) { return PyAnySet_Check(object) != 0; }

// The bytes of a str (UTF-8) or bytes object; throws TypeError naming `where` for anything else.
std::string_view text_of(PyObject* object, const std::string& where);
// The common case without the cost of saying where.
inline std::string_view text_of(PyObject* object, const InputPlace& place) {
  if (PyUnicode_Check(object) && PyUnicode_IS_COMPACT_ASCII(object)) {
    return {static_cast<const char*>(PyUnicode_DATA(object)),
            static_cast<std::size_t>(PyUnicode_GET_LENGTH(object))};
  }
  return text_of(object, place.words());
}

// Throws ValueError for an attribute's value that is not finite.
inline void check_finite(double value, const InputPlace& place) {
  if (std::isfinite(value)) return;
  value_error(place.words() + " has an attribute with the value " + std::to_string(value) +
              "; values must be finite");
}

// f(argument).  What f raises has a note that says where, from Python 3.11 on.
pybind11::object called(const pybind11::object& f, const pybind11::object& argument,
                        const std::string& where);

// The elements of a list, a tuple, or anything that can be made one; a str is none.
class Elements {
 public:
  //   where, what : where() says what it is and `what` what it should be, for messages
  template <class Where>
  Elements(PyObject* object, const Where& where, const char* what) {
    if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
      fast_ = pybind11::reinterpret_borrow<pybind11::object>(object);
    } else {
      fast_ = listed(object, where(), what);
    }
    size_ = PySequence_Fast_GET_SIZE(fast_.ptr());
  }
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  // Its own, as a list may be changed by the methods of what is in it.
  pybind11::object operator[](std::size_t k) const {
    if (PySequence_Fast_GET_SIZE(fast_.ptr()) != size_) fail_changed("a list");
    return pybind11::reinterpret_borrow<pybind11::object>(
        PySequence_Fast_GET_ITEM(fast_.ptr(), static_cast<Py_ssize_t>(k)));
  }

 private:
  static pybind11::object listed(PyObject* object, const std::string& where, const char* what);

  pybind11::object fast_;
  Py_ssize_t size_ = 0;
};

// `object` as something that [n] indexes by position; throws TypeError for what is no list.
pybind11::object positional(const pybind11::object& object, std::string_view name);

}  // namespace croft::python
