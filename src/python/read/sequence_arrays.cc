// Matrices as sequences: a row of numbers for each position.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "python/read/sequences.h"

namespace croft::python {

namespace py = pybind11;

namespace {

// A numpy array, or anything else with numbers in a buffer, without numpy's headers.
class NumberBuffer {
 public:
  NumberBuffer(PyObject* object, const std::string& where) : where_(where) {
    if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
      forget_failure();
      type_error(where + " is " + a_type(object) + ", and an array of numbers was expected");
    }
    owned_.reset(&view_);
    std::string_view format = view_.format != nullptr ? view_.format : "B";
    if (format.size() == 2 && (format[0] == '=' || format[0] == '@')) {
      format.remove_prefix(1);  // numpy's of numbers that are not aligned
    }
    const auto* const known =
        std::ranges::find(kKinds, format.size() == 1 ? format[0] : '\0', &Kind::letter);
    if (known == std::end(kKinds) || view_.itemsize != known->size) {
      type_error(where + " has elements of the kind \"" + std::string(format) +
                 "\"; convert it to float64 or float32");
    }
    load_ = known->load;
  }
  int dimensions() const { return view_.ndim; }
  std::size_t size(int k) const { return static_cast<std::size_t>(view_.shape[k]); }
  double at(std::size_t i, std::size_t j) const {
    return load_(static_cast<const char*>(view_.buf) +
                 static_cast<Py_ssize_t>(i) * view_.strides[0] +
                 static_cast<Py_ssize_t>(j) * view_.strides[1]);
  }
  double at(std::size_t i) const {
    return load_(static_cast<const char*>(view_.buf) +
                 static_cast<Py_ssize_t>(i) * view_.strides[0]);
  }

 private:
  template <class T>
  static double load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  struct Kind {
    char letter;  // of the buffer protocol
    Py_ssize_t size;
    double (*load)(const char*);
  };
  static constexpr Kind kKinds[] = {{'f', sizeof(float), load<float>},
                                    {'d', sizeof(double), load<double>},
                                    {'i', sizeof(int), load<int>},
                                    {'l', sizeof(long), load<long>},
                                    {'q', sizeof(long long), load<long long>},
                                    {'I', sizeof(unsigned), load<unsigned>},
                                    {'L', sizeof(unsigned long), load<unsigned long>},
                                    {'Q', sizeof(unsigned long long), load<unsigned long long>},
                                    {'h', sizeof(short), load<short>},
                                    {'H', sizeof(unsigned short), load<unsigned short>},
                                    {'b', sizeof(signed char), load<signed char>},
                                    {'B', sizeof(unsigned char), load<unsigned char>},
                                    {'?', sizeof(unsigned char), load<unsigned char>}};
  struct Release {
    void operator()(Py_buffer* view) const { PyBuffer_Release(view); }
  };
  Py_buffer view_{};
  std::unique_ptr<Py_buffer, Release> owned_;
  std::string where_;
  double (*load_)(const char*) = nullptr;
};

bool is_sparse_matrix(PyObject* object) {
  return !PyList_Check(object) && !PyTuple_Check(object) && attribute(object, "tocsr");
}

// A matrix of numbers; lists of rows with a buffer (an array of dicts is none).
bool is_dense_matrix(PyObject* object) {
  if (PyList_Check(object) || PyTuple_Check(object) || !PyObject_CheckBuffer(object)) return false;
  const py::object type = attribute(object, "dtype");
  const py::object kind = type ? attribute(type.ptr(), "kind") : py::object();
  return !kind || !kind.equal(py::str("O"));
}

// Their columns would have the same names.
void refuse_second(bool there_is_one, const std::string& name) {
  if (!there_is_one) return;
  value_error(name +
              " has two matrices of one kind; join them, so that at most one is sparse and one "
              "dense");
}

}  // namespace

// Those of the first columns are kept.  With hashing there may be a billion.
std::string_view SequenceReader::column_name(char kind, std::size_t j) {
  constexpr std::size_t kKept = std::size_t{1} << 16;
  const auto made = [&](std::size_t column) {
    return std::string(1, kind) + "[" + std::to_string(column) + "]";
  };
  if (j >= kKept) return far_name_ = made(j);
  std::vector<std::string>& names = kind == 'x' ? sparse_names_ : dense_names_;
  while (names.size() <= j) names.push_back(made(names.size()));
  return names[j];
}

