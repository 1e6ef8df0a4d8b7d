// Labels by vote among the weight vectors of a voted perceptron.
//
// Each vector votes with its best labelling, and each position takes the label with the most votes
// there, the smaller one among equals.  So the vote is by position: no vector need have proposed
// the whole.  Where a constraint or label histories limit what there is, each vector proposes an
// allowed labelling, and of these limits' labellings the one is taken whose labels have the most
// votes together.
#pragma once
#include <optional>

#include "app/label/tag_plan.h"
#include "croft/inference/chain_viterbi.h"
#include "model/kinds/voted_scores.h"

namespace croft {

// One a thread.
class VoteTagger {
 public:
  // votes(t, j) of all vectors: [T][L].  False where no labelling is allowed.
  //   limits : as TagPlan::score() has them for the plan's model, which has a vote
  // Cost: a Viterbi for each vector that scores the sequence in a way of its own, that is, for
  // nearly all of them, as most change transitions.
  bool count(const ChainModel& model, const TextSequence& text, const ChainScores<float>& limits,
             Matrix<double>& votes);

 private:
  VotedScores scores_;
  std::optional<HistoryScores<float>> histories_;
  ChainScores<float> lifted_;
  ViterbiWorkspace<float> viterbi_;
  std::vector<Label> y_;
};

}  // namespace croft
