// GRMM's templates over tracks of labels, as the declaration of a graph over the tables of
// grmm_tables.h.
//
//   new ACRF.UnigramTemplate (0)             a label of track 0, with the features of its position
//   new ACRF.BigramTemplate (0)              it and the next one, with those of the first position
//   new ACRF.PairwiseFactorTemplate (0, 1)   the labels of two tracks at a position
#pragma once
#include <string>
#include <string_view>

#include "sql/graph_spec.h"

namespace croft {

// Whether the first line that is neither empty nor a comment (//) makes a new object, which no TOML
// does.
bool is_grmm_templates(std::string_view text);

// Throws InputError (file, line, text, remedy) for a line that is none of the three templates, and
// for a template twice.
GraphSpec parse_grmm_templates(std::string_view text, const std::string& name);

}  // namespace croft
