// Data lines of GRMM (MALLET's package for general CRFs) as tables of a database.
//
//   DET  Sing ---- This W=this CAP=True
//   NOUN Sing ---- story
//
// A line is a position: its labels, one for each track, four dashes, its features.  Empty lines end
// sequences.
//
//   token(id, instance, next, label0, label1, …, label9)   next: the id that follows in the
//                                                         sequence, or NULL; labels may be NULL
//   feature(token, name)
#pragma once
#include <string>
#include <vector>

#include "croft/data/line_reader.h"

struct sqlite3;

namespace croft {

// Whether the first line that is not empty has four dashes between its words, and the name ends in
// neither .csv nor .tsv.
bool is_grmm_data(const std::string& path);

// Sequences of several files follow each other.  There are more columns of labels where lines have
// more.  Throws InputError (file, line, text, remedy) for a line without dashes, one that has
// another number of labels than those before it (none at all is allowed), and what is not UTF-8.
void import_grmm(std::vector<LineReader> files, sqlite3* database);

}  // namespace croft
