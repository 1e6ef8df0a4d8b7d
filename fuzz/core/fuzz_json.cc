// Any bytes as JSON: a JsonError that points into the text, or a value that reads back equal when
// written, on one line and indented, in either order of keys.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/json.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_json {

namespace {

void read(std::string_view text, const croft::JsonParseOptions& options) {
  croft::Json value;
  try {
    value = croft::parse_json(text, options);
  } catch (const croft::JsonError& error) {
    require(error.byte() <= text.size() + 1, "a fault outside the text");
    return;
  }
  const std::string line = value.dump(), indented = value.dump(2);
  require(line.find('\n') == line.npos, "more than a line");
  require(croft::parse_json(line, options) == value, "not the same again");
  require(croft::parse_json(indented, options) == value, "not the same again when indented");
  require(croft::parse_json(indented, options).dump() == line, "other bytes again");
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_json) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text, {});
  read(text, {.order = croft::KeyOrder::as_written, .refuse_repeated_keys = true, .depth = 8});
  return 0;
}

}  // namespace fuzz_json
