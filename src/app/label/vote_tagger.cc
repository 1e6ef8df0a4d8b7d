#include "app/label/vote_tagger.h"

#include <limits>

namespace croft {

bool VoteTagger::count(const ChainModel& model, const TextSequence& text,
                       const ChainScores<float>& limits, Matrix<double>& votes) {
  const LabelHistories* histories = model.histories();
  if (histories != nullptr) histories_.emplace(*histories);
  votes.assign(text.length(), model.labels(), 0.0);
  y_.assign(text.length(), 0);
  scores_.start(model, text, limits);
  while (scores_.next()) {
    const ChainScores<float>* chain = &scores_.scores();
    if (histories != nullptr) {
      if (scores_.grams_changed()) histories_->assign(*limits.transitions, scores_.grams());
      histories_->lift(*chain, lifted_);
      chain = &lifted_;
    }
    if (viterbi<float>(*chain, viterbi_, y_) == -std::numeric_limits<double>::infinity()) {
      return false;  // the limits are the same for all
    }
    const auto of_these = static_cast<double>(scores_.votes());
    for (std::size_t t = 0; t < y_.size(); ++t) {
      votes(t, histories != nullptr ? histories->label_of[y_[t]] : y_[t]) += of_these;
    }
  }
  return true;
}

}  // namespace croft
