#include "app/inspect/inspect_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/inspect/inspect.h"
#include "core/json.h"

namespace croft {

std::string readable(const Json& value) {
  if (value.is_string()) return escaped(value.string());
  if (value.is_number_float()) return fmt::format("{:.8g}", value.get<double>());
  return value.dump(-1, InvalidUtf8::replace);
}

std::string summary_head(const Container& container, std::string_view kind, std::size_t labels) {
  return fmt::format(
      "model         {}\nkind          {}\nfile size     {} bytes\nlabels        {}\n",
      escaped(container.name()), kind, container.file_size(), labels);
}

void append_field(std::string& out, std::string name, const Json& value) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) append_field(out, name + " " + key, inner);
    return;
  }
  std::ranges::replace(name, '_', ' ');
  out += fmt::format("  {:<23} {}\n", escaped(name), readable(value));
}

void append_fields(std::string& out, std::string_view title, const Json& fields) {
  out += fmt::format("\n{}\n", title);
  for (const auto& [name, value] : fields.items()) append_field(out, name, value);
}

void append_sections(std::string& out, const Container& container) {
  out += fmt::format("\n{:<24}{:>14}\n", "section", "bytes");
  for (const Container::Entry& entry : container.entries()) {
    out += fmt::format("{:<24}{:>14}\n", escaped(entry.name), entry.size);
  }
}

Json sections_json(const Container& container) {
  Json sections = Json::array();
  for (const Container::Entry& entry : container.entries()) {
    sections.push_back({{"name", entry.name}, {"bytes", entry.size}, {"bulk", entry.bulk}});
  }
  return sections;
}

}  // namespace croft
