#include "croft/inference/chain_k_best.h"
#include "inference/chain/constrained_search.h"

namespace croft {

SearchResult predicate_search(const ChainScores<double>& scores,
                              const std::function<bool(std::span<const Label>)>& obeys,
                              std::size_t limit) {
  SearchResult result;
  std::vector<Label> y(scores.length());
  for (ChainKBest labellings(scores); result.drawn < limit; ++result.drawn) {
    if (!labellings.next(y)) {
      result.exact = true;
      return result;
    }
    if (!obeys(y)) continue;
    result.found = result.exact = true;
    result.score = score<double>(scores, y);
    result.gap = 0;
    result.labels = std::move(y);
    ++result.drawn;
    return result;
  }
  return result;
}

}  // namespace croft
