#include "features/text/word_shape.h"

namespace croft {

char shape_sign(char32_t value, CharacterClass kind) {
  switch (kind) {
    case CharacterClass::upper:
      return 'X';
    case CharacterClass::lower:
      return 'x';
    case CharacterClass::letter:
      return 'o';
    case CharacterClass::digit:
    case CharacterClass::number:
      return 'd';
    case CharacterClass::mark:
      return 0;
    default:
      break;
  }
  if (value > ' ' && value < 0x7F) return static_cast<char>(value);
  switch (kind) {
    case CharacterClass::dash:
      return '-';
    case CharacterClass::open:
      return '(';
    case CharacterClass::close:
      return ')';
    case CharacterClass::quote:
      return '"';
    case CharacterClass::punctuation:
      return '.';
    case CharacterClass::currency:
      return '$';
    case CharacterClass::symbol:
      return '+';
    default:
      return '?';
  }
}

void append_shape(std::string_view word, std::size_t run, std::string& out) {
  char last = 0;
  std::size_t length = 0;
  for (std::size_t at = 0; at < word.size();) {
    const DecodedCharacter c = decode(word, at);
    at += c.size;
    const char next = shape_sign(c.value, character_class(c.value));
    if (next == 0) continue;
    length = next == last ? length + 1 : 1;
    last = next;
    if (length <= run) out += next;
  }
}

std::string_view first_characters(std::string_view word, std::size_t n) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < word.size();) {
    const DecodedCharacter c = decode(word, at);
    const bool begins = at == 0 || character_class(c.value) != CharacterClass::mark;
    if (begins && ++characters > n) return word.substr(0, at);
    at += c.size;
  }
  return characters == n ? word : std::string_view();
}

std::string_view last_characters(std::string_view word, std::size_t n) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < word.size();) {
    const DecodedCharacter c = decode(word, at);
    characters += at == 0 || character_class(c.value) != CharacterClass::mark;
    at += c.size;
  }
  if (characters < n) return {};
  return word.substr(first_characters(word, characters - n).size());
}

}  // namespace croft
