#include "croft/model/chain_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "croft/core/error.h"
#include "croft/inference/local_normalisation.h"
#include "croft/model/kernel_sections.h"
#include "model/string_section.h"

namespace croft {
namespace {

using nlohmann::json;

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
    throw Error(container.name() + ": section " + name + std::string(kDamaged));
  }
  const auto labels = numbers.begin() + 1 + static_cast<std::ptrdiff_t>(numbers[0]);
  LabelRuns runs;
  runs.begin.insert(runs.begin.end(), numbers.begin() + 1, labels);
  runs.label.assign(labels, numbers.end());
  return runs;
}

// Visits the bits of a constraint in the order of the file.
template <class Constraint, class Visit>
void for_each_bit(Constraint& constraint, const Visit& visit) {
  for (auto* bits : {&constraint.start, &constraint.end, &constraint.edge}) {
    for (std::size_t k = 0; k < bits->size(); ++k) visit((*bits)[k]);
  }
}

std::size_t constraint_bytes(std::size_t labels) { return (labels * (labels + 2) + 7) / 8; }

// A bit each, lowest first: starts, ends, edges.
std::vector<std::byte> pack_constraint(const ChainConstraint& constraint) {
  std::vector<std::byte> bytes(constraint_bytes(constraint.labels));
  std::size_t k = 0;
  for_each_bit(constraint, [&](bool allowed) {
    if (allowed) bytes[k / 8] |= std::byte{1} << (k % 8);
    ++k;
  });
  return bytes;
}

constexpr std::array<std::string_view, 3> kKinds = {"chain", "maxent", "memm"};  // by ChainKind
// The required sections of a chain model.
constexpr std::array<std::string_view, 4> kRequired = {"constraint", "histories", "votes",
                                                       "kernel"};

}  // namespace

std::string_view name_of(ChainKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

ChainKind chain_kind(std::string_view name) {
  const auto at = std::ranges::find(kKinds, name);
  if (at == kKinds.end()) {
    throw UsageError("a model of kind " + in_quotes(std::string(name)) +
                     " is none of chain, maxent and memm");
  }
  return static_cast<ChainKind>(at - kKinds.begin());
}

std::shared_ptr<const ChainModel> ChainModel::open(const std::filesystem::path& path) {
  return std::make_shared<const ChainModel>(Container::open(path));
}

ChainModel::ChainModel(Container container)
    : SequenceModel(std::move(container), kKinds, kRequired),
      node_(container_, "node", labels()),
      edge_(container_, "edge", labels() * labels()),
      tied_(container_, "tied", labels() * labels()) {
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

void ChainModel::read_constraint() {
  if (!container_.has("constraint")) return;
  const std::span<const std::byte> bytes = container_.section("constraint");
  if (bytes.size() != constraint_bytes(labels())) {
    fail_damaged("constraint");
  }
  constraint_.emplace(labels());
  std::size_t k = 0;
  for_each_bit(*constraint_, [&](std::vector<bool>::reference allowed) {
    allowed = (bytes[k / 8] >> (k % 8) & std::byte{1}) != std::byte{0};
    ++k;
  });
}

// The sections are there where meta has an order, which only models of order 2 or more have.
void ChainModel::read_histories() {
  if (!meta().contains("order")) return;
  const json& order = meta()["order"];
  if (!order.is_number_unsigned()) {
    fail_damaged("meta");
  }
  LabelRuns states = unpack_runs(container_, "histories"), grams = unpack_runs(container_, "grams");
  const std::span<const float> weights = container_.numbers<float>("grams.weights");
  gram_weights_.assign(weights.begin(), weights.end());
  if (weights.size() != grams.size() ||
      !std::ranges::all_of(gram_weights_, [](float w) { return std::isfinite(w); })) {
    fail_damaged("grams.weights");
  }
  try {
    histories_ = std::make_shared<const LabelHistories>(
        make_histories(order.get<std::size_t>(), labels(), std::move(states), std::move(grams)));
  } catch (const Error& fault) {
    throw Error(container_.name() + ": " + fault.what() +
                "; restore the file from a copy or train again");
  }
}

// Sparse where a sequence alone is faster so: measured with bench/label_set_bench, and for Viterbi.
void ChainModel::read_transitions() {
  std::vector<std::pair<std::uint32_t, double>> cells;
  for (std::uint32_t id = 0; id < tied_.size(); ++id) {
    const WeightRow row = tied_.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.cell(k) < labels() * labels()) cells.emplace_back(row.cell(k), double{row.weight(k)});
    }
  }
  std::ranges::stable_sort(cells, {}, &std::pair<std::uint32_t, double>::first);
  std::vector<Edge> edges;
  std::vector<double> log;
  for (const auto& [cell, weight] : cells) {
    const Edge edge{static_cast<Label>(cell / labels()), static_cast<Label>(cell % labels())};
    if (!edges.empty() && edges.back() == edge) {
      log.back() += weight;  // several tied rows add up
    } else {
      edges.push_back(edge);
      log.push_back(weight);
    }
  }
  constexpr std::size_t kManyLabels = 64, kOneIn = 25;
  TransitionScores<double> transitions;
  if (edge_.size() == 0 && labels() >= kManyLabels &&
      edges.size() * kOneIn <= labels() * labels()) {
    transitions.assign(labels(), Background::zero, edges, std::span<const double>(log));
  } else {
    Matrix<double> table(labels(), labels(), 0.0);
    for (std::size_t k = 0; k < edges.size(); ++k) table(edges[k].from, edges[k].to) = log[k];
    transitions.assign(std::move(table));
  }
  if (constraint_) transitions = masked(transitions, *constraint_);
  set_transitions(std::move(transitions));
}

