// What every search for the best assignment of a factor graph answers:  max_x score(x).
//
// All of them are anytime.  A callback (graph_result.h) sees the best assignment and the bound
// after each iteration and may stop the search.  What it has by then is a valid answer.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "croft/inference/graph_result.h"

namespace croft {

struct BestAssignment {
  std::vector<State> states;  // [variables]; empty where no assignment is allowed
  double score = 0;           // -inf then
};

struct MapResult {
  std::vector<State> states;  // [variables]; empty where no allowed assignment was found
  double score = -std::numeric_limits<double>::infinity();  // of `states`
  // What no assignment exceeds, up to rounding; +inf where the method knows none.
  double bound = std::numeric_limits<double>::infinity();
  // exact: score is the largest (-inf: there is no allowed assignment); lower_bound: of it.
  ResultKind kind = ResultKind::lower_bound;
  Convergence convergence;
  // Of a search for several, the best first; kind then says whether they are proved.
  std::vector<BestAssignment> k_best;
  // What no assignment exceeds that is not in k_best, up to rounding.
  double bound_of_others = std::numeric_limits<double>::infinity();
};

// Whether a score is proved to be the largest: up to what rounding adds to a bound.
inline bool reaches(double score, double bound) {
  return score >= bound - 1e-9 * std::max(1.0, std::abs(bound));
}
// How far they are apart: 0 where nothing is allowed, which both then say; +inf where one is
// unknown.
inline double gap_between(double score, double bound) {
  return bound == -std::numeric_limits<double>::infinity() ? 0 : std::max(0.0, bound - score);
}

}  // namespace croft
