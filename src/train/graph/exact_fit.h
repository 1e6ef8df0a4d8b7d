// A test of exact sums over the graphs of a training: do they fit time and memory?
#pragma once
#include <optional>
#include <span>

#include "croft/core/message.h"
#include "features/clique_data.h"

namespace croft {

// Why exact sums over these take too much time or memory in each evaluation of an objective; empty
// where they do not.  Throws Interrupted once `interruption` is set.
//   memory : bytes that a junction tree may take; default 4e9
Message why_not_exact(std::span<const GraphInstance> instances, std::optional<double> memory);

}  // namespace croft
