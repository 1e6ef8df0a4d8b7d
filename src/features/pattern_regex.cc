#include "features/pattern_regex.h"

#include <re2/re2.h>

#include "core/unicode.h"
#include "croft/core/error.h"

namespace croft {
namespace {

struct ClassName {
  char letter;
  std::string_view unicode, bytes;  // members of an RE2 set, the same ones within ASCII
};

constexpr ClassName kClasses[] = {
    {'a', "\\pL\\pM", "A-Za-z"},
    {'d', "\\p{Nd}", "0-9"},
    {'l', "\\p{Ll}", "a-z"},
    {'p', "\\pP\\pS", "!-/:-@\\[-`{-~"},
    {'s', "\\t-\\r\\pZ", "\\t-\\r "},
    {'u', "\\p{Lu}\\p{Lt}", "A-Z"},
    {'w', "\\pL\\pM\\p{Nd}", "0-9A-Za-z"},
};

// A class of Unicode takes RE2 about 2 ms to compile and a thousand of them would overrun its
// memory: this bound keeps any template quick to read, and no expression that a person writes comes
// near it.
constexpr std::size_t kLongestExpression = 256;

// RE2's set for the class \letter, or "" when the letter names none.
std::string class_set(char letter, Alphabet alphabet) {
  for (const ClassName& known : kClasses) {
    if (known.letter != ascii_lower(letter)) continue;
    std::string set = known.letter == letter ? "[" : "[^";
    set += alphabet == Alphabet::unicode ? known.unicode : known.bytes;
    return set + "]";
  }
  return "";
}

// `character` as RE2 writes it when it stands for itself.
std::string literal(std::string_view character) {
  return RE2::QuoteMeta(re2::StringPiece(character.data(), character.size()));
}

// One character of `source` (an escaped one with its backslash) at `at`, translated; moves `at`.
std::string translate_character(std::string_view source, Alphabet alphabet, std::size_t& at) {
  const bool escaped = source[at] == '\\';
  if (escaped && ++at == source.size()) throw Error("a \"\\\" at the end escapes nothing");
  if (!escaped && (source[at] == '*' || source[at] == '?')) {
    throw Error(std::string("\"") + source[at] + "\" has nothing to repeat");
  }
  const std::size_t begin = at;
  at += alphabet == Alphabet::unicode ? decode(source, at).size : 1;
  const std::string_view character = source.substr(begin, at - begin);
  if (escaped) {
    const std::string set = class_set(character[0], alphabet);
    return set.empty() ? literal(character) : set;
  }
  return character == "." ? "." : literal(character);
}

std::unique_ptr<RE2> compile(std::string_view source, Alphabet alphabet) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_encoding(alphabet == Alphabet::unicode ? RE2::Options::EncodingUTF8
                                                     : RE2::Options::EncodingLatin1);
  auto regex = std::make_unique<RE2>(translate_pattern(source, alphabet), options);
  // What the translation makes is well formed, and its length is bounded: no input gets here.
  if (!regex->ok()) throw Error("RE2 refuses it, " + regex->error());
  return regex;
}

}  // namespace

std::string translate_pattern(std::string_view source, Alphabet alphabet) {
  if (source.size() > kLongestExpression) throw Error("longer than 256 bytes");
  std::string out;
  std::size_t at = 0;
  if (source.starts_with('^')) {
    out += "\\A";
    ++at;
  }
  while (at < source.size()) {
    if (source[at] == '$' && at + 1 == source.size()) {
      out += "\\z";
      break;
    }
    out += translate_character(source, alphabet, at);
    if (at < source.size() && source[at] == '*') {
      out += "*?";
      ++at;
    } else if (at < source.size() && source[at] == '?') {
      out += '?';
      ++at;
    }
  }
  return out;
}

PatternRegex::PatternRegex(std::string_view source, Alphabet alphabet)
    : unicode_(alphabet == Alphabet::unicode && is_valid_utf8(source)
                   ? compile(source, Alphabet::unicode)
                   : nullptr),
      bytes_(compile(source, Alphabet::bytes)) {}
PatternRegex::~PatternRegex() = default;
PatternRegex::PatternRegex(PatternRegex&&) noexcept = default;
PatternRegex& PatternRegex::operator=(PatternRegex&&) noexcept = default;

const re2::RE2& PatternRegex::regex_for(std::string_view cell) const {
  return unicode_ != nullptr && is_valid_utf8(cell) ? *unicode_ : *bytes_;
}

bool PatternRegex::find(std::string_view cell, std::string_view& match) const {
  const re2::StringPiece text(cell.data(), cell.size());
  re2::StringPiece found;
  if (!regex_for(cell).Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)) return false;
  match = std::string_view(found.data(), found.size());
  return true;
}

bool PatternRegex::matches(std::string_view cell) const {
  const re2::StringPiece text(cell.data(), cell.size());
  return regex_for(cell).Match(text, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

}  // namespace croft
