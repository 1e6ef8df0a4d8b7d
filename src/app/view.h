// What is shown of something: lines and tables for people, JSON for programs, and of that Python's
// objects.
//
// A value is handed in once and stands in both.  The parts are added in the order in which people
// read them.  In text, control bytes are shown as escaped() writes them.
#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace croft {

using WriteText = std::function<void(std::string_view)>;

// Tab, line feed and backslash as \t, \n and \\; other bytes below 0x20, and 0x7f, as \x and two
// hexadecimal digits.  Everything else as it is.
std::string escaped(std::string_view text);
std::string readable(const Json& value);  // strings escaped(), numbers with 8 digits

struct ViewColumn {
  std::string_view key;     // of a cell in JSON; empty: for people alone
  std::string_view head;    // above it
  std::string_view format;  // of a cell, as fmt has it: "{:>8}"; empty: for programs alone
};

class View {
 public:
  using Row = std::vector<Json>;  // [columns]; a list's members are shown with commas between them

  // For programs.  Strings are copied byte by byte: dump() throws where they are not UTF-8, unless
  // it is told to replace.
  Json json = Json::object();
  std::string text;  // for people

  // A line "name          value", for people alone.
  void line(std::string_view name, std::string_view value);
  // The same of the value of a key, which with blanks is the name; of a list its length.
  //   after : behind the value
  void fact(std::string_view key, Json value, std::string_view after = {});
  // A title, and "  name in words         value"; of an object a line for each of its fields.
  //   first : those that come first
  void fields(std::string_view title, const Json& fields,
              std::initializer_list<std::string_view> first = {});
  // The lines of a text, each with so many blanks before it, escaped; those of blanks alone are
  // left out where `dense`.
  void lines(std::string_view text, std::size_t blanks = 2, bool dense = false);
  // Under a line of heads, where there are any.
  //   key : of a list of objects; empty: each column with a key is a list of its own
  void table(std::string_view key, std::initializer_list<ViewColumn> columns,
             const std::vector<Row>& rows);
};

}  // namespace croft
