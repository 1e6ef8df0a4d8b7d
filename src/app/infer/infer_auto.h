// Which method `auto` takes, and what has to be known for that.
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "app/infer/infer_methods.h"
#include "croft/inference/junction_tree.h"

namespace croft {

const InferMethod* infer_method_named(std::string_view name);  // nullptr where there is none
// The method and its options against the task; UsageError.
void check(const InferMethod& method, const InferRequest& request);

// The junction tree where it fits, else another, whose limits go into the request; with the reason.
const InferMethod& choose(InferProblem& p, InferRequest& request, InferResult& result);
// Exact methods have this share of the time before another method follows.
inline constexpr double kExactShare = 0.75;
// False when a share of the time that is given is over; without one, p.progress.
GraphCallback share_of(const InferProblem& p, double share,
                       std::chrono::steady_clock::time_point begin);
// The cheapest order that is found; where the first try is hopeless, others are not tried.  Throws
// TooWide; Interrupted where the search takes too much of what it is to save.
//   thorough : for sums that are expensive, or do not fit: it goes on, a quarter of the time that
//   is
//              given or many tries, whatever the first try says
//   keep     : variables that stay
EliminationOrder cheapest_order(const InferProblem& p, bool thorough,
                                std::span<const Variable> keep = {});
// Joint states that an exact method may go through.
double most_log2_states(const InferProblem& p);
// Why not the junction tree; empty where it is to be taken.
std::string why_not(const InferProblem& p, const JunctionTree& tree);
// The cheaper of the two kinds of conditioning, where memory alone is short and time would do.
std::optional<std::string_view> conditioning_for(const InferProblem& p, const JunctionTree& tree);
// Of the task marginal_map: the graph of the variables that are asked for; with the reason why not
// where that takes more than is allowed.
std::optional<FactorGraph> others_summed_out(const InferProblem& p, std::string& reason);
// log Z where a junction tree has it in about a second.
std::optional<double> quick_log_partition(const InferProblem& p);

}  // namespace croft
