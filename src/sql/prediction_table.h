// Predictions as a table of the database that they were made from.
#pragma once
#include <string>

#include "app/label/label_graph.h"
#include "sql/graph_tables.h"

namespace croft {

struct PredictionTable {
  std::string path;                   // of a SQLite database
  std::string table = "predictions";  // (domain, id, label, probability)
  bool marginals = false;             // and TABLE_marginals, a row for each label
  bool overwrite = false;             // whoever made what is there
};

// Throws UsageError for files that are no SQLite database, and for a table of that name that croft
// did not make, unless it is to be overwritten.
void check_prediction_table(const PredictionTable& to);

// In one transaction: readers see the old table or the new one.  Throws as
// check_prediction_table(), and Error where the database cannot be written.
void write_prediction_table(const PredictionTable& to, const GraphTables& tables,
                            const GraphLabels& labels);

}  // namespace croft
