#include "core/unicode.h"

#include <algorithm>
#include <iterator>

#include <utf8proc.h>

#include <array>
#include <cstring>

namespace croft {
namespace {

bool is_ascii_upper(char byte) { return byte >= 'A' && byte <= 'Z'; }

CharacterClass class_of_category(utf8proc_category_t category) {
  switch (category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
      return CharacterClass::upper;
    case UTF8PROC_CATEGORY_LL:
      return CharacterClass::lower;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharacterClass::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
      return CharacterClass::mark;
    case UTF8PROC_CATEGORY_ND:
      return CharacterClass::digit;
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharacterClass::number;
    case UTF8PROC_CATEGORY_PD:
      return CharacterClass::dash;
    case UTF8PROC_CATEGORY_PS:
      return CharacterClass::open;
    case UTF8PROC_CATEGORY_PE:
      return CharacterClass::close;
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
      return CharacterClass::quote;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PO:
      return CharacterClass::punctuation;
    case UTF8PROC_CATEGORY_SC:
      return CharacterClass::currency;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return CharacterClass::symbol;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CharacterClass::space;
    default:
      return CharacterClass::other;
  }
}

CharacterClass class_of_ascii(char32_t value) {
  if (value == '"' || value == '\'') return CharacterClass::quote;
  if (value >= '\t' && value <= '\r') return CharacterClass::space;
  return class_of_category(utf8proc_category(static_cast<utf8proc_int32_t>(value)));
}

// Most characters of most texts: one load instead of a walk through Unicode's tables.
const std::array<CharacterClass, 128> kAsciiClasses = [] {
  std::array<CharacterClass, 128> classes;
  for (char32_t c = 0; c < 128; ++c) classes[c] = class_of_ascii(c);
  return classes;
}();

// Number of ASCII bytes from `at` on.
std::size_t ascii_run(std::string_view text, std::size_t at) {
  std::size_t end = at;
  for (; end + 8 <= text.size(); end += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data() + end, 8);
    if (bytes & 0x8080808080808080u) break;
  }
  while (end < text.size() && static_cast<unsigned char>(text[end]) < 0x80) ++end;
  return end - at;
}

}  // namespace

DecodedCharacter decode_multibyte(std::string_view text, std::size_t at) {
  utf8proc_int32_t value = 0;
  const utf8proc_ssize_t size =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                       static_cast<utf8proc_ssize_t>(text.size() - at), &value);
  if (size <= 0) return {kInvalidByte, 1};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(size)};
}

void append_utf8(char32_t value, std::string& out) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(value), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

bool is_valid_utf8(std::string_view text) {
  std::size_t at = ascii_run(text, 0);
  while (at < text.size()) {
    const DecodedCharacter c = decode(text, at);
    if (c.value == kInvalidByte) return false;
    at += c.size;
  }
  return true;
}

CharacterClass character_class(char32_t value) {
  if (value < 128) return kAsciiClasses[value];
  if (value >= kInvalidByte) return CharacterClass::other;
  return class_of_category(utf8proc_category(static_cast<utf8proc_int32_t>(value)));
}

bool is_word_character(char32_t value) {
  switch (character_class(value)) {
    case CharacterClass::upper:
    case CharacterClass::lower:
    case CharacterClass::letter:
    case CharacterClass::mark:
    case CharacterClass::digit:
    case CharacterClass::number:
      return true;
    default:
      return false;
  }
}

bool is_unspaced(char32_t value) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kRanges[] = {
      {0x0E01, 0x0EFF},    // Thai, Lao
      {0x1000, 0x109F},    // Burmese
      {0x1780, 0x17FF},    // Khmer
      {0x3005, 0x3007},    // marks of repetition, zero
      {0x3041, 0x30FF},    // kana
      {0x31F0, 0x31FF},    // more kana
      {0x3400, 0x4DBF},    // Chinese characters
      {0x4E00, 0x9FFF},    //
      {0xF900, 0xFAFF},    //
      {0xFF66, 0xFF9F},    // kana of half the width
      {0x20000, 0x323AF},  // Chinese characters
  };
  const auto* next = std::ranges::upper_bound(kRanges, value, {}, &Range::first);
  if (next == std::begin(kRanges) || value > std::prev(next)->last) return false;
  return is_word_character(value);  // and not punctuation of these scripts
}

char32_t to_lower(char32_t value) {
  if (value < 128) return value >= 'A' && value <= 'Z' ? value + ('a' - 'A') : value;
  if (value >= kInvalidByte) return value;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(value)));
}

void append_lower(std::string_view text, std::string& out) {
  const std::size_t ascii = ascii_run(text, 0), begin = out.size();
  out.append(text.substr(0, ascii));
  for (std::size_t i = begin; i < out.size(); ++i) {
    if (is_ascii_upper(out[i])) out[i] = static_cast<char>(out[i] + ('a' - 'A'));
  }
  for (std::size_t at = ascii; at < text.size();) {
    const DecodedCharacter c = decode(text, at);
    const char32_t lower = to_lower(c.value);
    if (lower == c.value) {  // among them the invalid bytes
      out.append(text.substr(at, c.size));
    } else {
      append_utf8(lower, out);
    }
    at += c.size;
  }
}

}  // namespace croft
