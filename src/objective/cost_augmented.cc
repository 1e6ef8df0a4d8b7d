#include "objective/cost_augmented.h"

#include "structure/copy_scores.h"

namespace croft {

template <class Real>
void CostAugmenter::operator()(const ChainScores<Real>& scores, const Gold& gold,
                               ChainScores<Real>& out) {
  copy_tables(scores, out);
  out.transitions = scores.transitions;
  row_.resize(cost_->labels());
  for (std::size_t t = 0; t < scores.length(); ++t) {
    Real* state = out.state.row(t);
    if (label_of_.empty() && is_one_label(gold.known[t])) {
      const double* row = cost_->table.row(gold.known[t]);
      for (std::size_t j = 0; j < row_.size(); ++j) state[j] += static_cast<Real>(row[j]);
      continue;
    }
    if (label_of_.empty()) {
      position_cost(*cost_, gold, t, row_);
      for (std::size_t j = 0; j < row_.size(); ++j) state[j] += static_cast<Real>(row_[j]);
      continue;
    }
    fitting_.clear();
    for (const Label s : gold.labels(t)) {
      if (fitting_.empty() || fitting_.back() != label_of_[s]) fitting_.push_back(label_of_[s]);
    }
    position_cost(*cost_, fitting_, row_);
    for (std::size_t s = 0; s < label_of_.size(); ++s) {
      state[s] += static_cast<Real>(row_[label_of_[s]]);
    }
  }
}

template void CostAugmenter::operator()(const ChainScores<float>&, const Gold&,
                                        ChainScores<float>&);
template void CostAugmenter::operator()(const ChainScores<double>&, const Gold&,
                                        ChainScores<double>&);

}  // namespace croft
