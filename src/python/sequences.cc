#include "python/sequences.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/json.h"
#include "python/bind.h"
#include "python/model.h"

namespace croft::python {
namespace {

namespace py = pybind11;

[[noreturn]] void type_error(const std::string& message) { throw py::type_error(message); }
[[noreturn]] void value_error(const std::string& message) { throw py::value_error(message); }

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

// A method of the caller's may have changed what is being read.
[[noreturn]] void fail_changed(const std::string& where) {
  value_error(where + " changed while it was read");
}

// Forgets a failure, which the caller of this words better; all but Ctrl-C and the like.
void forget_failure() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw py::error_already_set();
  PyErr_Clear();
}

// The elements of a list, a tuple, or anything that can be made one; a str is none.
class Elements {
 public:
  Elements(PyObject* object, const std::string& where, const char* what) {
    const bool none = PyUnicode_Check(object) || PyBytes_Check(object) || PyDict_Check(object);
    const std::string type = type_name(object);
    if (!none) fast_ = py::reinterpret_steal<py::object>(PySequence_Fast(object, ""));
    if (!fast_) {
      if (!none && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
      PyErr_Clear();
      type_error(where + " is a " + type + ", and " + what + " was expected");
    }
    size_ = PySequence_Fast_GET_SIZE(fast_.ptr());
  }
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  // Its own, as a list may be changed by the methods of what is in it.
  py::object operator[](std::size_t k) const {
    if (PySequence_Fast_GET_SIZE(fast_.ptr()) != size_) fail_changed("a list");
    return py::reinterpret_borrow<py::object>(
        PySequence_Fast_GET_ITEM(fast_.ptr(), static_cast<Py_ssize_t>(k)));
  }

 private:
  py::object fast_;
  Py_ssize_t size_ = 0;
};

// A numpy array, or anything else with numbers in a buffer, without numpy's headers.
class NumberBuffer {
 public:
  NumberBuffer(PyObject* object, const std::string& where) : where_(where) {
    if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
      forget_failure();
      type_error(where + " is a " + type_name(object) + ", and an array of numbers was expected");
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

py::object attribute(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  if (value == nullptr) forget_failure();
  return py::reinterpret_steal<py::object>(value);
}

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

bool is_set(PyObject* object) { return PyAnySet_Check(object) != 0; }

std::vector<std::string> sorted_texts(PyObject* set, const std::string& where) {
  std::vector<std::string> texts;
  for (const py::handle each : py::reinterpret_borrow<py::object>(set)) {
    texts.emplace_back(text_of(each.ptr(), where));
  }
  std::ranges::sort(texts);
  return texts;
}

}  // namespace

py::object positional(const py::object& object, std::string_view name) {
  PyObject* at = object.ptr();
  const bool named =
      PyDict_Check(at) || (PyMapping_Check(at) && attribute(at, "keys") && !attribute(at, "iloc"));
  if (named || PyUnicode_Check(at) || PyBytes_Check(at) || PySequence_Check(at) == 0) {
    type_error(std::string(name) + " is a " + type_name(at) + ", and a list was expected");
  }
  if (!attribute(at, "iloc")) return object;
  // Of pandas, whose [n] is a label and not a place.
  PyObject* list = PySequence_List(at);
  if (list == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(list);
}

std::string SequenceForm::words() const {
  const auto columns = [](std::size_t n) { return std::to_string(n) + " columns"; };
  if (sparse && dense) {
    return "a pair of matrices, sparse of " + columns(*sparse) + " and dense of " + columns(*dense);
  }
  if (sparse) return "a sparse matrix of " + columns(*sparse);
  if (dense) return "an array of " + columns(*dense);
  return "a list of positions";
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
  type_error(where + " is a " + type_name(object) + ", and a str was expected");
}

std::string SequenceReader::sequence_name() const {
  return index_ ? name_ + "[" + std::to_string(*index_) + "]" : name_;
}

std::string SequenceReader::where() const {
  return sequence_name() + "[" + std::to_string(position_) + "]";
}

void SequenceReader::read(py::handle sequence, std::optional<std::size_t> index,
                          InputSequence& out) {
  index_ = index;
  position_ = 0;
  out.rows.clear();
  out.text.clear();
  out.rows.first_line = out.text.first_line = 1;
  out.single = texts_ && (PyUnicode_Check(sequence.ptr()) || PyBytes_Check(sequence.ptr()));
  if (out.single) {
    out.document.text = text_of(sequence.ptr(), sequence_name());
    out.document.line = 1;
    out.text.node.end_list();
    length_ = 1;
  } else if (rows_) {
    read_rows(sequence.ptr(), out.rows);
  } else if (py::isinstance<Items>(sequence)) {
    out.text.node = sequence.cast<const Items&>().text.node;
    length_ = out.text.length();
  } else if (!read_arrays(sequence.ptr(), out.text)) {
    read_items(sequence.ptr(), out.text.node);
  }
}

void SequenceReader::check_form(const SequenceForm& form) {
  if (!form_) form_ = form;
  if (form == *form_ || (length_ == 0 && !form.matrices())) return;
  value_error(
      sequence_name() + " is " + form.words() + ", and " +
      (expected_by_model_ ? "the model was trained on such as " : "the first sequence is ") +
      form_->words());
}

void SequenceReader::read_rows(PyObject* sequence, ColumnSequence& out) {
  const std::string name = sequence_name();
  const Elements rows(sequence, name, "a list of rows");
  length_ = rows.size();
  for (position_ = 0; position_ < rows.size(); ++position_) {
    const py::object row = rows[position_];
    if (PyUnicode_Check(row.ptr())) {  // one cell
      out.append_cell(text_of(row.ptr(), name));
    } else {
      const Elements cells(row.ptr(), name_, "a row of str");
      for (std::size_t k = 0; k < cells.size(); ++k) {
        const py::object cell = cells[k];
        out.append_cell(text_of(cell.ptr(), PyUnicode_Check(cell.ptr()) ? name : where()));
      }
    }
    out.end_row();
  }
}

void SequenceReader::read_items(PyObject* sequence, StringLists& out) {
  const Elements items(sequence, sequence_name(), "a list with the attributes of each position");
  length_ = items.size();
  if (length_ > 0) check_form({});
  for (position_ = 0; position_ < items.size(); ++position_) {
    add_position(items[position_].ptr(), out);
    out.end_list();
  }
}

void SequenceReader::add_position(PyObject* item, StringLists& out) {
  prefix_.clear();
  depth_ = 0;
  if (PyDict_Check(item)) {
    add_members(item, out);
  } else if (PyList_Check(item) || PyTuple_Check(item) || is_set(item) || PyDictKeys_Check(item)) {
    add_members(item, out);
  } else if (!PyUnicode_Check(item) && attribute(item, "keys")) {  // another mapping
    const py::dict members;
    if (PyDict_Update(members.ptr(), item) != 0) throw py::error_already_set();
    add_members(members.ptr(), out);
  } else {
    type_error(where() + " is a " + type_name(item) +
               ", and a dict or a list of the position's attributes was expected");
  }
}

// Those of a dict (key and value), or of a list or set (each with the value 1), under prefix_.
void SequenceReader::add_members(PyObject* members, StringLists& out) {
  constexpr int kDeepest = 100;
  if (++depth_ > kDeepest) {
    value_error(where() + " is nested more than " + std::to_string(kDeepest) + " deep");
  }
  const auto kept = py::reinterpret_borrow<py::object>(members);
  if (PyDict_Check(members)) {
    PyObject *key = nullptr, *value = nullptr;
    const Py_ssize_t size = PyDict_GET_SIZE(members);
    for (Py_ssize_t at = 0; PyDict_Next(members, &at, &key, &value);) {
      add_member(key, value, out);
      if (PyDict_GET_SIZE(members) != size) fail_changed(where());
    }
  } else if (is_set(members)) {
    for (const std::string& text : sorted_texts(members, where())) {
      out.bytes() += prefix_;
      out.append(text);
    }
  } else {
    const Elements list(members, where(), "a list of attributes");
    for (std::size_t k = 0; k < list.size(); ++k) {
      const py::object item = list[k];
      if (PyDict_Check(item.ptr()) && !prefix_.empty()) {
        add_members(item.ptr(), out);
        continue;
      }
      out.bytes() += prefix_;
      append_text(item.ptr(), out.bytes());
      out.end_item();
    }
  }
  --depth_;
}

void SequenceReader::append_text(PyObject* text, std::string& out) const {
  // The common case without the cost of saying where.
  if (PyUnicode_Check(text) && PyUnicode_IS_COMPACT_ASCII(text)) {
    out.append(static_cast<const char*>(PyUnicode_DATA(text)),
               static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)));
  } else {
    out += text_of(text, where());
  }
}

void SequenceReader::add_member(PyObject* key, PyObject* value, StringLists& out) {
  if (PyUnicode_Check(value) || PyBytes_Check(value)) {
    out.bytes() += prefix_;
    append_text(key, out.bytes());
    out.bytes() += ':';
    append_text(value, out.bytes());
    out.end_item();
    return;
  }
  if (PyDict_Check(value) || PyList_Check(value) || PyTuple_Check(value) || is_set(value)) {
    const std::size_t outer = prefix_.size();
    append_text(key, prefix_);
    prefix_ += ':';
    add_members(value, out);
    prefix_.resize(outer);
    return;
  }
  out.bytes() += prefix_;
  append_text(key, out.bytes());
  add_number(PyFloat_CheckExact(value) ? PyFloat_AS_DOUBLE(value) : number_of(key, value), out);
}

// Both are kept: the value's __float__ may take them out of the dict.
double SequenceReader::number_of(PyObject* key, PyObject* value) const {
  const auto key_kept = py::reinterpret_borrow<py::object>(key);
  const auto value_kept = py::reinterpret_borrow<py::object>(value);
  const double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred() != nullptr) {
    forget_failure();
    type_error(where() + "[" + py::repr(key).cast<std::string>() + "] is a " + type_name(value) +
               ", and a number, a str, or a dict, list or set of these was expected");
  }
  return number;
}

void SequenceReader::add_number(double value, StringLists& out) {
  if (!std::isfinite(value)) {
    value_error(where() + " has an attribute with the value " + std::to_string(value) +
                "; values must be finite");
  }
  out.end_item(value);
}

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
  for (position_ = 0; position_ < length_; ++position_) {
    for (const auto& part : matrices) {
      const auto add = [&](char kind, std::size_t j, double value) {
        out.node.bytes() += column_name(kind, j);
        add_number(value, out.node);
      };
      if (part->dense) {
        for (std::size_t j = 0; j < part->dense->size(1); ++j) {
          const double value = part->dense->at(position_, j);
          if (value != 0) add('d', j, value);
        }
        continue;
      }
      const auto end = static_cast<std::size_t>(part->begin->at(position_ + 1));
      for (auto k = static_cast<std::size_t>(part->begin->at(position_)); k < end; ++k) {
        add('x', static_cast<std::size_t>(part->column->at(k)), part->value->at(k));
      }
    }
    out.node.end_list();
  }
  return true;
}

