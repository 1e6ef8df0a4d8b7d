// The features of a training whose features change, as a list, and from a list.
#include <algorithm>

#include "train/induction/feature_rounds.h"

namespace croft {
namespace {

// More occurrences than there are: with it as min_count a layout has the features that are kept,
// and no others.  Sums over the transitions of a group stay below 2^64.
constexpr std::size_t kOnlyKept = std::size_t{1} << 40;

// The weight of `key`, or 0.  The list is sorted by its keys.
template <class Key>
double weight_in(const std::vector<std::pair<Key, double>>& list, const Key& key) {
  const auto at = std::ranges::lower_bound(list, key, {}, &std::pair<Key, double>::first);
  return at != list.end() && at->first == key ? at->second : 0.0;
}

// visit(list of `all`, key in it, place in w) for the features of the layout, whatever `all` has.
template <class Features, class Visit>
void for_each_feature(const ChainLayout& layout, const Renumbering& renumbering, Features& all,
                      const Visit& visit) {
  const RowLayout& tied = layout.tied;
  for (std::size_t row = 0; row < tied.rows(); ++row) {
    for (std::size_t k = 0; k < tied.length(row); ++k) {
      visit(all.tied, std::pair(row, tied.cell_of(row, k)), tied.begin[row] + k);
    }
  }
  const auto visit_rows = [&](const RowLayout& rows, const std::vector<std::uint32_t>& row_of,
                              auto& list) {
    for (std::uint32_t a = 0; a < row_of.size(); ++a) {
      if (row_of[a] == kUnknown) continue;
      for (std::size_t k = 0; k < rows.length(row_of[a]); ++k) {
        visit(list, KeptFeatures::Feature{a, rows.cell_of(row_of[a], k)},
              rows.begin[row_of[a]] + k);
      }
    }
  };
  visit_rows(layout.node, renumbering.node, all.node);
  visit_rows(layout.edge, renumbering.edge, all.edge);
}

}  // namespace

FeatureRoundsTraining::Features FeatureRoundsTraining::features() const {
  Features all;
  for_each_feature(t_.layout_, t_.renumbering_, all,
                   [&](auto& list, const auto& key, std::uint64_t place) {
                     list.emplace_back(key, t_.weights_[place]);
                   });
  return all;
}

// Lays out these features and no others, and gives them their weights.
void FeatureRoundsTraining::set_features(Features features) {
  lay_out(features);
  t_.weights_.assign(t_.layout_.dimension(), 0.0);
  for_each_feature(t_.layout_, t_.renumbering_, features,
                   [&](const auto& list, const auto& key, std::uint64_t place) {
                     t_.weights_[place] = weight_in(list, key);
                   });
}

// The data of the training is that of the encoder again, in the numbers of the new layout.
void FeatureRoundsTraining::lay_out(const Features& features) {
  KeptFeatures kept;
  for (const auto& [feature, weight] : features.node) kept.node.push_back(feature);
  for (const auto& [feature, weight] : features.edge) kept.edge.push_back(feature);
  for (const auto& [place, weight] : features.tied) kept.tied.push_back(place.second);
  std::ranges::sort(kept.tied);
  std::optional<TransitionGroups> groups;
  if (o_.transition_groups) groups = o_.transition_groups(t_.label_list());
  auto constraint = t_.layout_.constraint;
  t_.encoder_.data = whole_;
  t_.layout_ = make_chain_layout(t_.encoder_.data, t_.labels(), t_.encoder_.node_names.size(),
                                 t_.encoder_.edge_names.size(),
                                 {.features = FeatureSet::observed,
                                  .min_count = kOnlyKept,
                                  .tied_rows = t_.tied_names_.size(),
                                  .groups = groups ? &*groups : nullptr,
                                  .kept = &kept},
                                 t_.renumbering_);
  t_.layout_.constraint = std::move(constraint);
  t_.holdout_.encode(t_.encoder_, t_.renumbering_, t_.layout_);
}

// Those that are not 0, as a training starts from.
std::vector<FeatureWeight> FeatureRoundsTraining::weights() const {
  std::vector<FeatureWeight> list;
  for (std::size_t k = 0; k < t_.weights_.size(); ++k) {
    if (t_.weights_[k] != 0) list.push_back({k, t_.weights_[k]});
  }
  return list;
}

}  // namespace croft
