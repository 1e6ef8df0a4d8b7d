// What one thread remembers of one model that scores sequences as they were read.
#pragma once
#include <optional>
#include <type_traits>

#include "model/rows/attribute_rows.h"
#include "model/rows/line_sums.h"
#include "model/rows/template_rows.h"
#include "model/rows/weight_rows.h"

namespace croft {

// What scores are summed up of, in one precision.
template <class Real>
struct NodeSums {
  explicit NodeSums(const FeatureTable& node) : weights(node) {}
  WeightRows<Real> weights;
  LineSums<Real> lines;
};

struct ReadScratch {
  std::optional<TemplateRows> node, edge;
  std::optional<AttributeRows> lines;
  std::optional<NodeSums<float>> single_sums;
  std::optional<NodeSums<double>> double_sums;

  //   table : of the model's nodes
  template <class Real>
  NodeSums<Real>& sums(const FeatureTable& table) {
    const auto of = [&](auto& sums) -> auto& {
      if (!sums) sums.emplace(table);
      return *sums;
    };
    if constexpr (std::is_same_v<Real, float>) {
      return of(single_sums);
    } else {
      return of(double_sums);
    }
  }
};

}  // namespace croft
