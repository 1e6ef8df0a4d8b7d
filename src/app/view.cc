#include "app/view.h"

#include <fmt/format.h>

#include <algorithm>

namespace croft {
namespace {

// "  name in words         value"; of an object a line for each of its fields.
void append_field(std::string& out, std::string name, const Json& value) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) append_field(out, name + " " + key, inner);
    return;
  }
  std::ranges::replace(name, '_', ' ');
  out += fmt::format("  {:<23} {}\n", escaped(name), readable(value));
}

std::string formatted(const Json& cell, std::string_view format) {
  if (cell.is_number_float()) return fmt::format(fmt::runtime(format), cell.get<double>());
  if (cell.is_number_unsigned()) return fmt::format(fmt::runtime(format), cell.get<std::size_t>());
  if (cell.is_number()) return fmt::format(fmt::runtime(format), cell.get<std::int64_t>());
  if (!cell.is_array()) return fmt::format(fmt::runtime(format), escaped(cell.string()));
  std::string list;
  for (const Json& each : cell) list += (list.empty() ? "" : ", ") + escaped(each.string());
  return fmt::format(fmt::runtime(format), list);
}

// The format of a column's head: without sign, digits and kind of number.
std::string head_format(std::string_view format) {
  std::string out;
  for (std::size_t k = 0; k < format.size(); ++k) {
    if (format[k] == '.') k = std::min(format.find('}', k), format.size() - 1);
    if (format[k] != '+') out += format[k];
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

std::string readable(const Json& value) {
  if (value.is_string()) return escaped(value.string());
  if (value.is_number_float()) return fmt::format("{:.8g}", value.get<double>());
  return value.dump(-1, InvalidUtf8::replace);
}

void View::line(std::string_view name, std::string_view value) {
  text += fmt::format("{:<14}{}\n", name, value);
}

void View::fact(std::string_view key, Json value, std::string_view after) {
  std::string name(key);
  std::ranges::replace(name, '_', ' ');
  line(name,
       (value.is_array() ? std::to_string(value.size()) : readable(value)) + std::string(after));
  json[key] = std::move(value);
}

void View::fields(std::string_view title, const Json& fields,
                  std::initializer_list<std::string_view> first) {
  text += fmt::format("\n{}\n", title);
  Json rest = fields;
  for (const std::string_view name : first) {
    const Json* const value = rest.get_if(name);
    if (value == nullptr) continue;
    append_field(text, std::string(name), *value);
    rest.erase(name);
  }
  for (const auto& [name, value] : rest.items()) append_field(text, name, value);
}

void View::lines(std::string_view all, std::size_t blanks, bool dense) {
  while (!all.empty()) {
    const std::size_t end = std::min(all.find('\n'), all.size());
    const std::string line = escaped(all.substr(0, end));
    if (!dense || line.find_first_not_of(' ') != line.npos) {
      text.append(blanks, ' ').append(line) += '\n';
    }
    all.remove_prefix(std::min(end + 1, all.size()));
  }
}

void View::table(std::string_view key, std::initializer_list<ViewColumn> columns,
                 const std::vector<Row>& rows) {
  if (std::ranges::any_of(columns, [](const ViewColumn& c) { return !c.head.empty(); })) {
    text += '\n';
    for (const ViewColumn& column : columns) {
      if (!column.format.empty()) {
        text += fmt::format(fmt::runtime(head_format(column.format)), column.head);
      }
    }
    text += '\n';
  }
  if (!key.empty()) json[key] = Json::array();
  for (const ViewColumn& column : columns) {
    if (key.empty() && !column.key.empty()) json[column.key] = Json::array();
  }
  for (const Row& row : rows) {
    Json object = Json::object();
    auto cell = row.begin();
    for (const ViewColumn& column : columns) {
      if (!column.format.empty()) text += formatted(*cell, column.format);
      if (!column.key.empty() && key.empty()) json[column.key].push_back(*cell);
      if (!column.key.empty() && !key.empty()) object[column.key] = *cell;
      ++cell;
    }
    text += '\n';
    if (!key.empty()) json[key].push_back(std::move(object));
  }
}

}  // namespace croft
