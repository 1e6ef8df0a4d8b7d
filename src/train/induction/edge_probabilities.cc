#include "train/induction/edge_probabilities.h"

#include "croft/inference/chain_posterior.h"

namespace croft {

EdgeProbabilities::EdgeProbabilities(const ChainData& data, const ChainLayout& layout,
                                     std::span<const double> w, ThreadPool& pool)
    : data_(data), scorer_(layout) {
  scorer_.set_weights(w, pool);
}

void EdgeProbabilities::visit(std::size_t n, std::span<const std::uint32_t> positions,
                              Scratch& scratch, const Visit& visit) const {
  if (positions.empty()) return;
  scorer_.score(data_, n, scratch.scores);
  scratch.state.reshape(scratch.scores.length(), scratch.scores.labels());
  marginals<double>(scratch.scores, 1, scratch.work, {scratch.state.row(0), nullptr, nullptr});
  const ChainPosterior<double> posterior{scratch.scores, scratch.work, scratch.state.row(0)};
  for (std::size_t k = 0; k < positions.size(); ++k) {
    edge_marginals(posterior, positions[k] - data_.sequence_begin[n], scratch.pairs);
    visit(k, scratch.pairs);
  }
}

}  // namespace croft
