// What inspect says of a model's feature kit.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "croft/features/feature_kit.h"

namespace croft {

// Of each feature its kind, name, columns and resources.
nlohmann::json kit_json(const FeatureKit& kit);
void append_kit(std::string& out, const FeatureKit& kit);

}  // namespace croft
