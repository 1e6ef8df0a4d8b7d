// A feature kit as a model file keeps it: the section kit says what is computed, and further ones
// hold the resources.  docs/format.md.
#pragma once
#include <memory>
#include <string_view>

#include "features/kit/feature_kit.h"
#include "model/file/container.h"

namespace croft {

// Required where there is one: who does not know it would label by half of the features.
inline constexpr std::string_view kKitSection = "kit";

void write_kit_sections(const FeatureKit& kit, ContainerWriter& out);

// The inverse, with views into the container; null where it has no kit.  Throws Error where the
// file is damaged.
std::shared_ptr<const FeatureKit> read_kit(const Container& container);

}  // namespace croft
