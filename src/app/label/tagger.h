// Labels for sequences, with the answers that were asked for (croft/app/tagging.h).
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "app/label/chunks.h"
#include "app/label/tag_plan.h"
#include "croft/inference/chain_risk.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "model/kinds/voted_scores.h"

namespace croft {

// Labels by vote among the weight vectors of a voted perceptron.
//
// Each vector votes with its best labelling, and each position takes the label with the most votes
// there, the smaller one among equals.  So the vote is by position: no vector need have proposed
// the whole.  Where a constraint or label histories limit what there is, each vector proposes an
// allowed labelling, and of these limits' labellings the one is taken whose labels have the most
// votes together.

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

// One a thread; the plan and its model are shared.  Where the labels alone are wanted, Viterbi runs
// in single precision; whatever is reported as a number is computed in double.
class Tagger {
 public:
  explicit Tagger(const SequenceModel& model)
      : own_(std::make_shared<const TagPlan>(model)), plan_(own_.get()) {}
  explicit Tagger(const TagPlan& plan) : plan_(&plan) {}  // which must outlive it

  // Valid until the next call.  Throws UsageError for what the plan cannot answer, InputError for
  // partial labels that cannot be read.  Cost O(T L^2), and a look-up for each attribute; states of
  // the plan's chain instead of L.
  const Tagging& tag(const TagInput& input, const TagOptions& options);
  const Tagging& tag(const TextSequence& text, const TagOptions& options) {
    return tag(TagInput{text}, options);
  }

  // -log p(gold | x) of the sequence last tagged with options.probability; +inf where a gold label
  // is unknown to the model or forbidden, or its label histories have no path for it.
  double negative_log_probability(const std::vector<Label>& gold) const;

 private:
  void tag_in_float(const TagInput& input);
  void tag_in_double(const TagInput& input, const TagOptions& options);
  void tag_by_vote(const TagInput& input);
  bool has_flat_curves() const;
  void require_probabilities(const TextSequence& text, bool with_marginals) const;
  template <class Real>
  void restrict_to_known(const TagInput& input, ChainScores<Real>& base);
  double sum_up(const ChainScores<double>& chain, bool with_marginals);
  bool decode(const TagInput& input, const ChainScores<double>& chain, const TagOptions& options);
  void set_score(double score);
  bool search(const TagInput& input, const ChainScores<double>& chain);
  bool search_labellings(const ChainScores<double>& chain, const TagOptions& options);
  double decode_risk(const ChainScores<double>& chain);
  void draw(const ChainScores<double>& chain, const TagInput& input, const TagOptions& options);
  void answer(const ChainPosterior<double>& posterior, const TagOptions& options);
  void add_spans(const ChainPosterior<double>& posterior);
  const Matrix<double>& edge_counts(const ChainPosterior<double>& posterior);
  const Matrix<double>& edges_at(const ChainPosterior<double>& posterior, std::size_t t);
  void add_pairs_before(std::size_t t);
  const Matrix<double>& label_pairs(const Matrix<double>& of_states);
  const Matrix<double>& state_marginals() const;

  std::shared_ptr<const TagPlan> own_;
  const TagPlan* plan_;
  Tagging tagging_;
  SequenceModel::Scratch scratch_;
  ChainScores<float> scores_;
  ChainScores<double> wide_;
  LiftedChains<float> lifted_;
  LiftedChains<double> wide_lifted_;
  ViterbiWorkspace<float> viterbi_;
  ViterbiWorkspace<double> wide_viterbi_;
  ForwardBackwardWorkspace<double> sums_;
  RiskWorkspace<double> risk_;
  VoteTagger vote_;
  Matrix<double> votes_;  // [T][L]
  KnownLabels known_;
  Matrix<double> states_;               // [T][states] marginals, where states are not the labels
  Matrix<double> label_worth_;          // [T][states] the marginal of each state's label, likewise
  Matrix<double> pairs_, label_pairs_;  // of one edge
  std::shared_ptr<const ChunkEdges> chunk_edges_;  // made when first needed
  ChunkEdges::Scratch spans_;
};

}  // namespace croft
