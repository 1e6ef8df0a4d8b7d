// What Python asks of each sequence.
#pragma once
#include <pybind11/pybind11.h>

#include "croft/app/tagging.h"

namespace croft::python {

struct Questions {
  TagOptions ask;
  bool log_likelihood = false;  // of given labels

  // Whether nothing but labels is asked.
  bool only_labels() const;
};

// Of a dict name -> value; the names are those of the answers.  Throws TypeError for others,
// ValueError for values that are none.
Questions read_questions(const pybind11::dict& dict);

}  // namespace croft::python
