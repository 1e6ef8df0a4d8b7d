// Lists of names of things, for features of segments that are in them.
//
// One name a line: its tokens, as the data has them, with blanks between; then optionally a TAB and
// the name of the list that it belongs to.
#pragma once
#include <string>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

struct NameList {
  std::string name;
  std::vector<std::string> entries;  // tokens with single spaces between
};

// Adds the names of a file to the lists of their names, new ones behind those that are there.
//   name : of the list of names without one of their own
// Throws InputError (file, line) for a line without tokens, an empty list's name, one with blanks,
// a second TAB, and for a file without a name.
void read_name_list_file(LineReader& lines, const std::string& name, std::vector<NameList>& lists);

}  // namespace croft