void SequenceReader::read_labels(py::handle labels, std::string_view y_name,
                                 TextSequence& out) const {
  const std::string name = std::string(y_name) + "[" + std::to_string(index_.value_or(0)) + "]";
  const Elements list(labels.ptr(), name, "a list with a label for each position");
  if (list.size() != length_) {
    value_error(name + " has " + std::to_string(list.size()) + " labels and " + sequence_name() +
                " has " + std::to_string(length_) + " positions");
  }
  for (std::size_t t = 0; t < list.size(); ++t) {
    const py::object kept = list[t];
    PyObject* const item = kept.ptr();
    const auto here = [&] { return name + "[" + std::to_string(t) + "]"; };
    const auto append = [&](std::string_view label) {
      if (label.find(kPartial.separator) != label.npos || label.find(kPartial.any) != label.npos) {
        value_error(here() + " has the byte 1E or 1F, which no label may have");
      }
      out.labels.bytes() += label;
    };
    if (PyUnicode_Check(item)) {
      append(text_of(item, name));
    } else if (item == Py_None) {
      out.labels.bytes() += kPartial.any;
    } else if (is_set(item) || PyTuple_Check(item) || PyList_Check(item)) {
      const py::object ordered = is_set(item)
                                     ? py::reinterpret_steal<py::object>(PySequence_List(item))
                                     : py::reinterpret_borrow<py::object>(item);
      if (is_set(item)) ordered.attr("sort")();
      const Elements several(ordered.ptr(), here(), "labels");
      if (several.size() == 0) value_error(here() + " is empty; write None where nothing is known");
      for (std::size_t k = 0; k < several.size(); ++k) {
        if (k > 0) out.labels.bytes() += kPartial.separator;
        append(text_of(several[k].ptr(), here()));
      }
    } else {
      type_error(here() + " is a " + type_name(item) +
                 ", and a str was expected (or None, or a set of str)");
    }
    out.labels.end_item();
  }
  out.labels.end_list();
}

