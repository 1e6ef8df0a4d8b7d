#include "model/kinds/chain_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/json.h"
#include "croft/core/error.h"
#include "inference/chain/local_normalisation.h"
#include "model/chain_sections.h"
#include "model/file/container.h"
#include "model/file/record.h"
#include "model/kernel_scorer.h"
#include "model/rows/read_scratch.h"

namespace croft {
namespace {

// Runs of labels: u32 count, u32 end of each, then the labels as u32.
std::vector<std::byte> pack_runs(const LabelRuns& runs) {
  std::vector<std::uint32_t> numbers{static_cast<std::uint32_t>(runs.size())};
  numbers.insert(numbers.end(), runs.begin.begin() + 1, runs.begin.end());
  numbers.insert(numbers.end(), runs.label.begin(), runs.label.end());
  std::vector<std::byte> bytes(numbers.size() * sizeof(std::uint32_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// Whether they fit together is for make_histories() to say.
LabelRuns unpack_runs(const Container& container, const std::string& name) {
  const std::span<const std::uint32_t> numbers = container.numbers<std::uint32_t>(name);
  if (numbers.empty() || numbers[0] > numbers.size() - 1) {
    container.fail_section(name);
  }
  const auto labels = numbers.begin() + 1 + static_cast<std::ptrdiff_t>(numbers[0]);
  LabelRuns runs;
  runs.begin.insert(runs.begin.end(), numbers.begin() + 1, labels);
  runs.label.assign(labels, numbers.end());
  return runs;
}

constexpr std::array<std::string_view, 3> kKinds = {"chain", "maxent", "memm"};  // by ChainKind
// A pool is a chain once its experts' weights are added up.
constexpr std::array<std::string_view, 4> kReadKinds = {"chain", "maxent", "memm", "pool"};
// The required sections of a chain model.
constexpr std::array<std::string_view, 4> kRequired = {"constraint", "histories", "votes",
                                                       "kernel"};

}  // namespace

std::string_view name_of(ChainKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

ChainKind chain_kind(std::string_view name) {
  if (name == "pool") return ChainKind::chain;
  const auto at = std::ranges::find(kKinds, name);
  if (at == kKinds.end()) {
    throw UsageError("a model of kind " + in_quotes(std::string(name)) +
                     " is none of chain, maxent and memm");
  }
  return static_cast<ChainKind>(at - kKinds.begin());
}

ChainModel::ChainModel(Container container)
    : SequenceModel(std::move(container), kReadKinds, kRequired),
      node_(container_, "node", labels()),
      edge_(container_, "edge", labels() * labels()),
      tied_(container_, "tied", labels() * labels()) {
  if (const auto single = record().find("single_sums")) single_sums_ = single->flag();
  read_constraint();
  read_transitions();
  read_histories();
  read_vote();
  read_kernel();
}

void ChainModel::read_vote() {
  if (container_.has("votes")) vote_.emplace(container_, node_.size(), edge_.size());
}

void ChainModel::read_kernel() {
  if (!container_.has("kernel")) return;
  if (vote_) throw Error(container_.name() + ": sections votes and kernel exclude each other");
  kernel_ =
      std::make_shared<const KernelStates>(croft::read_kernel(container_, labels(), node_.size()));
}

void ChainModel::read_constraint() { constraint_ = croft::read_constraint(container_, labels()); }

// The sections are there where meta has an order, which only models of order 2 or more have.
void ChainModel::read_histories() {
  const auto said = record().find("order");
  if (!said) {
    if (container_.has("histories")) container_.fail_section("histories", "meta has no order");
    return;
  }
  const auto order = said->whole<std::size_t>(2, kMostOrder);
  LabelRuns states = unpack_runs(container_, "histories"), grams = unpack_runs(container_, "grams");
  const std::span<const float> weights = container_.numbers<float>("grams.weights");
  gram_weights_.assign(weights.begin(), weights.end());
  if (weights.size() != grams.size() ||
      !std::ranges::all_of(gram_weights_, [](float w) { return std::isfinite(w); })) {
    container_.fail_section("grams.weights");
  }
  try {
    histories_ = std::make_shared<const LabelHistories>(
        make_histories(order, labels(), std::move(states), std::move(grams)));
  } catch (const Error& fault) {
    throw Error(container_.name() + ": " + fault.what() +
                "; restore the file from a copy or train again");
  }
  if (histories_->starts.empty()) container_.fail_section("histories", "none is of one label");
}

void ChainModel::read_transitions() {
  TransitionScores<double> transitions =
      tied_transitions(container_, tied_, labels(), edge_.size() > 0);
  if (constraint_) transitions = masked(transitions, *constraint_);
  set_transitions(std::move(transitions), "tied.weights");
}

template <class Real>
void ChainModel::add_kernel_scores(const TextSequence& sequence, Scratch& scratch,
                                   ChainScores<Real>& out) const {
  auto& [begin, id, value] = scratch.known;
  begin.assign(1, 0);
  id.clear();
  value.clear();
  node_.find_ids(sequence.node, scratch.ids);
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      if (scratch.ids[k] == kUnknown) continue;
      id.push_back(scratch.ids[k]);
      value.push_back(sequence.node.value(k));
    }
    begin.push_back(id.size());
  }
  kernel_->scorer.score(scratch.known, 0, sequence.length(), scratch.state);
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    for (std::size_t j = 0; j < labels(); ++j) {
      out.state(t, j) = static_cast<Real>(scratch.state(t, j));
    }
  }
}

namespace {

// The same numbers in double precision.
void widen(const ChainScores<float>& from, ChainScores<double>& to) {
  const auto copy = [&](const float* row, double* out) {
    std::copy(row, row + from.labels(), out);
  };
  for (std::size_t t = 0; t < from.length(); ++t) {
    copy(from.state.row(t), to.state.row(t));
    if (!from.has_overlay(t)) continue;
    double* const overlay = to.add_overlay(t);
    for (std::size_t i = 0; i < from.labels(); ++i) {
      copy(from.overlay_row(t, i), overlay + i * to.overlay.stride());
    }
  }
}

}  // namespace

void FreeReadScratch::operator()(ReadScratch* scratch) const { delete scratch; }

template <class Real>
void ChainModel::add_read_rows(const ReadSequence& read, ReadScratch& scratch,
                               ChainScores<Real>& out) const {
  NodeSums<Real>& sums = scratch.sums<Real>(node_);
  const auto add_nodes = [&](const FoundRows& found) { sums.weights.add(found, out.state); };
  if (read.found != nullptr) {
    add_nodes(*read.found);
    return;
  }
  if (read.lines != nullptr) {
    if (!scratch.lines) scratch.lines.emplace(node_);
    sums.lines.add(*read.lines, *read.file, *scratch.lines, sums.weights, out.state);
    return;
  }
  const TemplateSet& templates = extractor().templates();
  if (!scratch.node) {
    scratch.node.emplace(templates, extractor().node_templates(), 0, node_);
    scratch.edge.emplace(templates, extractor().edge_templates(), 1, edge_);
  }
  scratch.node->find(*read.rows, add_nodes);
  if (extractor().edge_templates().empty()) return;
  scratch.edge->find(*read.rows, [&](const FoundRows& found) { add_edge_rows(edge_, found, out); });
}

template <class Real>
void ChainModel::score_in(const TextSequence& sequence, const ReadSequence* read, Scratch& scratch,
                          ChainScores<Real>& out) const {
  out.reset(sequence.length(), transitions<Real>());
  if constexpr (std::is_same_v<Real, double>) {
    if (single_sums_) {
      score_in(sequence, read, scratch, scratch.single);
      widen(scratch.single, out);
      return;
    }
  }
  if (read != nullptr) {
    if (!scratch.read) scratch.read.reset(new ReadScratch);
    add_read_rows(*read, *scratch.read, out);
  } else if (kernel_) {
    add_kernel_scores(sequence, scratch, out);
  } else {
    add_node_scores(node_, sequence, scratch.node, out);
  }
  if (sequence.edge.lists() > 0) add_edge_scores(edge_, sequence, scratch.edge, out);
  if (constraint_) {
    require_numbers(sequence, out, false);  // before it makes infinite ones
    apply(*constraint_, out);
  }
  if (kind() == name_of(ChainKind::memm)) normalise_locally(out);
}

void ChainModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                             ChainScores<float>& out) const {
  score_in(sequence, nullptr, scratch, out);
}
void ChainModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                             ChainScores<double>& out) const {
  score_in(sequence, nullptr, scratch, out);
}
void ChainModel::make_scores(const TextSequence& sequence, const ReadSequence& read,
                             Scratch& scratch, ChainScores<float>& out) const {
  score_in(sequence, &read, scratch, out);
}
void ChainModel::make_scores(const TextSequence& sequence, const ReadSequence& read,
                             Scratch& scratch, ChainScores<double>& out) const {
  score_in(sequence, &read, scratch, out);
}

