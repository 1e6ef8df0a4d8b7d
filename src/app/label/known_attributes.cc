#include "app/label/known_attributes.h"

#include "croft/core/error.h"
#include "features/extraction.h"
#include "model/kinds/model_file.h"
#include "model/kinds/naive_bayes_model.h"

namespace croft {
namespace {

bool knows(const SequenceModel& model, std::string_view attribute) {
  const auto has = [&](const FeatureTable& table) {
    return table.names().find(attribute) != kUnknown;
  };
  if (const auto* bayes = as<NaiveBayesModel>(model)) {
    return bayes->find(attribute) != kUnknown;
  }
  const auto* chain = as<ChainModel>(model);
  return chain == nullptr || has(chain->node()) || has(chain->edge());
}

}  // namespace

void KnownAttributes::look(const SequenceModel& model, const TextSequence& text) {
  for (std::size_t k = 0; k < text.node.items() && !known_; ++k) look(model, text.node.item(k));
}

void KnownAttributes::look(const SequenceModel& model, std::string_view attribute) {
  Boundary boundary{};
  std::string_view of_edge;
  if (known_ || model.labels() == 1 || attribute == kIntercept ||
      parse_boundary_name(attribute, boundary, of_edge)) {
    return;
  }
  known_ = knows(model, attribute);
  if (!known_ && !unknown_) unknown_ = attribute;
}

void KnownAttributes::add(const KnownAttributes& other) {
  known_ = known_ || other.known_;
  if (!unknown_) unknown_ = other.unknown_;
}

std::optional<std::string> KnownAttributes::warning(const std::string& data) const {
  if (known_ || !unknown_) return std::nullopt;
  return "the model knows no attribute of " + data + ", the first of which is " +
         in_quotes(*unknown_) + ", and predicts the same whatever they are";
}

}  // namespace croft