// --- What trainers ask, beside reading ---------------------------------------------------------

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

std::size_t count_columns(const py::object& x) {
  for (std::size_t n = 0; n < py::len(x); ++n) {
    const py::object rows = x[py::int_(n)];
    if (py::len(rows) == 0) continue;
    const py::object row = rows[py::int_(0)];
    const std::size_t cells = py::isinstance<py::str>(row) ? 1 : py::len(row);
    if (cells == 0) value_error("X[" + std::to_string(n) + "][0] has no cell");
    return cells;
  }
  return 0;
}

void check_columns(const ColumnSequence& rows, std::size_t n, std::size_t expected) {
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    if (rows.columns(t) == expected) continue;
    throw py::value_error("X[" + std::to_string(n) + "][" + std::to_string(t) + "] has " +
                          std::to_string(rows.columns(t)) + " cells, and the first row has " +
                          std::to_string(expected));
  }
}

double weight_of(const py::object& weights, std::size_t n) {
  const py::object given = weights[py::int_(n)];
  const double value = PyFloat_AsDouble(given.ptr());
  if (PyErr_Occurred() != nullptr) {
    forget_failure();
    throw py::value_error("sample_weight[" + std::to_string(n) + "] is " +
                          py::repr(given).cast<std::string>() + ", and a number was expected");
  }
  if (value >= 0 && value <= 1e15) return value;
  throw py::value_error("sample_weight[" + std::to_string(n) + "] is " + std::to_string(value) +
                        "; weights must be finite, and not below 0");
}

void describe_form(const std::optional<SequenceForm>& form, Json& record) {
  if (!form || !form->matrices()) return;
  Json& columns = record["matrix_columns"] = Json::object();
  if (form->sparse) columns["sparse"] = *form->sparse;
  if (form->dense) columns["dense"] = *form->dense;
}

void bind_sequences(py::module_& module) {
  py::class_<Items>(module, "Items", "Attributes of a sequence, read once.")
      .def(py::init([](const py::object& sequence) {
             SequenceReader reader(false, "sequence");
             InputSequence read;
             reader.read(sequence, std::nullopt, read);
             return Items{std::move(read.text)};
           }),
           py::arg("sequence"))
      .def("__len__", [](const Items& self) { return self.text.length(); })
      .def("items", [](const Items& self) {
        py::list all;
        const StringLists& lists = self.text.node;
        for (std::size_t t = 0, k = 0; t < lists.lists(); ++t) {
          py::dict position;
          for (; k < lists.list_end(t); ++k) position[str_of(lists.item(k))] = lists.value(k);
          all.append(std::move(position));
        }
        return all;
      });
}

}  // namespace croft::python
