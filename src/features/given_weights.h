// Weights that are not trained: from a clique's features to what its cells score.
//
//   theta_c(y_c) = sum_k x_ck w[k, cell(y_c)],      w given (CliqueTemplate::given)         (GC.3)
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/clique_data.h"

namespace croft {

class GivenWeights {
 public:
  explicit GivenWeights(std::span<const GivenWeight> weights);
  // The number of a feature, kUnknown.
  std::uint32_t find(std::string_view feature);
  // Features that find() was never asked for.
  std::vector<std::string> unseen() const;
  // Cells and their scores, as CliqueData::add_clique() takes those of a template of scores.
  //   features : by the numbers of find()
  void score(std::span<const CliqueFeature> features, std::vector<CliqueFeature>& out) const;

 private:
  StringTable names_;
  std::vector<bool> seen_;                           // [features]
  std::vector<std::vector<CliqueFeature>> weights_;  // [features] of cells
};

}  // namespace croft
