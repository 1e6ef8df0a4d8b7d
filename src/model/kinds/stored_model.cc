#include "model/kinds/stored_model.h"

#include "core/json.h"
#include "model/file/record.h"

namespace croft {

StoredModel::StoredModel(Container container)
    : container_(std::move(container)),
      meta_(std::make_shared<Json>(parse_json_or_null(container_.text("meta")))) {
  kind_ = record().at("kind").text();
  if (const auto training = record().find("training")) training->object();
}

Record StoredModel::record() const { return {container_, "meta", *meta_}; }

}  // namespace croft
