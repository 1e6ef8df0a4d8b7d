#include "model/kinds/hidden_chain_model.h"

#include <algorithm>
#include <array>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/chain_sections.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 1> kHiddenKinds = {HiddenChainModel::kKind};
constexpr std::array<std::string_view, 2> kHiddenRequired = {"constraint", "states"};
constexpr std::size_t kMostStates = std::size_t{1} << 15;  // of all labels: a cell is a u32

}  // namespace

HiddenChainModel::HiddenChainModel(Container container)
    : SequenceModel(std::move(container), kHiddenKinds, kHiddenRequired) {
  read_states();
  node_ = FeatureTable(container_, "node", states_.size());
  edge_ = FeatureTable(container_, "edge", states_.size() * states_.size());
  tied_ = FeatureTable(container_, "tied", states_.size() * states_.size());
  constraint_ = read_constraint(container_, labels());
  TransitionScores<double> transitions =
      tied_transitions(container_, tied_, states_.size(), edge_.size() > 0);
  if (constraint_) {
    state_constraint_ = over_states(*constraint_, states_);
    transitions = masked(transitions, *state_constraint_);
  }
  set_transitions(std::move(transitions), "tied.weights");
}

void HiddenChainModel::read_states() {
  const std::span<const std::uint32_t> counts = container_.numbers<std::uint32_t>("states");
  if (counts.size() != labels()) container_.fail_section("states");
  std::size_t sum = 0;
  for (const std::uint32_t count : counts) {
    if (count == 0 || count > kMostStates || (sum += count) > kMostStates)
      container_.fail_section("states");
  }
  states_ = make_hidden_states(std::vector<std::size_t>(counts.begin(), counts.end()));
}

std::string HiddenChainModel::state_name(Label s) const {
  const Label j = states_.label_of[s];
  if (states_.count(j) == 1) return label(j);
  return label(j) + "#" + std::to_string(s - states_.begin[j] + 1);
}

template <class Real>
void HiddenChainModel::score_in(const TextSequence& sequence, Scratch& scratch,
                                ChainScores<Real>& out) const {
  out.reset(sequence.length(), transitions<Real>());
  add_node_scores(node_, sequence, scratch.node, out);
  if (sequence.edge.lists() > 0) add_edge_scores(edge_, sequence, scratch.edge, out);
  if (state_constraint_) {
    require_numbers(sequence, out, false);  // before it makes infinite ones
    apply(*state_constraint_, out);
  }
}

void HiddenChainModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                                   ChainScores<float>& out) const {
  score_in(sequence, scratch, out);
}
void HiddenChainModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                                   ChainScores<double>& out) const {
  score_in(sequence, scratch, out);
}

ContainerWriter make_hidden_chain_model(const HiddenChainParts& parts) {
  ContainerWriter out;
  write_common_sections(HiddenChainModel::kKind, *parts.extraction, parts.labels, *parts.training,
                        Json::object(), out);
  std::vector<std::uint32_t> counts;
  for (Label j = 0; j < parts.states->labels(); ++j) {
    counts.push_back(static_cast<std::uint32_t>(parts.states->count(j)));
  }
  out.add_numbers("states", counts, ContainerWriter::Kind::required);
  if (parts.constraint != nullptr) write_constraint(*parts.constraint, out);
  const ChainLayout& layout = *parts.layout;
  const std::size_t states = parts.states->size();
  write_feature_table(named_rows(layout.tied, parts.tied_names, parts.weights), states * states,
                      "tied", out);
  write_feature_table(named_rows(layout.node, parts.node_names, parts.weights), states, "node",
                      out);
  write_feature_table(named_rows(layout.edge, parts.edge_names, parts.weights), states * states,
                      "edge", out);
  return out;
}

}  // namespace croft
