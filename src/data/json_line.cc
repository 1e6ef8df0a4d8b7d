#include "data/json_line.h"

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::size_t kDeepest = 64;

[[noreturn]] void fail(const JsonError& error, std::string_view line, const LineReader& lines,
                       std::string_view form) {
  switch (error.fault()) {
    case JsonError::Fault::depth:
      throw InputError(lines.location(), "values nested more than 64 deep", "", "flatten them");
    case JsonError::Fault::repeated_key:
      throw InputError(lines.location(), "a key that stands twice", error.what(),
                       "keep one of the two");
    case JsonError::Fault::number_range:
      throw InputError(lines.location(), "a line that is not JSON, or has a number out of range",
                       line, form);
    default:
      throw InputError(lines.location(error.byte()), "a line that is not JSON, from here on", line,
                       form);
  }
}

}  // namespace

Json parse_json_line(std::string_view line, const LineReader& lines, std::string_view form) {
  Json object;
  try {
    object = parse_json(line, {KeyOrder::as_written, true, kDeepest});
  } catch (const JsonError& error) {
    fail(error, line, lines, form);
  }
  if (object.is_object()) return object;
  throw InputError(lines.location(), "a line that is no JSON object", line, form);
}

}  // namespace croft
