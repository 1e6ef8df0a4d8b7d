#include "croft/core/error.h"

#include "core/unicode.h"
#include "croft/core/message.h"

namespace croft {

std::string place_of(const Location& where) {
  std::string out = where.file;
  if (where.line > 0) out += (out.empty() ? "line " : ":") + std::to_string(where.line);
  if (where.line > 0 && where.column > 0) out += ":" + std::to_string(where.column);
  return out;
}

InputError::InputError(Location where, Message fault)
    : Error(place_of(where), std::string_view(place_of(where).empty() ? "" : ": "), fault),
      where_(std::move(where)),
      fault_(std::move(fault)) {}

Message InputError::fault_of(const Message& problem, std::string_view text, const Message& remedy) {
  Message fault = problem;
  if (!text.empty()) fault.add({": ", in_quotes(text)});
  if (!remedy.empty()) fault.add({"; ", remedy});
  return fault;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::size_t end = text.size();
  if (end > limit) {
    end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  std::string out = "\"";
  for (std::size_t at = 0; at < end;) {
    const auto c = static_cast<unsigned char>(text[at]);
    const DecodedCharacter character = decode(text.substr(0, end), at);
    if (c == '"' || c == '\\') {
      out += {'\\', static_cast<char>(c)};
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c < 0x20 || c == 0x7F || character.value == kInvalidByte) {
      out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
    } else {
      out += text.substr(at, character.size);
    }
    at += character.size;
  }
  out += '"';
  if (end < text.size()) out += "…";
  return out;
}

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_of_name(char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '-'; }

}  // namespace

void Message::mark() {
  for (std::size_t at = 0; (at = text_.find("--", at)) != text_.npos;) {
    std::size_t end = at + 2;
    while (end < text_.size() && is_of_name(text_[end])) ++end;
    if (end > at + 2 && is_lower(text_[at + 2])) options_.push_back({at, end - at});
    at = end;
  }
}

Message Message::option(std::string_view name) {
  Message message("--", name);
  message.options_.push_back({0, message.text_.size()});
  return message;
}

void Message::add(const Message& more) {
  for (const Place& each : more.options_) {
    options_.push_back({text_.size() + each.begin, each.length});
  }
  text_ += more.text_;
}

}  // namespace croft
