// The variables of a database, labelled by a model, to look at one by one.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/explain/labelled_graph.h"
#include "app/label/label_graph.h"
#include "sql/graph_tables.h"

namespace croft {

// Variables are called by their ids, or DOMAIN:ID where there are several domains.
//   databases : as --database has them
//   use_known : labels in the database are evidence
// Throws what GraphTables::read() and label_graph() do.  Memory: all graphs, with their scores.
std::unique_ptr<LabelledGraph> label_tables(std::shared_ptr<const GraphModel> model,
                                            const std::vector<std::string>& databases,
                                            bool use_known, std::size_t threads);

}  // namespace croft
