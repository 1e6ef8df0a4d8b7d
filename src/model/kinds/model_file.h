// The kinds of model that there are files of, and a model of any kind from its file.
#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "model/kinds/chain_model.h"

namespace croft {

struct ModelKind {
  std::string_view name;  // as files have it
  std::shared_ptr<const StoredModel> (*read)(Container container);
  // Why what only a chain's weights can answer is not to be had of it: the end of a sentence whose
  // subject is the model, with a blank before it, or something that is said beside it.  Empty of
  // chains.
  Message no_chain;
};
std::span<const ModelKind> model_kinds();

// Maps the file and reads it as the kind that it says it is.  Throws Error as Container::open, and
// for a kind that is not known.
std::shared_ptr<const StoredModel> read_stored_model(Container container);
// The same of a kind that labels sequences.  Throws Error for one of kind graph.
std::shared_ptr<const SequenceModel> open_model(const std::filesystem::path& path);
std::shared_ptr<const SequenceModel> read_model(Container container);

// The model as one of a class; null where it is none.
template <class Model>
const Model* as(const StoredModel& model) {
  return dynamic_cast<const Model*>(&model);
}

// The same model, for what only weights can answer.  Throws UsageError where it is of another kind:
//   answer : what cannot be had of it, as in "an explanation"
const ChainModel& require_chain(const SequenceModel& model, std::string_view answer);

}  // namespace croft
