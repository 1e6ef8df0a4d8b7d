// Labels for sequences, with the probabilities that were asked for.
#pragma once
#include <vector>

#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "croft/model/chain_model.h"

namespace croft {

struct TagOptions {
  bool probability = false;  // of the labelling
  bool marginals = false;    // p(y_t = j | x) of every position and label
};

struct Tagging {
  std::vector<Label> y;        // [T] the best labelling
  double log_probability = 0;  // log p(y | x), with options.probability or .marginals
  double log_partition = 0;    // log Z, likewise
  Matrix<double> marginals;    // [T][L], with options.marginals
};

// One a thread; the model is shared.  Viterbi runs in single precision; whatever is reported as a
// number is computed in double.
class Tagger {
 public:
  explicit Tagger(const ChainModel& model) : model_(model) {}

  // Valid until the next call.  Cost O(T L^2), and a look-up for each attribute.
  const Tagging& tag(const TextSequence& sequence, const TagOptions& options);

  // -log p(gold | x) of the sequence last tagged with options.probability; +inf where a gold label is
  // unknown to the model or forbidden.
  double negative_log_probability(const std::vector<Label>& gold) const;

 private:
  const ChainModel& model_;
  Tagging tagging_;
  ChainModel::Scratch scratch_;
  ChainScores<float> scores_;
  ChainScores<double> wide_;
  ViterbiWorkspace<float> viterbi_;
  ViterbiWorkspace<double> wide_viterbi_;
  ForwardBackwardWorkspace<double> sums_;
};

}  // namespace croft
