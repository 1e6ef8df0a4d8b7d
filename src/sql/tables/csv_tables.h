// CSV files as tables of a database.
#pragma once
#include <string>
#include <vector>

#include "croft/core/message.h"

struct sqlite3;

namespace croft {

// Each file NAME.csv or NAME.tsv becomes a table NAME.  A column is of whole numbers, of numbers or
// of texts, by all of its cells; an empty cell is NULL, and a number with a leading zero (a post
// code) makes its column one of texts.  Throws UsageError for another extension or a name twice,
// InputError for a bad file.
//   option : that names the files, for messages
void import_csv(const std::vector<std::string>& paths, const Message& option, sqlite3* database);

}  // namespace croft
