#include "croft/app/tagger.h"

#include <limits>

namespace croft {

const Tagging& Tagger::tag(const TextSequence& sequence, const TagOptions& options) {
  tagging_.y.resize(sequence.length());
  if (!options.probability && !options.marginals) {
    model_.score(sequence, scratch_, scores_);
    viterbi<float>(scores_, viterbi_, tagging_.y);
    return tagging_;
  }
  model_.score(sequence, scratch_, wide_);
  const double best = viterbi<double>(wide_, wide_viterbi_, tagging_.y);
  if (options.marginals) {
    tagging_.marginals.reshape(sequence.length(), model_.labels());
    tagging_.log_partition =
        croft::marginals<double>(wide_, 1, sums_, {tagging_.marginals.row(0), nullptr, nullptr});
  } else {
    tagging_.log_partition = croft::log_partition(wide_, sums_);
  }
  tagging_.log_probability = std::min(0.0, best - tagging_.log_partition);
  return tagging_;
}

double Tagger::negative_log_probability(const std::vector<Label>& gold) const {
  for (const Label y : gold) {
    if (y >= model_.labels()) return std::numeric_limits<double>::infinity();
  }
  return std::max(0.0, tagging_.log_partition - croft::score<double>(wide_, gold));
}

}  // namespace croft
