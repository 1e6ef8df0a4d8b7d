// Which histories and grams a chain of higher order has: those of the data, or all.
#pragma once
#include <memory>

#include "croft/structure/chain_constraint.h"
#include "model/chain_layout.h"

namespace croft {

enum class HistorySet {
  seen,    // those of the training data
  allowed  // all that a labelling can have
};

struct HistoryOptions {
  std::size_t order = 1;  // 1 to kMostOrder
  HistorySet histories = HistorySet::seen;
  FeatureSet features = FeatureSet::observed;   // grams that are seen, or all of the histories
  std::size_t min_count = 1;                    // >= 1; observed: occurrences that a gram needs
  const ChainConstraint* constraint = nullptr;  // what `allowed` means; null: everything
  const LabelHistories* kept = nullptr;  // of a model that training starts from, of the same order
  Ranks* ranks = &no_other_ranks();      // the data is this process's share of all
};

// Null for order 1.  Only stretches of positions that have one label each show histories and grams.
// Throws UsageError for an order that is out of range, Error for more edges than make_histories()
// takes.
// Cost: that of SeenRuns over the data, and of make_histories().
std::shared_ptr<const LabelHistories> choose_histories(const ChainData& data, std::size_t labels,
                                                       const HistoryOptions& options);

// What data says, in the states of a chain of histories.
struct LiftedGold {
  std::vector<Label> known;  // [P] as ChainData::label: a state, a set of states, or any
  LabelSets sets;
};

// Sequences whose positions have one label each get their path; others the states of the labels
// that are known.  Throws Error, with the line where the sequence begins, where there is no path.
LiftedGold lift_gold(const LabelHistories& histories, const ChainData& data);

// The first sequence none of whose labellings that fit has a path, or data.sequences().
//   constraint : that a labelling must obey where it is not fully known; null: none
// Cost O(T M) for a sequence with partial labels, M edges.
std::size_t first_without_path(const LabelHistories& histories, const ChainData& data,
                               const ChainConstraint* constraint = nullptr);

}  // namespace croft
