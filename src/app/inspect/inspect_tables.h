// Tables that the summaries of all kinds of models end in.  Internal to app/.
#pragma once
#include <string>
#include <string_view>

#include "model/file/container.h"

namespace croft {
class Json;

std::string readable(const Json& value);  // strings escaped(), numbers with 8 digits
// Model, kind, file size, labels, a line each: what a summary begins with.
std::string summary_head(const Container& container, std::string_view kind, std::size_t labels);
// "  name in words         value"; of an object a line for each of its fields.
void append_field(std::string& out, std::string name, const Json& value);
void append_fields(std::string& out, std::string_view title, const Json& fields);
void append_sections(std::string& out, const Container& container);
Json sections_json(const Container& container);  // [{"name", "bytes", "bulk"}]

}  // namespace croft
