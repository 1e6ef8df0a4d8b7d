#include "python/read/sequences.h"

#include <cmath>

#include "core/json.h"
#include "data/cell_count.h"
#include "python/bind.h"
#include "python/model.h"
#include "python/read/position_reader.h"

namespace croft::python {

namespace py = pybind11;

std::string SequenceForm::words() const {
  const auto columns = [](std::size_t n) { return std::to_string(n) + " columns"; };
  if (sparse && dense) {
    return "a pair of matrices, sparse of " + columns(*sparse) + " and dense of " + columns(*dense);
  }
  if (sparse) return "a sparse matrix of " + columns(*sparse);
  if (dense) return "an array of " + columns(*dense);
  return "a list of positions";
}

bool SequenceReader::read(py::handle sequence, std::optional<std::size_t> index, InputSequence& out,
                          MemoSink* sink) {
  begin(index, out);
  out.single = texts_ && (PyUnicode_Check(sequence.ptr()) || PyBytes_Check(sequence.ptr()));
  if (out.single) {
    out.document.text = text_of(sequence.ptr(), sequence_name());
    out.document.line = 1;
    set_length(1, out);
  } else if (rows_) {
    read_rows(sequence.ptr(), out.rows);
  } else if (py::isinstance<Items>(sequence)) {
    out.text.node = sequence.cast<const Items&>().text.node;
    length_ = out.text.length();
  } else if (!read_arrays(sequence.ptr(), out.text)) {
    if (sink != nullptr) {
      read_items(sequence.ptr(), *sink);
      set_length(length_, out);
      return true;
    }
    StringSink strings(out.text.node, place_);
    read_items(sequence.ptr(), strings);
  }
  return false;
}

void SequenceReader::begin(std::optional<std::size_t> index, InputSequence& out) {
  place_.index = index;
  place_.position = 0;
  out.rows.clear();
  out.rows.first_line = 1;
  out.single = false;
  set_length(0, out);
}

void SequenceReader::set_length(std::size_t length, InputSequence& out) {
  length_ = length;
  out.text.clear();
  out.text.first_line = 1;
  for (std::size_t t = 0; t < length; ++t) out.text.node.end_list();
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
  const Elements rows(
      sequence, [&] { return name; }, "a list of rows");
  length_ = rows.size();
  const bool lone = length_ == 1 && PyUnicode_Check(py::object(rows[0]).ptr());
  lone_cells_ += lone ? 1 : 0;
  longer_ = longer_ || !lone;
  for (place_.position = 0; place_.position < rows.size(); ++place_.position) {
    const py::object row = rows[place_.position];
    if (PyUnicode_Check(row.ptr())) {  // one cell
      out.append_cell(text_of(row.ptr(), name));
    } else {
      const Elements cells(
          row.ptr(), [&] { return place_.name; }, "a row of str");
      for (std::size_t k = 0; k < cells.size(); ++k) {
        const py::object cell = cells[k];
        out.append_cell(text_of(cell.ptr(), PyUnicode_Check(cell.ptr()) ? name : place_.words()));
      }
    }
    out.end_row();
  }
}

template <class Sink>
void SequenceReader::read_items(PyObject* sequence, Sink& sink) {
  const Elements items(
      sequence, [&] { return sequence_name(); }, "a list with the attributes of each position");
  length_ = items.size();
  if (length_ > 0) check_form({});
  PositionReader<Sink> reader(sink, place_);
  for (place_.position = 0; place_.position < items.size(); ++place_.position) {
    reader.read(items[place_.position].ptr());
    sink.end_position();
  }
}

void SequenceReader::read_labels(py::handle labels, std::string_view y_name,
                                 TextSequence& out) const {
  const std::string name =
      std::string(y_name) + "[" + std::to_string(place_.index.value_or(0)) + "]";
  const Elements list(
      labels.ptr(), [&] { return name; }, "a list with a label for each position");
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
    if (known_labels_ && !PyUnicode_Check(item)) {
      type_error(here() + " is " + a_type(item) +
                 ", and a str was expected: this kind of model needs labels that are known");
    }
    if (PyUnicode_Check(item)) {
      append(text_of(item, name));
    } else if (item == Py_None) {
      out.labels.bytes() += kPartial.any;
    } else if (is_set(item) || PyTuple_Check(item) || PyList_Check(item)) {
      const py::object ordered = is_set(item)
                                     ? py::reinterpret_steal<py::object>(PySequence_List(item))
                                     : py::reinterpret_borrow<py::object>(item);
      if (is_set(item)) ordered.attr("sort")();
      const Elements several(ordered.ptr(), here, "labels");
      if (several.size() == 0) value_error(here() + " is empty; write None where nothing is known");
      for (std::size_t k = 0; k < several.size(); ++k) {
        if (k > 0) out.labels.bytes() += kPartial.separator;
        append(text_of(several[k].ptr(), here()));
      }
    } else {
      const char* const remedy =
          PyIndex_Check(item) == 0
              ? ""
              : "; write numbers as str (scikit-learn's cross_val_predict numbers the labels for "
                "predict_proba: fit and predict_proba on the folds of KFold, one by one)";
      type_error(here() + " is " + a_type(item) +
                 ", and a str was expected (or None, or a set of str)" + remedy);
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
                          cell_count(rows.columns(t)) + ", and the first row has " +
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
