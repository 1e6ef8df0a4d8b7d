// A trained chain with hidden states (latent-dynamic CRF): everything needed to predict.
// docs/format.md, "Hidden states".
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/chain_layout.h"
#include "model/kinds/sequence_model.h"
#include "structure/hidden_states.h"

namespace croft {
class Json;

class HiddenChainModel final : public SequenceModel, public OpensFile<HiddenChainModel> {
 public:
  static constexpr std::string_view kKind = "hidden-chain";
  // Maps the file: the cost does not grow with its weights.
  explicit HiddenChainModel(Container container);

  const HiddenStates& states() const { return states_; }
  // A label's name, with the number of the state where the label has several: "N#2".
  std::string state_name(Label s) const;

  const FeatureTable& node() const { return node_; }  // cells: states, or pairs of them
  const FeatureTable& edge() const { return edge_; }
  const FeatureTable& tied() const { return tied_; }
  bool has_overlays() const override { return edge_.size() > 0; }

 private:
  // Of states.  cost: a look-up and the row's length for each attribute
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  void read_states();
  template <class Real>
  void score_in(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const;

  HiddenStates states_;
  std::optional<ChainConstraint> state_constraint_;
  FeatureTable node_, edge_, tied_;
};

// What a model file is made from; views.
struct HiddenChainParts {
  std::vector<std::string> labels;
  const HiddenStates* states = nullptr;
  const ExtractionConfig* extraction = nullptr;
  const ChainLayout* layout = nullptr;                               // its labels are the states
  const ChainConstraint* constraint = nullptr;                       // of labels; null: none
  std::vector<std::string_view> tied_names, node_names, edge_names;  // by row of the layout
  std::span<const double> weights;
  const Json* training = nullptr;  // the record
};
ContainerWriter make_hidden_chain_model(const HiddenChainParts& parts);

}  // namespace croft
