#include "croft/model/model_file.h"

#include "croft/model/chain_model.h"

namespace croft {

std::shared_ptr<const SequenceModel> open_model(const std::filesystem::path& path) {
  return read_model(Container::open(path));
}

std::shared_ptr<const SequenceModel> read_model(Container container) {
  return std::make_shared<const ChainModel>(std::move(container));
}

}  // namespace croft
