#include "bugs/language/tokens.h"

#include <algorithm>
#include <array>

#include "core/parse_number.h"

namespace croft::bugs {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool goes_on(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '_'; }

// 12, 1.5, 3., .5, 1e-3: bytes of the number at the start; 0: there is none.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0, digits = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) ++digits;
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && is_digit(text[i]); ++i) ++digits;
  }
  if (digits == 0) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
    const std::size_t exponent = j;
    while (j < text.size() && is_digit(text[j])) ++j;
    if (j > exponent) i = j;
  }
  return i;
}

// Longer ones first.
constexpr std::array<std::string_view, 8> kLongSigns = {
    "<-", "**", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kSigns = "(){}[],;~=<>+-*/^:!";

class TokenReader {
 public:
  TokenReader(LineReader& lines, TokenLanguage language)
      : lines_(lines), r_(language == TokenLanguage::r_dump) {}

  Tokens read() {
    out_.file = lines_.name();
    std::string_view line;
    while (lines_.next(line)) {
      for (at_ = 0; at_ < line.size();) read(line.substr(at_));
      last_column_ = line.size() + 1;
      if (quote_ != 0) out_.tokens.back().text += '\n';
    }
    if (in_comment_) {
      throw InputError(opened_, "this comment has no end", "", "write */ where it ends");
    }
    if (quote_ != 0) {
      throw InputError(opened_, "this quoted text has no end",
                       std::string_view(out_.tokens.back().text),
                       Message("write the second ", std::string(1, quote_)));
    }
    const std::size_t last_line = std::max<std::size_t>(lines_.line_number(), 1);
    out_.tokens.push_back({.line = last_line, .column = last_column_});
    return std::move(out_);
  }

 private:
  // Takes what stands at the start of the rest of a line.
  void read(std::string_view rest) {
    if (in_comment_) {
      const std::size_t end = rest.find("*/");
      in_comment_ = end == rest.npos;
      at_ += in_comment_ ? rest.size() : end + 2;
    } else if (quote_ != 0) {
      read_quoted(rest);
    } else if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\f') {
      ++at_;
    } else if (rest[0] == '#') {
      at_ += rest.size();
    } else if (!r_ && rest.starts_with("/*")) {
      in_comment_ = true;
      opened_ = lines_.location(at_ + 1);
      at_ += 2;
    } else if (rest[0] == '"' || (r_ && (rest[0] == '\'' || rest[0] == '`'))) {
      quote_ = rest[0];
      opened_ = lines_.location(at_ + 1);
      push(TokenKind::quoted, {});
      ++at_;
    } else {
      const std::size_t length = take(rest);
      at_ += length;
    }
  }

  void read_quoted(std::string_view rest) {
    std::string& text = out_.tokens.back().text;
    std::size_t i = 0;
    for (; i < rest.size() && rest[i] != quote_; ++i) {
      if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
      text += rest[i];
    }
    if (i < rest.size()) quote_ = 0, ++i;
    at_ += i;
  }

  std::size_t take(std::string_view text) {
    if (const std::size_t length = number_length(text); length > 0) return number(text, length);
    if (is_letter(text[0]) || (r_ && text[0] == '.')) {
      std::size_t length = 1;
      while (length < text.size() && goes_on(text[length])) ++length;
      return push(TokenKind::name, text.substr(0, length));
    }
    if (text[0] == '%') return special(text);
    for (const std::string_view sign : kLongSigns) {
      if (text.starts_with(sign)) return push(TokenKind::sign, sign);
    }
    if (kSigns.find(text[0]) != kSigns.npos) return push(TokenKind::sign, text.substr(0, 1));
    throw InputError(lines_.location(at_ + 1), "this begins neither a name, a number nor a sign",
                     text.substr(0, 1),
                     r_ ? Message("a dump of R has lines such as: y <- c(1, NA, 2.5)")
                        : Message("names have letters, digits, . and _, a letter first"));
  }

  std::size_t number(std::string_view text, std::size_t length) {
    double value = 0;
    if (parse_number(text.substr(0, length), value) == NumberKind::not_finite) {
      throw InputError(lines_.location(at_ + 1), "this number is too large", text.substr(0, length),
                       "write one below 1.7e308");
    }
    push(TokenKind::number, text.substr(0, length));
    out_.tokens.back().number = value;
    const bool whole = r_ && length < text.size() && text[length] == 'L';
    const std::size_t end = length + (whole ? 1 : 0);
    if (end < text.size() && goes_on(text[end])) {
      throw InputError(lines_.location(at_ + 1), "neither a number nor a name",
                       text.substr(0, end + 1), "names begin with a letter");
    }
    return end;
  }

  // %*%, %/% and their like.
  std::size_t special(std::string_view text) {
    const std::size_t end = text.find('%', 1);
    if (end == text.npos || text.substr(1, end - 1).find_first_of(" \t") != text.npos) {
      throw InputError(lines_.location(at_ + 1), "an operator between % has no end", text,
                       "write %*%, for example");
    }
    return push(TokenKind::sign, text.substr(0, end + 1));
  }

  std::size_t push(TokenKind kind, std::string_view text) {
    out_.tokens.push_back(
        {.kind = kind, .text = std::string(text), .line = lines_.line_number(), .column = at_ + 1});
    return text.size();
  }

  LineReader& lines_;
  const bool r_;
  Tokens out_;
  std::size_t at_ = 0;  // in the line
  std::size_t last_column_ = 1;
  bool in_comment_ = false;
  char quote_ = 0;   // of the quoted text that is being read
  Location opened_;  // where it or the comment begins
};

}  // namespace

Tokens read_tokens(LineReader lines, TokenLanguage language) {
  return TokenReader(lines, language).read();
}

}  // namespace croft::bugs
