// Whether the constraints of an instance can be kept together.
#pragma once
#include "features/clique_data.h"

namespace croft {

// Whether some template forbids: then scores may be -inf.
bool forbids(const CliqueTemplate& t);  // some joint states, altogether
bool has_constraints(const CliqueSchema& schema);

// Throws Error, which names the instance and the templates, where it is certain that no labels keep
// all constraints and fit what is known.
//   instance : its numbers set by a scorer
//   name : the instance's, for the message
void check_constraints(const CliqueData& data, const GraphInstance& instance,
                       std::string_view name);
inline void check_constraints(const CliqueData& data, const GraphInstance& instance) {
  check_constraints(data, instance, data.group_name(instance.variable.front()));
}

}  // namespace croft
