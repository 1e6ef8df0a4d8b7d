// CSV files as tables of a database.
#pragma once
#include <string>
#include <vector>

struct sqlite3;

namespace croft {

// Each file NAME.csv or NAME.tsv becomes a table NAME.  A column is of whole numbers, of numbers or
// of texts, by all of its cells; an empty cell is NULL, and a number with a leading zero (a post
// code) makes its column one of texts.  Throws UsageError for another extension or a name twice,
// InputError for a bad file.
void import_csv(const std::vector<std::string>& paths, sqlite3* database);

}  // namespace croft
