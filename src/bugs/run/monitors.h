// Which numbers of a model are kept, and how often.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "bugs/graph.h"
#include "bugs/sampling.h"

namespace croft::bugs {

inline constexpr std::string_view kDeviance = "deviance";

struct Monitor {
  std::string name;      // of one element: theta[2]; "deviance"
  Slot slot = kNothing;  // none: the deviance
  std::size_t thin = 1;
};

// In the order of the requests, elements in R's order; without requests every unobserved stochastic
// node of an array that the program names, in the order of the arrays' names.  Elements that are
// not defined are left out.  Throws UsageError for a request that names nothing, or
// InputError at its place in a script.
std::vector<Monitor> monitors_of(const ModelGraph& graph, std::span<const MonitorRequest> requests,
                                 std::size_t thin);

}  // namespace croft::bugs
