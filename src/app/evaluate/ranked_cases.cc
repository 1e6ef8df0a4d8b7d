#include "app/evaluate/ranked_cases.h"

#include <algorithm>

namespace croft {

RankedCases rank_cases(std::vector<std::pair<double, bool>> cases) {
  std::ranges::sort(cases);
  RankedCases out;
  for (const auto& [p, has] : cases) ++(has ? out.positives : out.negatives);
  const auto positives = static_cast<double>(out.positives);
  const auto negatives = static_cast<double>(out.negatives);
  double ranks = 0, precisions = 0, above = 0;  // above: with the label, from the end on
  for (std::size_t end = cases.size(); end > 0;) {
    std::size_t begin = end;
    double inside = 0;
    for (; begin > 0 && cases[begin - 1].first == cases[end - 1].first; --begin) {
      inside += cases[begin - 1].second ? 1 : 0;
    }
    ranks += inside * (static_cast<double>(begin + end + 1) / 2);  // from 1
    above += inside;
    precisions += inside * above / static_cast<double>(cases.size() - begin);
    end = begin;
  }
  if (out.positives > 0) out.average_precision = precisions / positives;
  if (out.positives > 0 && out.negatives > 0) {
    out.auc = (ranks - positives * (positives + 1) / 2) / (positives * negatives);
  }
  return out;
}

}  // namespace croft
