// Which method `auto` takes, and what has to be known for that.
#pragma once
#include <optional>
#include <string>

#include "app/infer/infer_methods.h"

namespace croft {

const InferMethod* infer_method_named(std::string_view name);  // nullptr where there is none
// The method and its options against the task; UsageError.
void check(const InferMethod& method, const InferRequest& request);

// The junction tree where it fits, else another, whose limits go into the request; with the reason.
const InferMethod& choose(InferProblem& p, InferRequest& request, InferResult& result);
// Of the task marginal_map: the graph of the variables that are asked for; with the reason why not
// where that takes more than is allowed.
std::optional<FactorGraph> others_summed_out(const InferProblem& p, std::string& reason);
// log Z where a junction tree has it in about a second.
std::optional<double> quick_log_partition(const InferProblem& p);

}  // namespace croft
