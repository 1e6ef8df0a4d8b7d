// A trained linear-chain model: everything needed to predict.  docs/format.md section 3.
#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/features/extraction.h"
#include "croft/model/chain_layout.h"
#include "croft/model/chain_vote.h"
#include "croft/model/container.h"
#include "croft/model/feature_table.h"
#include "croft/model/kernel_scorer.h"
#include "croft/structure/chain.h"
#include "croft/structure/chain_constraint.h"
#include "croft/structure/label_histories.h"

namespace croft {

// Immutable; share it between threads.
class ChainModel {
 public:
  // Maps the file: the cost does not grow with its weights, but for a kernel's support vectors.
  // Throws Error as Container::open, and for a model of another kind.
  static std::shared_ptr<const ChainModel> open(const std::filesystem::path& path);
  explicit ChainModel(Container container);

  std::size_t labels() const { return labels_.size(); }
  const std::string& label(Label y) const { return labels_[y]; }
  const Extractor& extractor() const { return extractor_; }
  const nlohmann::json& meta() const { return *meta_; }  // kind, extraction, training record
  const Container& container() const { return container_; }

  const FeatureTable& node() const { return node_; }
  const FeatureTable& edge() const { return edge_; }
  const FeatureTable& tied() const { return tied_; }

  std::size_t order() const { return histories_ ? histories_->order : 1; }
  const LabelHistories* histories() const { return histories_.get(); }   // null for order 1
  std::span<const float> gram_weights() const { return gram_weights_; }  // [G] of its grams

  // What it was trained under, if anything: scores and transitions have it in them.
  const std::optional<ChainConstraint>& constraint() const { return constraint_; }

  // Of a voted perceptron, whose other weights are only the last of those that vote; otherwise
  // null. Its labels are chosen by vote, and have no probabilities: app/vote_tagger.h.
  const ChainVote* vote() const { return vote_ ? &*vote_ : nullptr; }

  // Of a model whose states are scored by a kernel, by the ids of node(), whose rows are empty;
  // otherwise null.
  const KernelExpansion* kernel() const { return kernel_ ? &kernel_->expansion : nullptr; }

  // theta of a sequence; attributes that the model does not know score 0.  Refers to this model.
  // For an order of 2 or more these are the base scores; HistoryScores lifts them.
  //   cost: a look-up (some 30 ns) and the row's length for each attribute; with a kernel, a
  //   product with each support vector for each position
  // With a kernel it throws Error where values are so large that scores overflow.
  struct Scratch {
    FeatureTable::Scratch node, edge;
    // With a kernel.
    std::vector<std::uint32_t> ids;
    AttributeLists known;
    Matrix<double> state;
  };
  template <class Real>
  void score(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const;

  template <class Real>
  const TransitionScores<Real>& transitions() const;

 private:
  void read_constraint();
  void set_transitions();
  void read_histories();
  void read_vote();
  void read_kernel();
  template <class Real>
  void add_node_scores(const TextSequence& sequence, Scratch& scratch,
                       ChainScores<Real>& out) const;
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

  Container container_;
  std::shared_ptr<nlohmann::json> meta_;
  std::vector<std::string> labels_;
  Extractor extractor_;
  FeatureTable node_, edge_, tied_;
  std::optional<ChainConstraint> constraint_;
  std::shared_ptr<const LabelHistories> histories_;
  std::vector<float> gram_weights_;
  std::optional<ChainVote> vote_;
  std::shared_ptr<const KernelStates> kernel_;
  TransitionScores<float> transitions_float_;
  TransitionScores<double> transitions_double_;
};

// What a model file is made from.
struct ChainModelParts {
  std::vector<std::string> labels;
  const ExtractionConfig* extraction = nullptr;
  const ChainLayout* layout = nullptr;
  std::vector<std::string_view> tied_names, node_names, edge_names;  // by row of the layout
  std::span<const double> weights;
  const VotedPerceptron* vote = nullptr;  // in the order of `weights`, which are the last of it
  // In the place of node weights; its vectors are by row of the layout, and `weights` are its w.
  const KernelExpansion* kernel = nullptr;
  const nlohmann::json* training = nullptr;  // the record: options, data, result
};
// The sections of the file; the bytes depend on the parts alone.
ContainerWriter make_chain_model(const ChainModelParts& parts);

}  // namespace croft
