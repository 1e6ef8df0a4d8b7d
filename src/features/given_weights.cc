#include "features/given_weights.h"

namespace croft {

GivenWeights::GivenWeights(std::span<const GivenWeight> weights) {
  for (const GivenWeight& each : weights) {
    const std::uint32_t id = names_.insert(each.feature);
    if (id == weights_.size()) weights_.emplace_back();
    weights_[id].push_back({each.cell, each.weight});
  }
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
