// The sequences of a call, as they come, ready to be labelled: attributes as strings, or as the
// rows of a model that they stand for.
#pragma once
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

#include "app/label/known_attributes.h"
#include "model/rows/found_rows.h"
#include "python/model.h"
#include "python/read/attribute_memo.h"
#include "python/read/sequences.h"

namespace croft::python {

class TokenFeatures;

struct PythonSequence {
  InputSequence input;
  FoundRows found;         // the rows of its attributes, which input.text does not have then
  bool looked_up = false;  // whether `found` is there
  std::string name;        // for messages: "X[3]"
};

// Needs the interpreter's lock.
class TagInputs {
 public:
  // x        : positional(), or an iterator
  // features : None; a function that makes a sequence of what is in x; or a tuple of TokenFeatures
  //            of the model, what a token says of itself, and what it says of its neighbours
  // memo     : of the model's node(), which is replaced when it is full; null: attributes are
  //            strings
  TagInputs(const PythonModel& model, const pybind11::object& x, const pybind11::object& features,
            std::shared_ptr<AttributeMemo>* memo);

  std::optional<std::size_t> count() const { return count_; }  // none: of an iterator
  std::size_t index() const { return next_ - 1; }              // of the sequence last read
  // False at the end.
  bool next(PythonSequence& out);
  SequenceReader& reader() { return reader_; }
  // What to say where the model knows no attribute of x.
  std::optional<std::string> warning() const;
  // ... of those that the caller has, of a sequence that was read as strings.
  void look(const PythonSequence& read) { attributes_.look(*model_.model, read.input.text); }

 private:
  pybind11::object next_object();
  void read_tokens(const pybind11::object& tokens, PythonSequence& out);
  void read_positions(const pybind11::object& sequence, PythonSequence& out);

  const PythonModel& model_;
  pybind11::object x_;
  std::optional<std::size_t> count_;
  std::size_t next_ = 0;
  pybind11::object function_, neighbour_;  // none where there is none
  TokenFeatures* tokens_ = nullptr;
  pybind11::object kept_;  // of tokens_
  SequenceReader reader_;
  std::shared_ptr<AttributeMemo>* memo_;
  std::shared_ptr<AttributeMemo> used_;  // of sink_
  std::optional<MemoSink> sink_;
  KnownAttributes attributes_;  // of what was read so far
};

}  // namespace croft::python
