// What inspect says of a model's feature kit.
#pragma once
#include <string>

#include "features/kit/feature_kit.h"
#include "model/kinds/sequence_model.h"

namespace croft {
class Json;

// Of each feature its kind, name, columns and resources.
Json kit_json(const FeatureKit& kit);
void append_kit(std::string& out, const FeatureKit& kit);
// Of models whose summary shows the record of their extraction: document["extraction"]["kit"], and
// the lines for people.  Nothing without a kit.
void add_kit(const SequenceModel& model, Json& document);
std::string kit_lines(const SequenceModel& model);

}  // namespace croft
