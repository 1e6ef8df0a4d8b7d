// Soft penalties on labels at positions where a test holds: subtracted from the state scores.
//
//   state[t][j] -= sum of the penalties whose test holds at t and whose label is j
//
// A penalty of c nats divides the odds of the label by exp(c), before its neighbours have their
// say.
#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/label/label_names.h"
#include "app/label/tag_input.h"
#include "croft/structure/chain.h"
#include "data/settings/penalty_file.h"

namespace croft {

struct LabelPenalty {
  Label label;
  double penalty;  // nats
};

// Immutable; share it between threads.
class Penalties {
 public:
  //   columns : of a row that can be tested; 0 for attribute lines
  // Throws InputError (file, line, text, remedy) for a column that there is not, and for a label or
  // pattern that no label matches.
  Penalties(const PenaltyFile& file, const LabelNames& names, std::size_t columns);

  // Cost O(T L) with lines of test *, and a look-up for each tested cell or attribute.
  // Throws Error when cells are tested and there are no rows.
  template <class Real>
  void subtract(const TagInput& input, ChainScores<Real>& scores) const;

 private:
  using List = std::vector<LabelPenalty>;
  using ByText = std::unordered_map<std::string, List, TextHash, std::equal_to<>>;

  List always_;  // one entry a label that has a penalty
  std::vector<ByText> by_column_;
  std::vector<std::size_t> tested_columns_;
  ByText by_attribute_;
};

}  // namespace croft
