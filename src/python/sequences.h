// Python's sequences as the library's: strings, numbers and arrays become attributes with values.
//
//   position        dict      key -> number (or bool): attribute `key` with that value
//                             key -> str: `key:str`;  key -> dict, list or set: `key:` and what is
//                             in it
//                   list, tuple, set of str: each an attribute of value 1 (a set: in sorted order)
//   array sequence  CSR matrix [T][F] -> `x[j]`;  float array [T][D] -> `d[j]` where it is not 0;
//                   a tuple of such -> both
//   rows            list of rows of str, for a model of columns
//   text            str, for a model of texts: a sequence of one position
// All functions need the GIL.  They throw TypeError or ValueError that say where: X[3][5].
#pragma once
#include <pybind11/pybind11.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/label/sequence_source.h"
#include "features/chain_data.h"

namespace croft {
class Json;
}

namespace croft::python {

inline constexpr std::string_view kTrainingName = "X", kHoldoutName = "X_dev";

// What stands for labels that are not known, or not exactly: bytes that no label may have.
inline const PartialLabels kPartial{.separator = '\x1f', .any = "\x1e"};

// What the sequences of a call are: named attributes, or matrices with so many columns.
struct SequenceForm {
  std::optional<std::size_t> sparse, dense;  // columns; none: there is no such matrix
  bool matrices() const { return sparse || dense; }
  std::string words() const;  // "an array of 6 columns", …
  bool operator==(const SequenceForm&) const = default;
};

// `object` as something that [n] indexes by position; throws TypeError for what is no list.
pybind11::object positional(const pybind11::object& object, std::string_view name);

// A sequence that was read once, to be used often.
struct Items {
  TextSequence text;
};

// Throws what a signal handler of Python's does; after Ctrl-C that is KeyboardInterrupt.
void check_signals();

// Of lists of sequences of rows: the cells of the first row of all, and that those of X[n] have as
// many.
std::size_t count_columns(const pybind11::object& x);
void check_columns(const ColumnSequence& rows, std::size_t n, std::size_t expected);

// sample_weight[n]: finite, and not below 0.
double weight_of(const pybind11::object& weights, std::size_t n);

// So that matrices of another width are noticed in prediction.
void describe_form(const std::optional<SequenceForm>& form, Json& record);

class SequenceReader {
 public:
  // rows : of cells, for columns; false: of attributes
  // name : of the argument, for messages
  SequenceReader(bool rows, std::string_view name) : rows_(rows), name_(name) {}

  // A str, or bytes, is then a sequence: the text of one position.
  void accept_texts() { texts_ = true; }

  // Overwrites `out`: its rows, its document (and `single` is set), or its text without labels.
  //   index : of the sequence in the argument; none: it is the argument
  void read(pybind11::handle sequence, std::optional<std::size_t> index, InputSequence& out);
  // All sequences have one form: that of the first, or one set before.  None for rows, and before.
  const std::optional<SequenceForm>& form() const { return form_; }
  void expect(const SequenceForm& form) {
    form_ = form;
    expected_by_model_ = true;
  }
  // Labels of the sequence last read, by kPartial: a str; None (not known); a set, list or tuple of
  // str (one of them).  y_name : of the argument.
  void read_labels(pybind11::handle labels, std::string_view y_name, TextSequence& out) const;
  // Of the sequence last read.
  std::size_t length() const { return length_; }
  std::string sequence_name() const;  // "X[3]"

 private:
  void read_rows(PyObject* sequence, ColumnSequence& out);
  void check_form(const SequenceForm& form);
  void read_items(PyObject* sequence, StringLists& out);
  bool read_arrays(PyObject* sequence, TextSequence& out);
  void add_position(PyObject* item, StringLists& out);
  void add_member(PyObject* key, PyObject* value, StringLists& out);
  void add_members(PyObject* members, StringLists& out);
  double number_of(PyObject* key, PyObject* value) const;
  void add_number(double value, StringLists& out);
  void append_text(PyObject* text, std::string& out) const;
  std::string where() const;                               // "X[3][5]"
  std::string_view column_name(char kind, std::size_t j);  // until the next call

  bool rows_, texts_ = false;
  std::string name_;
  std::optional<std::size_t> index_;
  std::size_t position_ = 0, length_ = 0;
  std::optional<SequenceForm> form_;
  bool expected_by_model_ = false;
  std::string prefix_;  // of nested members
  int depth_ = 0;       // of them
  std::vector<std::string> sparse_names_, dense_names_;
  std::string far_name_;
};

// The bytes of a str (UTF-8) or bytes object; throws TypeError naming `where` for anything else.
std::string_view text_of(PyObject* object, const std::string& where);

}  // namespace croft::python
