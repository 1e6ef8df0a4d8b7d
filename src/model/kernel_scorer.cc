#include "model/kernel_scorer.h"

#include <algorithm>

namespace croft {

KernelScorer::KernelScorer(const KernelExpansion& expansion)
    : expansion_(expansion), products_(expansion.kernel, expansion.vectors) {}

void KernelScorer::score(const AttributeLists& lists, std::uint64_t first, std::uint64_t last,
                         Matrix<double>& state) const {
  constexpr std::size_t kTogether = 32;  // positions whose products are in memory at a time
  const std::size_t labels = expansion_.coefficients.columns(), vectors = products_.size();
  const std::size_t length = static_cast<std::size_t>(last - first);
  state.assign(length, labels, 0.0);
  Matrix<float> rows(std::min(length, kTogether), vectors);
  std::vector<std::uint64_t> queries;
  std::vector<float*> to;
  for (std::size_t begin = 0; begin < length; begin += kTogether) {
    queries.clear();
    to.clear();
    for (std::size_t t = begin; t < std::min(begin + kTogether, length); ++t) {
      queries.push_back(first + t);
      to.push_back(rows.row(t - begin));
    }
    products_.rows(lists, queries, 0, vectors, to);
    for (std::size_t s = 0; s < vectors; ++s) {
      const float* coefficient = expansion_.coefficients.row(s);
      for (std::size_t k = 0; k < queries.size(); ++k) {
        const double product = double{rows(k, s)};
        double* score = state.row(begin + k);
        for (std::size_t j = 0; j < labels; ++j) score[j] += product * double{coefficient[j]};
      }
    }
  }
}

}  // namespace croft
