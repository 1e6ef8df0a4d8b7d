// Which features a chain has, and where their weights stand in the weight vector w.
//
// A feature is an attribute together with a cell: a label (node attributes) or a pair of labels
// (edge attributes).  The weights of one attribute stand side by side, in increasing order of cell.
//   w = [ tied edge rows | node rows | edge rows | grams ]
// Grams, runs of three labels or more, have weights where the chain's order is 2 or more
// (structure/label_histories.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "croft/core/ranks.h"
#include "croft/structure/chain_constraint.h"
#include "croft/structure/label_histories.h"
#include "features/chain_data.h"

namespace croft {

// Which transitions share a weight, by a map that the user gives.

// Every transition has a weight of its own at first.
struct TransitionGroups {
  static constexpr std::uint32_t kOwn = 0xFFFFFFFF;   // a weight that no other transition has
  static constexpr std::uint32_t kNone = 0xFFFFFFFE;  // no feature: score 0

  explicit TransitionGroups(std::size_t labels = 0) : of(labels * labels, kOwn) {}

  std::vector<std::uint32_t> of;  // [L][L] by cell, from * L + to: kOwn, kNone or a group's number
};

// The groups of labels by name, once these are known.
using TransitionGrouping = std::function<TransitionGroups(std::span<const std::string> names)>;

// Rows of cells, one for each attribute.
struct RowLayout {
  std::size_t cells = 0;                // of a full row: L, or L^2 (cell = from * L + to)
  std::vector<std::uint64_t> begin{0};  // [rows + 1] into w
  std::vector<std::uint32_t> cell;      // of weight w[begin[0] + k]; empty: every row is full

  std::size_t rows() const { return begin.size() - 1; }
  std::size_t length(std::size_t row) const { return begin[row + 1] - begin[row]; }
  bool all_full() const { return cell.empty(); }
  std::uint32_t cell_of(std::size_t row, std::size_t k) const {
    return all_full() ? static_cast<std::uint32_t>(k)
                      : cell[static_cast<std::size_t>(begin[row] - begin[0]) + k];
  }
};

// How an attribute's row is stored and visited, by its number of cells.  Attributes are numbered so
// that each class is a range of ids: rich [0, rich), poor [rich, rich + poor), single [rich + poor,
// rows).
struct RowClasses {
  std::size_t rich = 0, poor = 0;
};

// Transitions that share a weight: those of the k-th weight of a tied row.
struct SharedCells {
  std::vector<std::uint32_t> begin;  // [weights of a row + 1] into cell; empty: nothing is shared
  std::vector<std::uint32_t> cell;   // increasing for each weight; the first is RowLayout's

  bool any() const { return !begin.empty(); }
};

struct ChainLayout {
  std::size_t labels = 0;
  RowLayout tied;      // rows that hold at every edge: the transitions
  SharedCells shared;  // all tied rows alike
  RowLayout node;
  RowLayout edge;
  RowClasses node_classes;
  // Of a chain of order 2 or more, with its grams; null: order 1.
  std::shared_ptr<const LabelHistories> histories;
  // Of the labellings that the model is normalised over; null: all are allowed.
  std::shared_ptr<const ChainConstraint> constraint;

  // visit(k, cell) for every transition that has a feature, by k: its weight in each tied row.
  template <class Visit>
  void for_each_transition(const Visit& visit) const {
    const std::size_t weights = tied.rows() == 0 ? 0 : tied.length(0);
    for (std::uint32_t k = 0; k < weights; ++k) {
      if (!shared.any()) {
        visit(k, tied.cell_of(0, k));
        continue;
      }
      for (std::uint32_t c = shared.begin[k]; c < shared.begin[k + 1]; ++c) {
        visit(k, shared.cell[c]);
      }
    }
  }
  std::size_t order() const { return histories ? histories->order : 1; }
  std::uint64_t first_gram() const { return edge.begin.back(); }  // where their weights stand in w
  std::size_t grams() const { return histories ? histories->grams.size() : 0; }
  std::size_t dimension() const { return static_cast<std::size_t>(first_gram()) + grams(); }
};

enum class FeatureSet {
  observed,  // the (attribute, cell) pairs seen in the data, as CRFsuite has it
  all        // every cell of every attribute, as CRF++ and Wapiti have it
};

// Features that the layout has whatever the data says: those of a model that training starts from.
struct KeptFeatures {
  struct Feature {
    std::uint32_t attribute, cell;  // attribute: number of the encoder
    auto operator<=>(const Feature&) const = default;
  };
  std::vector<Feature> node, edge;  // sorted
  std::vector<std::uint32_t> tied;  // cells, sorted
};

struct LayoutOptions {
  FeatureSet features = FeatureSet::observed;
  // >= 1; occurrences that an attribute (all) or an (attribute, cell) pair (observed) needs.
  std::size_t min_count = 1;
  std::size_t tied_rows = 1;  // attributes that hold at every edge; 0: no transition features
  // Transitions that share a weight, or have none.  A group that the data shows, or that is kept,
  // in one of its transitions holds for all of them; its occurrences are theirs together.
  const TransitionGroups* groups = nullptr;
  const KeptFeatures* kept = nullptr;
  // Where the data is this process's share of all: occurrences are counted in all of it.
  Ranks* ranks = &no_other_ranks();
};

// Rewrites lists in place: new ids, attributes without a row left out, sorted by class of row and
// otherwise in the order they came.
void renumber_lists(const std::vector<std::uint32_t>& new_id, const RowClasses& classes,
                    AttributeLists& lists);

// Where an attribute of the encoder went: its id in the layout, kUnknown if it has no feature.
struct Renumbering {
  std::vector<std::uint32_t> node, edge;
};

// Counts, lays out and renumbers: afterwards data.node.id and data.edge.id are ids of the layout,
// attributes without a feature are gone from the lists, and each list is sorted by class of row.
// Cost O(occurrences), memory 4 bytes an occurrence on the way.
ChainLayout make_chain_layout(ChainData& data, std::size_t labels, std::size_t node_attributes,
                              std::size_t edge_attributes, const LayoutOptions& options,
                              Renumbering& renumbering);

// Some features of a layout, as a layout of their own.
struct FeatureSelection {
  ChainLayout layout;
  Renumbering renumbering;  // from the ids of the other layout to those of this one
  std::vector<std::uint64_t>
      origin;  // [layout.dimension()] where each weight stands in the other's w
};

// Rows are classed and numbered anew.
//   features : places in the w of `from`, increasing.  Tied rows have the same cells: one that is
//              listed for one of them counts for all.  Grams are all kept, listed or not.
// Cost O(features + rows).
FeatureSelection select_features(const ChainLayout& from, std::span<const std::uint64_t> features);

}  // namespace croft
