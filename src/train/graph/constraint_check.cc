#include "train/graph/constraint_check.h"

#include <algorithm>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/graph/allowed_assignment.h"

namespace croft {
bool forbids(const CliqueTemplate& t) {
  return (t.penalty && *t.penalty == kInf) || !t.interaction.forbidden().empty();
}

bool has_constraints(const CliqueSchema& schema) {
  return std::ranges::any_of(schema.templates, forbids);
}

void check_constraints(const CliqueData& data, const GraphInstance& instance,
                       std::string_view name) {
  Random random(1);
  const AllowedAssignment found = find_allowed(condition(instance.graph, instance.known), random);
  if (found.outcome != AllowedSearch::none) return;
  std::vector<bool> here(data.schema().templates.size(), false);
  for (const std::uint32_t row : instance.row) here[data.rows().template_of(row)] = true;
  std::string names;
  for (std::size_t t = 0; t < here.size(); ++t) {
    const CliqueTemplate& each = data.schema().templates[t];
    if (here[t] && forbids(each)) names += (names.empty() ? "'" : ", '") + each.name + "'";
  }
  if (names.empty()) return;
  throw Error(
      "instance ", in_quotes(name),
      ": no labels keep all constraints together and fit what is known; the constraints are "
      "those of the templates ",
      names, "; look at what their queries return for it, or give them a finite penalty");
}

}  // namespace croft
