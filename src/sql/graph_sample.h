// A part of an unrolled graph, to look at.
#pragma once
#include <cstddef>

#include "croft/data/graph_file.h"
#include "sql/graph_tables.h"

namespace croft {

struct GraphSample {
  GraphFile file;  // with ids for names; domain:id where there are several domains
  Evidence known;  // [variables]
};

// The variables that are nearest to the first one, as many as are asked for; where its instance has
// fewer, those of the next one, too.  Factors between them alone.  Takes the data's cliques.
GraphSample sample_graph(GraphTables& tables, std::size_t variables);

}  // namespace croft
