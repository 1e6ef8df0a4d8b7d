// Python's sequences as the library's: strings, numbers and arrays become attributes with values.
//
//   position        a dict, list, tuple or set: position_reader.h
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
#include <vector>

#include "app/label/sequence_source.h"
#include "features/chain_data.h"
#include "python/read/attribute_memo.h"
#include "python/read/objects.h"

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
  SequenceReader(bool rows, std::string_view name) : rows_(rows), place_{std::string(name), {}} {}

  // A str, or bytes, is then a sequence: the text of one position.
  void accept_texts() { texts_ = true; }

  // Overwrites `out`: its rows, its document (and `single` is set), or its text without labels.
  //   index : of the sequence in the argument; none: it is the argument
  //   sink  : takes the attributes of a sequence that is a list of positions, whose text then has
  //           no more than its length; null: none does
  // Returns whether the sink has taken them.
  bool read(pybind11::handle sequence, std::optional<std::size_t> index, InputSequence& out,
            MemoSink* sink = nullptr);
  // read() by another: begin() moves place() to the sequence and empties `out`, set_length() makes
  // its text one of so many positions, of which there is no more.
  void begin(std::optional<std::size_t> index, InputSequence& out);
  InputPlace& place() { return place_; }
  void set_length(std::size_t length, InputSequence& out);
  // All sequences have one form: that of the first, or one set before.  None for rows, and before.
  const std::optional<SequenceForm>& form() const { return form_; }
  void expect(const SequenceForm& form) {
    form_ = form;
    expected_by_model_ = true;
  }
  // Labels of the sequence last read, by kPartial: a str; None (not known); a set, list or tuple of
  // str (one of them).  y_name : of the argument.
  void read_labels(pybind11::handle labels, std::string_view y_name, TextSequence& out) const;
  // From here on every label has to be one str.
  void require_known_labels() { known_labels_ = true; }
  // Of the sequence last read.
  std::size_t length() const { return length_; }
  // How many were read if each of them is a list of one str, which may be meant as a row of one
  // sequence; otherwise 0.
  std::size_t lone_cells() const { return longer_ ? 0 : lone_cells_; }
  std::string sequence_name() const { return place_.sequence(); }

 private:
  void read_rows(PyObject* sequence, ColumnSequence& out);
  void check_form(const SequenceForm& form);
  template <class Sink>
  void read_items(PyObject* sequence, Sink& sink);
  bool read_arrays(PyObject* sequence, TextSequence& out);
  std::string_view column_name(char kind, std::size_t j);  // until the next call

  bool rows_, texts_ = false;
  InputPlace place_;
  std::size_t length_ = 0;
  std::size_t lone_cells_ = 0;  // sequences that are
  bool longer_ = false;         // another one was read
  std::optional<SequenceForm> form_;
  bool expected_by_model_ = false;
  bool known_labels_ = false;
  std::vector<std::string> sparse_names_, dense_names_;
  std::string far_name_;
};

}  // namespace croft::python
