// A trained model as Python sees it.
#pragma once
#include <pybind11/pybind11.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/kinds/chain_model.h"
#include "model/kinds/model_file.h"
#include "python/read/sequences.h"

namespace croft::python {

// Bytes that are not UTF-8 become lone surrogates, as Python has them in file names.
pybind11::str str_of(std::string_view bytes);

// What a model file holds, from Python and to it.
Container container_of(const pybind11::bytes& data, const std::string& name);
pybind11::bytes python_bytes(std::span<const std::byte> bytes);
// The file appears whole or not at all.
void save_file(std::span<const std::byte> bytes, const std::filesystem::path& path);

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

  // Reads its sequences from an argument of this name.
  SequenceReader reader(std::string_view name) const;
  // Of a sequence whose `beside` is not filled: it is a document by itself.
  void complete_document(ColumnSequence& rows) const;
  // input.text, without its labels, from what the reader read.
  void extract(InputSequence& input, Extractor::Scratch& scratch, const std::string& name) const;

  // The same, where it has weights.  Throws Error where it has none.
  const ChainModel& chain() const { return require_chain(*model, "a list of weights"); }

  // Whether the score of a label at a position is the sum of the weights of the attributes that the
  // position is given, and of nothing else.
  bool sums_given_attributes() const;

  std::shared_ptr<const SequenceModel> model;  // of any kind
};

// [sequences] what documents say of the words of `x`, a list of sequences of rows that stand one
// after the other (app/label/documents.h).
std::vector<StringLists> beside_of(const SequenceModel& first, const DocumentPass& pass,
                                   const pybind11::object& x, std::string_view name,
                                   std::size_t threads = 1);

// The columns of a matrix, for a model that the program trained on rows: its attributes but the
// intercept in the order of its data's columns, that of a table's header; of svmlight's indices;
// where the data has no order, that of their bytes.
//   attributes : of the model, in any order
// Throws Error, naming the file, where columns of a table are more than their numbers: categorical
// or standardised.
std::vector<std::string> column_names(const SequenceModel& model,
                                      std::vector<std::string> attributes);

}  // namespace croft::python
