// A trained model as Python sees it.
#pragma once
#include <pybind11/pybind11.h>

#include <memory>

#include "model/kinds/chain_model.h"
#include "model/kinds/model_file.h"
#include "python/sequences.h"

namespace croft::python {

// Immutable, and so is what it hands out.
struct PythonModel {
  explicit PythonModel(std::shared_ptr<const SequenceModel> opened) : model(std::move(opened)) {}
  explicit PythonModel(Container container) : model(read_model(std::move(container))) {}

  bool rows() const { return model->extractor().config().format == InputFormat::columns; }
  bool texts() const { return model->extractor().config().format == InputFormat::text; }
  // Cells of a row without its label; 0 for attributes.
  std::size_t columns() const { return model->extractor().config().columns; }
  // Of the sequences that it was trained on, where these are not rows.
  SequenceForm form() const;

  // The same, where it has weights.  Throws Error where it has none.
  const ChainModel& chain() const { return require_chain(*model, "a list of weights"); }

  std::shared_ptr<const SequenceModel> model;  // of any kind
};

}  // namespace croft::python
