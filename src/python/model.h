// A trained model as Python sees it.
#pragma once
#include <pybind11/pybind11.h>

#include <memory>

#include "croft/model/chain_model.h"
#include "python/sequences.h"

namespace croft::python {

// Immutable, and so is what it hands out.
struct PythonModel {
  explicit PythonModel(std::shared_ptr<const ChainModel> chain) : model(std::move(chain)) {}
  explicit PythonModel(Container container)
      : model(std::make_shared<const ChainModel>(std::move(container))) {}

  bool rows() const { return model->extractor().config().format == InputFormat::columns; }
  // Cells of a row without its label; 0 for attributes.
  std::size_t columns() const { return model->extractor().config().columns; }
  // Of the sequences that it was trained on, where these are not rows.
  SequenceForm form() const;

  std::shared_ptr<const ChainModel> model;
};

}  // namespace croft::python