namespace {

// A shared weight stands at the cell of every transition that has it.
void write_tied(const ChainModelParts& parts, ContainerWriter& out) {
  const ChainLayout& layout = *parts.layout;
  const std::size_t cells = layout.labels * layout.labels;
  std::vector<NamedRow> rows = named_rows(layout.tied, parts.tied_names, parts.weights);
  if (!layout.shared.any()) {
    write_feature_table(rows, cells, "tied", out);
    return;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> weight_of;  // of each cell
  layout.for_each_transition(
      [&](std::uint32_t k, std::uint32_t cell) { weight_of.emplace_back(cell, k); });
  std::ranges::sort(weight_of);
  std::vector<std::uint32_t> cell;
  for (const auto& each : weight_of) cell.push_back(each.first);
  std::vector<std::vector<double>> weight(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto& each : weight_of) weight[r].push_back(rows[r].weight[each.second]);
    rows[r].cell = cell;
    rows[r].weight = weight[r];
  }
  write_feature_table(rows, cells, "tied", out);
}

// The grams that have a weight, as features do, or are to be kept.  Returns the number of each in
// the file, kUnknown where it was left out.
std::vector<std::uint32_t> write_histories(const ChainLayout& layout,
                                           std::span<const double> weights,
                                           const std::vector<bool>& keep, ContainerWriter& out) {
  const LabelHistories& histories = *layout.histories;
  LabelRuns grams;
  std::vector<float> of_grams;
  std::vector<std::uint32_t> number(layout.grams(), kUnknown);
  for (std::size_t g = 0; g < layout.grams(); ++g) {
    const auto weight = static_cast<float>(weights[layout.first_gram() + g]);
    if (weight == 0 && (keep.empty() || !keep[g])) continue;
    number[g] = static_cast<std::uint32_t>(of_grams.size());
    grams.add(histories.grams[g]);
    of_grams.push_back(weight);
  }
  out.add("histories", pack_runs(histories.states), ContainerWriter::Kind::required);
  out.add("grams", pack_runs(grams), ContainerWriter::Kind::small);
  out.add_numbers("grams.weights", of_grams, ContainerWriter::Kind::small);
  return number;
}

}  // namespace

