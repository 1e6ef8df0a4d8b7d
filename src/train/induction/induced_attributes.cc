// Conjunctions that induction has found, as attributes of the data.
#include <algorithm>

#include "features/conjunctions.h"
#include "train/induction/feature_rounds.h"

namespace croft {
namespace {

void append_list(const AttributeLists& from, std::size_t p, AttributeLists& to) {
  if (p >= from.positions()) return;  // there are no edges yet
  const auto begin = static_cast<std::ptrdiff_t>(from.begin[p]);
  const auto end = static_cast<std::ptrdiff_t>(from.begin[p + 1]);
  to.id.insert(to.id.end(), from.id.begin() + begin, from.id.begin() + end);
  if (from.value.empty()) return;
  to.value.insert(to.value.end(), from.value.begin() + begin, from.value.begin() + end);
}

}  // namespace

Conjunction FeatureRoundsTraining::conjunction_of(std::span<const std::uint32_t> parts) const {
  Conjunction made;
  for (const std::uint32_t a : parts) made.parts.emplace_back(t_.encoder_.node_names[a]);
  std::ranges::sort(made.parts);
  return made;
}

void FeatureRoundsTraining::set_present() {
  present_.clear();
  present_edges_.clear();
  const Features all = features();
  for (const auto& [feature, weight] : all.node) present_.push_back(feature);
  for (const auto& [feature, weight] : all.edge) present_edges_.push_back(feature);
  std::ranges::sort(present_);
  std::ranges::sort(present_edges_);
}

// An attribute of the data that happens to have the name of a conjunction stands in its way.
bool FeatureRoundsTraining::has(std::span<const std::uint32_t> parts, Label label) const {
  std::uint32_t a = parts[0];
  if (parts.size() > 1) {
    a = t_.encoder_.node_names.find(conjunction_of(parts).name());
    if (a == kUnknown) return false;
    if (!found_ids_.contains(a)) return true;
  }
  return std::ranges::binary_search(present_, Feature{a, label});
}

bool FeatureRoundsTraining::has(const FeatureCandidate& candidate) const {
  if (!candidate.of_pair()) return has(candidate.attributes(), candidate.label);
  const std::uint32_t a =
      t_.encoder_.edge_names.find(conjunction_of(candidate.attributes()).name());
  if (a == kUnknown) return false;
  return !found_edge_ids_.contains(a) ||
         std::ranges::binary_search(present_edges_, Feature{a, pair_of(candidate)});
}

std::uint32_t FeatureRoundsTraining::pair_of(const FeatureCandidate& candidate) const {
  return static_cast<std::uint32_t>(candidate.from * t_.labels() + candidate.label);
}

// The number of a candidate's attribute; one that is new comes to `added`.
std::uint32_t FeatureRoundsTraining::attribute_of(const FeatureCandidate& candidate, Added& added) {
  const bool pair = candidate.of_pair();
  if (!pair && candidate.parts == 1) return candidate.part[0];
  Conjunction conjunction = conjunction_of(candidate.attributes());
  StringTable& names = pair ? t_.encoder_.edge_names : t_.encoder_.node_names;
  const std::string name = conjunction.name();
  std::uint32_t a = names.find(name);
  if (a != kUnknown) return a;
  a = names.insert(name);
  (pair ? found_edge_ids_ : found_ids_).insert(a);
  added.attribute.push_back(a);
  added.index.add(candidate.attributes());
  conjunctions_.push_back(pair ? edge_conjunction(std::move(conjunction.parts))
                               : std::move(conjunction));
  return a;
}

void FeatureRoundsTraining::add(const std::vector<FeatureCandidate>& found) {
  Features all = features();
  Added nodes, edges;
  const auto before = static_cast<std::ptrdiff_t>(conjunctions_.size());
  for (const FeatureCandidate& each : found) {
    const std::uint32_t a = attribute_of(each, each.of_pair() ? edges : nodes);
    if (each.of_pair()) {
      all.edge.push_back({{a, pair_of(each)}, 0.0});
    } else {
      all.node.push_back({{a, each.label}, 0.0});
    }
  }
  is_test_.resize(t_.encoder_.node_names.size(), false);
  nodes.index.finish();
  edges.index.finish();
  if (!edges.attribute.empty()) add_edge_attributes(edges);
  add_attributes(nodes);
  t_.holdout_.append(
      ConjunctionSet(std::vector(conjunctions_.begin() + before, conjunctions_.end())));
  std::ranges::sort(all.node);
  std::ranges::sort(all.edge);
  set_features(std::move(all));
}

// To the lists of all positions.
void FeatureRoundsTraining::add_attributes(const Added& added) {
  AttributeLists longer;
  ConjunctionIndex::Scratch scratch;
  std::vector<ConjunctionIndex::Hit> hits;
  for (std::size_t p = 0; p < whole_.positions(); ++p) {
    find_hits(added.index, p, scratch, hits);
    append_list(whole_.node, p, longer);
    for (const ConjunctionIndex::Hit& hit : hits) {
      longer.id.push_back(added.attribute[hit.conjunction]);
      if (!whole_.node.value.empty()) longer.value.push_back(hit.value);
    }
    longer.begin.push_back(longer.id.size());
  }
  whole_.node = std::move(longer);
}

// To the lists of all edges, which have values where an attribute of positions has one.
void FeatureRoundsTraining::add_edge_attributes(const Added& added) {
  if (whole_.edge.value.empty() && !whole_.node.value.empty()) {
    whole_.edge.value.assign(whole_.edge.id.size(), 1.0);
  }
  AttributeLists longer;
  ConjunctionIndex::Scratch scratch;
  std::vector<ConjunctionIndex::Hit> hits;
  for (std::size_t n = 0; n < whole_.sequences(); ++n) {
    for (std::uint64_t p = whole_.sequence_begin[n]; p < whole_.sequence_begin[n + 1]; ++p) {
      append_list(whole_.edge, p, longer);
      if (p > whole_.sequence_begin[n]) {
        find_hits(added.index, p, scratch, hits);
        for (const ConjunctionIndex::Hit& hit : hits) {
          longer.id.push_back(added.attribute[hit.conjunction]);
          if (!whole_.edge.value.empty() || !whole_.node.value.empty()) {
            longer.value.push_back(hit.value);
          }
        }
      }
      longer.begin.push_back(longer.id.size());
    }
  }
  whole_.edge = std::move(longer);
}

std::vector<Conjunction> FeatureRoundsTraining::conjunctions() const {
  std::vector<Conjunction> used;
  for (const Conjunction& each : conjunctions_) {
    const bool edge = is_of_edge(each);
    const std::uint32_t a = edge ? t_.encoder_.edge_names.find(edge_name(each))
                                 : t_.encoder_.node_names.find(each.name());
    if ((edge ? t_.renumbering_.edge : t_.renumbering_.node)[a] != kUnknown) used.push_back(each);
  }
  return used;
}

}  // namespace croft
