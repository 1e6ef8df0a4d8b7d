// A line of JSON Lines: one object.
#pragma once
#include <string_view>

#include "core/json.h"
#include "croft/data/line_reader.h"

namespace croft {

// The object that the line last read holds, its keys in their order.  Throws InputError (file,
// line, byte, text, remedy) for what is no object, a key that stands twice, and values nested more
// than 64 deep: they would overflow the stack where they are written again.
//   form : the remedy, which shows what a line looks like
Json parse_json_line(std::string_view line, const LineReader& lines, std::string_view form);

}  // namespace croft
