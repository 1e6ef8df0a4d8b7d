// Where the tokens of a text are.  Nothing is dropped: between tokens there are blanks alone.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace croft {

// Bytes [begin, end) of a text.
struct TextPlace {
  std::size_t begin = 0, end = 0;
  bool operator==(const TextPlace&) const = default;
};

// Immutable; share it between threads.
class TextTokenizer {
 public:
  virtual ~TextTokenizer() = default;
  // In order, none empty, without overlap; every character that is no blank is in one of them.
  virtual std::vector<TextPlace> tokens(std::string_view text) const = 0;
};

inline constexpr std::string_view kUsualTokenizer = "words";

//   words       letters and digits, also on both sides of a hyphen, an apostrophe, a slash or a
//               point; every other character by itself
//   blanks      what stands between blanks
//   characters  every character by itself
//   regex:R     what the regular expression R (RE2's) matches, and what is left between blanks and
//               these
// Throws UsageError for any other name, and for an R that is none or can match nothing.
std::shared_ptr<const TextTokenizer> tokenizer_named(std::string_view name);

// The byte at which each character begins, and the end: offsets of people count characters.
class CharacterPlaces {
 public:
  explicit CharacterPlaces(std::string_view text);
  // As those count who read a file in lines: a carriage return and a newline are one character, and
  // a byte order mark at the front is none.
  static CharacterPlaces of_lines(std::string_view text);
  std::size_t size() const { return begin_.size() - 1; }
  std::size_t byte(std::size_t character) const { return begin_[character]; }
  // The character that begins at the byte, or the first one after it; size() for the end.
  std::size_t character(std::size_t byte) const;

 private:
  std::vector<std::size_t> begin_;  // [size() + 1]
};

}  // namespace croft
