// How well the probabilities of a label put the cases that have it before those that have not.
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace croft {

struct RankedCases {
  std::size_t positives = 0, negatives = 0;
  // The chance that a case with the label gets a higher probability of it than one without; ties
  // count half.  None where one of the two sorts is missing.
  std::optional<double> auc;
  // Sum over cases with the label, from the most probable on, of the precision down to there,
  // divided by their number: the area under precision by recall, in steps.  Cases of the same
  // probability are taken together.  None where no case has the label.
  std::optional<double> average_precision;
};

//   cases : (probability of the label, whether the case has it)
// Cost O(n log n).
RankedCases rank_cases(std::vector<std::pair<double, bool>> cases);

}  // namespace croft
