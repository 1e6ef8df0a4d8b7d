#include "model/kinds/stored_model.h"

#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/container.h"

namespace croft {

StoredModel::StoredModel(Container container)
    : container_(std::move(container)),
      meta_(std::make_shared<Json>(parse_json_or_null(container_.text("meta")))) {
  const Json* const kind = meta_->is_object() ? meta_->get_if("kind") : nullptr;
  if (kind == nullptr || !kind->is_string()) fail_damaged("meta");
  kind_ = kind->string();
}

void StoredModel::fail_damaged(std::string_view section) const {
  throw Error(container_.name() + ": section " + std::string(section) + std::string(kDamaged));
}

}  // namespace croft