ContainerWriter make_chain_model(const ChainModelParts& parts) {
  Json more = Json::object();
  if (parts.layout->histories) more["order"] = parts.layout->order();
  ContainerWriter out;
  write_common_sections(parts.kind, *parts.extraction, parts.labels, *parts.training, more, out);
  const ChainLayout& layout = *parts.layout;
  const std::size_t labels = layout.labels;
  if (layout.constraint) write_constraint(*layout.constraint, out);
  std::optional<VoteWriter> vote;
  if (parts.vote != nullptr) vote.emplace(*parts.vote, layout);
  // What is not of the training data's attributes is no part of a kernel's vectors: all are kept.
  const std::vector<bool> none, all(layout.node.rows(), true);
  const std::vector<bool>& nodes_used = vote                      ? vote->node_used()
                                        : parts.kernel != nullptr ? all
                                                                  : none;
  write_tied(parts, out);
  const std::vector<std::uint32_t> node = write_feature_table(
      named_rows(layout.node, parts.node_names, parts.weights, nodes_used), labels, "node", out);
  const std::vector<std::uint32_t> edge = write_feature_table(
      named_rows(layout.edge, parts.edge_names, parts.weights, vote ? vote->edge_used() : none),
      labels * labels, "edge", out);
  std::vector<std::uint32_t> grams;
  if (layout.histories) {
    grams = write_histories(layout, parts.weights, vote ? vote->grams_used() : none, out);
  }
  if (vote) vote->write(node, edge, grams, out);
  if (parts.kernel != nullptr) write_kernel(*parts.kernel, node, out);
  return out;
}

}  // namespace croft