// Throws ValueError for arrays that are none of a matrix in compressed rows.
void check_csr(const NumberBuffer& begin, const NumberBuffer& column, const NumberBuffer& value,
               std::size_t columns, const std::string& name) {
  const auto check = [&](bool holds, const char* what) {
    if (!holds) value_error(name + ": " + what);
  };
  check(begin.dimensions() == 1 && column.dimensions() == 1 && value.dimensions() == 1,
        "indptr, indices and data need one dimension each");
  check(begin.size(0) > 0, "indptr is empty");
  check(column.size(0) == value.size(0), "indices and data have different lengths");
  double last = 0;
  for (std::size_t i = 0; i < begin.size(0); ++i) {
    const double at = begin.at(i);
    check(at >= last && at <= static_cast<double>(value.size(0)), "indptr is not in order");
    last = at;
  }
  for (std::size_t k = 0; k < column.size(0); ++k) {
    const double j = column.at(k);
    check(j >= 0 && j < static_cast<double>(columns), "indices names a column that is not there");
  }
}

// A matrix, or a tuple of them with the same number of rows; false where it is something else.
bool SequenceReader::read_arrays(PyObject* sequence, TextSequence& out) {
  std::vector<py::object> parts;
  if (PyTuple_Check(sequence)) {
    for (const py::handle each : py::reinterpret_borrow<py::tuple>(sequence)) {
      if (!is_sparse_matrix(each.ptr()) && !is_dense_matrix(each.ptr())) return false;
      parts.push_back(py::reinterpret_borrow<py::object>(each));
    }
  } else if (is_sparse_matrix(sequence) || is_dense_matrix(sequence)) {
    parts.push_back(py::reinterpret_borrow<py::object>(sequence));
  }
  if (parts.empty()) return false;
  const std::string name = sequence_name();
  struct Part {
    std::optional<NumberBuffer> dense, begin, column, value;
    std::size_t rows = 0;
  };
  std::vector<std::unique_ptr<Part>> matrices;
  SequenceForm form;
  for (py::object& object : parts) {
    auto part = std::make_unique<Part>();
    if (is_sparse_matrix(object.ptr())) {
      object = object.attr("tocsr")();
      part->begin.emplace(object.attr("indptr").ptr(), name + ".indptr");
      part->column.emplace(object.attr("indices").ptr(), name + ".indices");
      part->value.emplace(object.attr("data").ptr(), name + ".data");
      refuse_second(form.sparse.has_value(), name);
      form.sparse = object.attr("shape")[py::int_(1)].cast<std::size_t>();
      check_csr(*part->begin, *part->column, *part->value, *form.sparse, name);
      part->rows = part->begin->size(0) - 1;
    } else {
      part->dense.emplace(object.ptr(), name);
      if (part->dense->dimensions() != 2) {
        value_error(name + " is an array of " + std::to_string(part->dense->dimensions()) +
                    " dimensions; give a row of numbers for each position: 2");
      }
      part->rows = part->dense->size(0);
      refuse_second(form.dense.has_value(), name);
      form.dense = part->dense->size(1);
    }
    matrices.push_back(std::move(part));
  }
  length_ = matrices.front()->rows;
  for (const auto& part : matrices) {
    if (part->rows != length_) {
      value_error(name + " has matrices of " + std::to_string(length_) + " and of " +
                  std::to_string(part->rows) + " rows; each needs a row for each position");
    }
  }
  check_form(form);
  for (place_.position = 0; place_.position < length_; ++place_.position) {
    for (const auto& part : matrices) {
      const auto add = [&](char kind, std::size_t j, double value) {
        out.node.bytes() += column_name(kind, j);
        check_finite(value, place_);
        out.node.end_item(value);
      };
      if (part->dense) {
        for (std::size_t j = 0; j < part->dense->size(1); ++j) {
          const double value = part->dense->at(place_.position, j);
          if (value != 0) add('d', j, value);
        }
        continue;
      }
      const auto end = static_cast<std::size_t>(part->begin->at(place_.position + 1));
      for (auto k = static_cast<std::size_t>(part->begin->at(place_.position)); k < end; ++k) {
        add('x', static_cast<std::size_t>(part->column->at(k)), part->value->at(k));
      }
    }
    out.node.end_list();
  }
  return true;
}

}  // namespace croft::python
