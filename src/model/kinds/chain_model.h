// A trained log-linear chain: everything needed to predict.  docs/format.md section 3.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/structure/label_histories.h"
#include "model/chain_layout.h"
#include "model/chain_vote.h"
#include "model/kernel_scorer.h"
#include "model/kinds/sequence_model.h"

namespace croft {
class Json;

// What the labels are given besides x, and so what is normalised: the labelling as a whole;
// nothing, each position by itself; or the label before (docs/math/single.md).
enum class ChainKind { chain, maxent, memm };
std::string_view name_of(ChainKind kind);
ChainKind chain_kind(std::string_view name);  // pool: chain; throws UsageError where it is none

// Of kind chain, maxent, memm or pool (a chain whose weights are sums of its experts'): log-linear,
// with the same features and sections.
class ChainModel final : public SequenceModel, public OpensFile<ChainModel> {
 public:
  // Maps the file: the cost does not grow with its weights, but for a kernel's support vectors.
  explicit ChainModel(Container container);

  const FeatureTable& node() const { return node_; }
  const FeatureTable& edge() const { return edge_; }
  const FeatureTable& tied() const { return tied_; }

  bool has_overlays() const override { return edge_.size() > 0; }

  // Of order 2 or more; null: order 1.
  const LabelHistories* histories() const { return histories_.get(); }
  std::span<const float> gram_weights() const { return gram_weights_; }  // [G] of its grams
  std::size_t order() const override { return histories_ ? histories_->order : 1; }

  // Of a voted perceptron, whose labels are chosen by vote and have no probabilities
  // (app/label/vote_tagger.h): its other weights are only the last of those that vote.  Otherwise
  // null.
  const ChainVote* vote() const { return vote_ ? &*vote_ : nullptr; }
  bool has_probabilities() const override { return !vote_; }

  // Whether scores are sums in single precision, of weights in the order of attributes.
  bool has_single_sums() const { return single_sums_; }

  // What is more than a sum of rows looks at the attributes themselves.
  bool scores_as_read() const override { return !vote_ && !kernel_ && extractor().is_plain(); }

  // Of a model whose states are scored by a kernel, by the ids of node(), whose rows are empty;
  // otherwise null.
  const KernelExpansion* kernel() const { return kernel_ ? &kernel_->expansion : nullptr; }

 private:
  //   cost: a look-up (some 30 ns) and the row's length for each attribute; with a kernel, a
  //   product with each support vector for each position
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  void make_scores(const TextSequence& sequence, const ReadSequence& read, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, const ReadSequence& read, Scratch& scratch,
                   ChainScores<double>& out) const override;
  void read_constraint();
  void read_transitions();
  void read_histories();
  void read_vote();
  void read_kernel();
  //   read : null where `sequence` has the attributes
  template <class Real>
  void score_in(const TextSequence& sequence, const ReadSequence* read, Scratch& scratch,
                ChainScores<Real>& out) const;
  template <class Real>
  void add_read_rows(const ReadSequence& read, ReadScratch& scratch, ChainScores<Real>& out) const;
  template <class Real>
  void add_kernel_scores(const TextSequence& sequence, Scratch& scratch,
                         ChainScores<Real>& out) const;
  struct KernelStates {
    explicit KernelStates(KernelExpansion found) : expansion(std::move(found)), scorer(expansion) {}
    KernelStates(const KernelStates&) = delete;
    KernelStates& operator=(const KernelStates&) = delete;
    KernelExpansion expansion;
    KernelScorer scorer;
  };

  FeatureTable node_, edge_, tied_;
  // Scores in double precision are sums in single precision: of a program that has them so.
  bool single_sums_ = false;
  std::shared_ptr<const LabelHistories> histories_;
  std::vector<float> gram_weights_;
  std::optional<ChainVote> vote_;
  std::shared_ptr<const KernelStates> kernel_;
};

// What a model file is made from.
struct ChainModelParts {
  std::string_view kind = "chain";
  std::vector<std::string> labels;
  const ExtractionConfig* extraction = nullptr;
  const ChainLayout* layout = nullptr;
  std::vector<std::string_view> tied_names, node_names, edge_names;  // by row of the layout
  std::span<const double> weights;
  const VotedPerceptron* vote = nullptr;  // in the order of `weights`, which are the last of it
  // In the place of node weights; its vectors are by row of the layout, and `weights` are its w.
  const KernelExpansion* kernel = nullptr;
  const Json* training = nullptr;  // the record: options, data, result
};
// The sections of the file; the bytes depend on the parts alone.
ContainerWriter make_chain_model(const ChainModelParts& parts);

}  // namespace croft
