// A model of any kind from its file.
#pragma once
#include <filesystem>
#include <memory>

#include "model/kinds/sequence_model.h"

namespace croft {

// Maps the file and reads it as the kind that it says it is.  Throws Error as Container::open, and
// for a kind that is not known.
std::shared_ptr<const SequenceModel> open_model(const std::filesystem::path& path);
std::shared_ptr<const SequenceModel> read_model(Container container);

}  // namespace croft
