#include "app/infer/svg_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/unicode.h"

namespace croft {

std::string svg_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      const bool blank = c == '\t' || c == '\n' || c == '\r';
      out += !blank && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) ? '?' : c;
    }
  }
  if (is_valid_utf8(out)) return out;
  std::ranges::replace_if(
      out, [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; }, '?');
  return out;
}

std::string svg_text_at(double x, double y, std::string_view style, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style,
                     svg_escaped(text));
}

std::string svg_shortened(std::string_view text, std::size_t most) {
  std::size_t at = 0, characters = 0;
  for (; at < text.size() && characters < most; ++characters) at += decode(text, at).size;
  return std::string(text.substr(0, at)) + (at < text.size() ? "…" : "");
}

}  // namespace croft
