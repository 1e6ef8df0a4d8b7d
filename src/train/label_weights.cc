#include "train/label_weights.h"

#include <algorithm>

namespace croft {
namespace {

std::vector<double> balanced_weights(const ChainData& data, std::size_t labels) {
  std::vector<double> count(labels, 0.0);
  for (const Label y : data.label) ++count[y];
  const auto seen = std::ranges::count_if(count, [](double n) { return n > 0; });
  const double share = static_cast<double>(data.sequences()) / static_cast<double>(seen);
  for (double& n : count) n = n > 0 ? share / n : 1;
  return count;
}

}  // namespace

void weigh_by_label(const LabelWeights& weights, std::span<const std::string_view> names,
                    ChainData& data) {
  const std::vector<double> of_label =
      weights.file ? weights_of(*weights.file, names) : balanced_weights(data, names.size());
  data.weight.resize(data.sequences(), 1.0);
  for (std::size_t n = 0; n < data.sequences(); ++n) data.weight[n] *= of_label[data.label[n]];
}

}  // namespace croft
