// What a search will do, before any training: which settings it tries, in which rungs, and which
// sequences are in which fold.  It depends on the settings, the number of sequences and their
// groups alone.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/search/search.h"

namespace croft {

// Combinations of values are not counted beyond.
inline constexpr std::size_t kManyCandidates = 10'000;

struct SearchPlan {
  // A fold has whole groups.  Throws UsageError for more folds than sequences or groups, and for a
  // budget that is too small.
  //   groups : [sequences] as group_by() numbers them; empty: each sequence is a group of its own
  SearchPlan(const SearchSettings& settings, std::size_t sequences,
             std::span<const std::size_t> groups = {});

  // Numbers of sequences, increasing: what models of a fold are scored on, and what they are
  // trained on with this share of the data.
  std::vector<std::size_t> test_of(std::size_t fold) const;
  std::vector<std::size_t> training_of(double share, std::size_t fold) const;

  std::vector<std::vector<std::string>> candidates;  // [candidates][parameters]
  std::vector<SearchRung> rungs;
  std::vector<std::vector<std::size_t>> folds;  // sequences of each, in the order they were drawn
};

}  // namespace croft