template <class Real>
void ChainModel::add_node_scores(const TextSequence& sequence, Scratch& scratch,
                                 ChainScores<Real>& out) const {
  constexpr std::size_t kAhead = 8;  // rows whose weights are on their way
  node_.find(sequence.node, scratch.node);
  const auto& places = scratch.node.places;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    Real* state = out.state.row(t);
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      if (k + kAhead < places.size()) node_.prefetch(places[k + kAhead]);
      const Real value = static_cast<Real>(sequence.node.value(k));
      node_.visit(places[k], [&](std::uint32_t label, float weight) {
        state[label] += value * static_cast<Real>(weight);
      });
    }
  }
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
      if (std::isfinite(out.state(t, j))) continue;
      throw Error(container_.name() + ": the kernel's scores of position " + std::to_string(t) +
                  " are no finite numbers: its values are too large for the kernel, or the file " +
                  "is damaged, which croft inspect --verify tells");
    }
  }
}

template <class Real>
void ChainModel::score_in(const TextSequence& sequence, Scratch& scratch,
                          ChainScores<Real>& out) const {
  out.reset(sequence.length(), transitions<Real>());
  if (kernel_) {
    add_kernel_scores(sequence, scratch, out);
  } else {
    add_node_scores(sequence, scratch, out);
  }
  if (constraint_) apply(*constraint_, out);
  if (sequence.edge.lists() > 0) add_edge_scores(sequence, scratch, out);
  if (kind() == name_of(ChainKind::memm)) normalise_locally(out);
}

template <class Real>
void ChainModel::add_edge_scores(const TextSequence& sequence, Scratch& scratch,
                                 ChainScores<Real>& out) const {
  edge_.find(sequence.edge, scratch.edge);
  const auto& edges = scratch.edge.places;
  for (std::size_t t = 1; t < sequence.length(); ++t) {
    Real* overlay = nullptr;
    for (std::size_t k = sequence.edge.list_begin(t); k < sequence.edge.list_end(t); ++k) {
      if (edges[k].length == 0) continue;
      if (overlay == nullptr) overlay = out.add_overlay(t);
      const Real value = static_cast<Real>(sequence.edge.value(k));
      edge_.visit(edges[k], [&](std::uint32_t cell, float weight) {
        overlay[cell / labels() * out.overlay.stride() + cell % labels()] +=
            value * static_cast<Real>(weight);
      });
    }
  }
}

void ChainModel::score(const TextSequence& sequence, Scratch& scratch,
                       ChainScores<float>& out) const {
  score_in(sequence, scratch, out);
}
void ChainModel::score(const TextSequence& sequence, Scratch& scratch,
                       ChainScores<double>& out) const {
  score_in(sequence, scratch, out);
}

const ChainModel& require_chain(const SequenceModel& model, std::string_view answer) {
  const auto* chain = dynamic_cast<const ChainModel*>(&model);
  if (chain != nullptr) return *chain;
  if (model.kind() == "joint-maxent") {
    throw UsageError(model.container().name() + ": " + std::string(answer) +
                     " is not to be had of a model of kind joint-maxent, whose weights several "
                     "labels share; croft inspect --top and --weights show them");
  }
  throw UsageError(model.container().name() + ": " + std::string(answer) +
                   " is a matter of the weights of features, and a model of kind " + model.kind() +
                   " has none; croft convert makes it a log-linear model");
}

namespace {

// keep: which rows the file has even without a weight; empty: none
std::vector<NamedRow> named_rows(const RowLayout& layout,
                                 const std::vector<std::string_view>& names,
                                 std::span<const double> weights,
                                 const std::vector<bool>& keep = {}) {
  std::vector<NamedRow> rows;
  rows.reserve(layout.rows());
  for (std::size_t r = 0; r < layout.rows(); ++r) {
    const std::size_t begin = layout.begin[r] - layout.begin[0];
    NamedRow row{names[r], {}, weights.subspan(layout.begin[r], layout.length(r))};
    row.keep = !keep.empty() && keep[r];
    if (!layout.all_full()) row.cell = std::span(layout.cell).subspan(begin, layout.length(r));
    rows.push_back(row);
  }
  return rows;
}

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
  json more = json::object();
  if (parts.layout->histories) more["order"] = parts.layout->order();
  ContainerWriter out;
  write_common_sections(parts.kind, *parts.extraction, parts.labels, *parts.training, more, out);
  const ChainLayout& layout = *parts.layout;
  const std::size_t labels = layout.labels;
  if (layout.constraint) {
    out.add("constraint", pack_constraint(*layout.constraint), ContainerWriter::Kind::required);
  }
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
