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

}  // namespace

FeatureRoundsTraining::Features FeatureRoundsTraining::features() const {
  Features all;
  const std::vector<double>& w = t_.weights_;
  const auto append = [&](const RowLayout& rows, const std::vector<std::uint32_t>& row_of,
                          std::vector<std::pair<Feature, double>>& out) {
    for (std::uint32_t a = 0; a < row_of.size(); ++a) {
      if (row_of[a] == kUnknown) continue;
      for (std::size_t k = 0; k < rows.length(row_of[a]); ++k) {
        out.push_back({{a, rows.cell_of(row_of[a], k)}, w[rows.begin[row_of[a]] + k]});
      }
    }
  };
  const RowLayout& tied = t_.layout_.tied;
  for (std::size_t row = 0; row < tied.rows(); ++row) {
    for (std::size_t k = 0; k < tied.length(row); ++k) {
      all.tied.push_back({{row, tied.cell_of(row, k)}, w[tied.begin[row] + k]});
    }
  }
  append(t_.layout_.node, t_.renumbering_.node, all.node);
  append(t_.layout_.edge, t_.renumbering_.edge, all.edge);
  return all;
}

// Lays out these features and no others, and gives them their weights.
void FeatureRoundsTraining::set_features(Features features) {
  lay_out(features);
  std::vector<double>& w = t_.weights_;
  w.assign(t_.layout_.dimension(), 0.0);
  const auto assign = [&](const RowLayout& rows, const std::vector<std::uint32_t>& row_of,
                          const std::vector<std::pair<Feature, double>>& from) {
    for (std::uint32_t a = 0; a < row_of.size(); ++a) {
      if (row_of[a] == kUnknown) continue;
      for (std::size_t k = 0; k < rows.length(row_of[a]); ++k) {
        w[rows.begin[row_of[a]] + k] = weight_in(from, {a, rows.cell_of(row_of[a], k)});
      }
    }
  };
  const RowLayout& tied = t_.layout_.tied;
  for (std::size_t row = 0; row < tied.rows(); ++row) {
    for (std::size_t k = 0; k < tied.length(row); ++k) {
      w[tied.begin[row] + k] = weight_in(features.tied, {row, tied.cell_of(row, k)});
    }
  }
  assign(t_.layout_.node, t_.renumbering_.node, features.node);
  assign(t_.layout_.edge, t_.renumbering_.edge, features.edge);
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
