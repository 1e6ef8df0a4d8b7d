#include "features/given_weights.h"

namespace croft {

GivenWeights::GivenWeights(std::span<const GivenWeight> weights) {
  for (const GivenWeight& each : weights) {
    const std::uint32_t id = names_.insert(each.feature);
    if (id == weights_.size()) weights_.emplace_back();
    weights_[id].push_back({each.cell, each.weight});
  }
  seen_.resize(weights_.size());
}

std::uint32_t GivenWeights::find(std::string_view feature) {
  const std::uint32_t id = names_.find(feature);
  if (id != kUnknown) seen_[id] = true;
  return id;
}

std::vector<std::string> GivenWeights::unseen() const {
  std::vector<std::string> out;
  for (std::uint32_t id = 0; id < seen_.size(); ++id) {
    if (!seen_[id]) out.emplace_back(names_[id]);
  }
  return out;
}

void GivenWeights::score(std::span<const CliqueFeature> features,
                         std::vector<CliqueFeature>& out) const {
  out.clear();
  for (const CliqueFeature& feature : features) {
    for (const CliqueFeature& each : weights_[feature.id]) {
      out.push_back({each.id, feature.value * each.value});
    }
  }
}

}  // namespace croft
