// The regular expressions of Wapiti's patterns, carried out by RE2.
//
//   .        any character
//   \d \a \w \l \u \p \s   digit, letter, letter or digit, lower case, upper case, punctuation,
//   space;
//            the letter in upper case: any character but those
//   \c       the character c itself, for every other c
//   x* x?    any number of x, as few as the rest allows; one x or none, one if the rest allows
//   ^ $      start and end, as the first and as the last character only
//
// There are no groups, alternatives or sets.  A match is the leftmost one.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace croft {

// What a character is: a code point, with Unicode's classes, or a byte, with those of ASCII.
enum class Alphabet { unicode, bytes };

inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The same expression in RE2's syntax.  Throws Error saying what is wrong with `source`: a "*" or
// "?" after nothing, a "\" at the end.
std::string translate_pattern(std::string_view source, Alphabet alphabet);

// Immutable and safe to share among threads.
class PatternRegex {
 public:
  // Throws Error as translate_pattern does.
  //   alphabet : bytes: whatever the cell is, it is matched byte by byte
  explicit PatternRegex(std::string_view source, Alphabet alphabet = Alphabet::unicode);
  ~PatternRegex();
  PatternRegex(PatternRegex&&) noexcept;
  PatternRegex& operator=(PatternRegex&&) noexcept;

  // The first match in `cell`, as a part of it; false when there is none.  Time linear in `cell`.
  // A cell (or an expression) that is not valid UTF-8 is matched byte by byte.
  bool find(std::string_view cell, std::string_view& match) const;
  bool matches(std::string_view cell) const;  // whether there is a match; a little cheaper

 private:
  const re2::RE2& regex_for(std::string_view cell) const;
  // unicode_: null where the source is not UTF-8, or its alphabet is bytes.
  std::unique_ptr<re2::RE2> unicode_, bytes_;
};

}  // namespace croft
