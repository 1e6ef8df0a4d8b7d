// A template of a spec as the schema has it: its labels found, its queries of rules run.
#pragma once
#include <span>

#include "features/clique_data.h"
#include "sql/database.h"
#include "sql/graph_spec.h"

namespace croft {

// Throws InputError, which names the template and the query, for labels that a domain has not and
// for what does not fit the interaction.
CliqueTemplate make_template(const Database& database, const GraphSpec& spec,
                             const TemplateSpec& clique_template, std::span<const Domain> domains);

}  // namespace croft
