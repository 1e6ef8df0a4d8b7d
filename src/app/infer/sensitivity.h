// How an answer depends on the numbers of a Bayesian network's tables.
//
// With t one probability of a row, the others of the row kept in their proportions,
//
//   p(event | observed)(t) = (a t + b) / (c t + d)
//
// (Castillo, Gutierrez & Hadi 1997; Chan & Darwiche 2002; docs/math/decisions.md section 2).
#pragma once
#include <string>
#include <vector>

#include "app/infer/queries.h"

namespace croft {

struct ParameterSensitivity {
  Factor factor = 0;
  std::uint64_t joint = 0;            // state of the factor's scope: that of t
  double value = 0;                   // t as it is
  double derivative = 0;              // of p(event | observed) by t, there
  double a = 0, b = 0, c = 0, d = 0;  // of the function; c t + d = 1 as it is
  double probability(double t) const { return (a * t + b) / (c * t + d); }
};

struct SensitivityAnswer {
  std::string event;
  double probability = 0;
  std::vector<ParameterSensitivity> parameters;  // largest |derivative| first; all that are not 0
};

// Exact, by two junction trees, and by two more for each factor that has zeros: an entry that is 0
// has a derivative as well.  Throws UsageError for an undirected graph, Error where what is
// observed is impossible, and where a junction tree takes more memory than the request allows.
SensitivityAnswer ask_sensitivity(const GraphFile& file, const FactorGraph& graph,
                                  std::span<const State> evidence, const GraphEvent& event,
                                  const InferRequest& request);

// The first `most` of them.
std::string format_answer(const SensitivityAnswer& answer, const GraphFile& file, std::size_t most);
Json to_json(const SensitivityAnswer& answer, const GraphFile& file);

}  // namespace croft
