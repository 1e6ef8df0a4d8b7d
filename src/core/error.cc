#include "croft/core/error.h"

namespace croft {
namespace {

std::string message(const Location& where, std::string_view problem, std::string_view text,
                    std::string_view remedy) {
  std::string out = where.file;
  if (where.line > 0) out += (out.empty() ? "line " : ":") + std::to_string(where.line);
  if (where.line > 0 && where.column > 0) out += ":" + std::to_string(where.column);
  if (!out.empty()) out += ": ";
  out += problem;
  if (!text.empty()) out += ": " + in_quotes(text);
  if (!remedy.empty()) out.append("; ").append(remedy);
  return out;
}

}  // namespace

InputError::InputError(Location where, std::string_view problem, std::string_view text,
                       std::string_view remedy)
    : Error(message(where, problem, text, remedy)), where_(std::move(where)) {}

std::string in_quotes(std::string_view text, std::size_t limit) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::size_t end = text.size();
  if (end > limit) {
    end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  std::string out = "\"";
  for (unsigned char c : text.substr(0, end)) {
    if (c == '"' || c == '\\') {
      out += {'\\', static_cast<char>(c)};
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c < 0x20 || c == 0x7F) {
      out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
    } else {
      out += static_cast<char>(c);
    }
  }
  out += '"';
  if (end < text.size()) out += "…";
  return out;
}

}  // namespace croft
