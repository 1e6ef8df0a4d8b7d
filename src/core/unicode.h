// UTF-8 text, character by character: decoding, lower case, classes.
//
// Text from the world is not always UTF-8.  Nothing here refuses it: a byte that belongs to no
// valid character is a character of its own, of class `other`, and is copied as it is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace croft {

inline constexpr char32_t kInvalidByte = 0x110000;  // the value of a byte that is no UTF-8

struct DecodedCharacter {
  char32_t value;    // a code point, or kInvalidByte
  std::size_t size;  // bytes, 1 to 4
};

// What Unicode's general categories come to for the shape of a word.
enum class CharacterClass : std::uint8_t {
  upper,        // Lu, Lt
  lower,        // Ll
  letter,       // Lm, Lo: letters of scripts without case
  mark,         // Mn, Mc, Me, Cf: accents, vowel signs, joiners: part of the character before them
  digit,        // Nd
  number,       // Nl, No: fractions, superscripts, Roman numerals
  dash,         // Pd
  open,         // Ps
  close,        // Pe
  quote,        // Pi, Pf, and the ASCII " and '
  punctuation,  // Pc, Po
  currency,     // Sc
  symbol,       // Sm, Sk, So
  space,        // Zs, Zl, Zp, and the ASCII blanks
  other,        // controls, unassigned, invalid bytes
};

// The character that starts at byte `at` (< text.size()).
DecodedCharacter decode_multibyte(std::string_view text, std::size_t at);
inline DecodedCharacter decode(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {byte, 1};
  return decode_multibyte(text, at);
}

// Bytes that do not continue a character: the columns that a text takes, near enough.
std::size_t character_count(std::string_view text);

// value: a code point, not a surrogate.
void append_utf8(char32_t value, std::string& out);

// Surrogates, overlong forms and values above U+10FFFF are invalid, as Unicode has it.
bool is_valid_utf8(std::string_view text);

CharacterClass character_class(char32_t value);

inline bool is_blank_character(char32_t value) {
  return character_class(value) == CharacterClass::space;
}
// Letters, digits and numbers, and the marks that belong to them.
bool is_word_character(char32_t value);

// Whether words of its script stand without spaces between them: Chinese characters, kana, Thai,
// Lao, Khmer, Burmese; their vowel signs and tone marks, too.
bool is_unspaced(char32_t value);

// Unicode's simple case mapping, one character to one, the same in every language.
char32_t to_lower(char32_t value);

// Appends `text` in lower case; invalid bytes unchanged.  About 1 ns a byte for ASCII.
void append_lower(std::string_view text, std::string& out);

}  // namespace croft
