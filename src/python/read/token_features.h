// A function of a token, told once: what it says of a token is read once, and its attributes' rows
// in a model are kept.  croft.FeatureFunction is Python's side.
#pragma once
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/label/known_attributes.h"
#include "python/model.h"
#include "python/read/attribute_memo.h"
#include "python/read/position_reader.h"

namespace croft::python {

// Of one function and one model.  Keeps neither the function alive, which may refer to whatever
// refers to this, nor tokens but str and tuples of str, which no method of the caller's compares.
class TokenFeatures {
 public:
  // before, after : what stands before the names of the attributes of neighbours, the nearest first
  // first, last   : attributes of the first and the last token, as a position's; or None
  // marked        : whether neighbours have these as well
  // Throws ValueError for a model whose scores are no sums of rows.
  TokenFeatures(std::shared_ptr<PythonModel> model, const pybind11::list& before,
                const pybind11::list& after, const pybind11::object& first,
                const pybind11::object& last, bool marked);

  // Appends a list for each token.
  //   place        : of the sequence; its position is moved
  //   f, neighbour : what a token says of itself, and of its neighbours
  void read(PyObject* tokens, const pybind11::object& f, const pybind11::object& neighbour,
            InputPlace& place, FoundRows& out);

  const PythonModel& model() const { return *model_; }
  const KnownAttributes& attributes() const { return attributes_; }  // of all tokens so far

 private:
  // A list for each role: what a token says of itself, of the token behind it, ...
  using Said = std::shared_ptr<const FoundRows>;

  Said of_token(const pybind11::object& token, const pybind11::object& f,
                const pybind11::object& neighbour, const InputPlace& place);
  //   own, as_neighbour : objects of positions; the second may be null where there is no neighbour
  Said read_roles(PyObject* own, PyObject* as_neighbour, const InputPlace& place);

  std::shared_ptr<PythonModel> model_;
  std::shared_ptr<AttributeMemo> memo_;
  pybind11::list prefixes_;  // of the roles but the first
  std::size_t before_;       // neighbours; the others are behind
  bool marked_;
  Said first_, last_;
  pybind11::dict number_;   // of a token in said_
  std::vector<Said> said_;  // by number
  std::size_t bytes_ = 0;   // of both
  KnownAttributes attributes_;
};

}  // namespace croft::python
