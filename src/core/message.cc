#include "croft/core/message.h"

namespace croft {
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
