#include "train/weight_prior.h"

#include <algorithm>
#include <cmath>

namespace croft {

std::vector<double> prior_scale(const ChainLayout& layout, std::span<const double> variance) {
  std::vector<double> scale(layout.dimension(), 1.0);
  std::size_t next = 0;
  for (const RowLayout* rows : {&layout.tied, &layout.node, &layout.edge}) {
    for (std::size_t row = 0; row < rows->rows(); ++row) {
      const auto first = scale.begin() + static_cast<std::ptrdiff_t>(rows->begin[row]);
      std::fill_n(first, rows->length(row), std::sqrt(variance[next++]));
    }
  }
  return scale;
}

}  // namespace croft
