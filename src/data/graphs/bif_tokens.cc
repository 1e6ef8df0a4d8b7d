#include "data/graphs/bif_tokens.h"

#include <algorithm>

namespace croft {
namespace {

constexpr std::string_view kSigns = "{}()[],;|", kHuginSigns = "{}();|=";
constexpr std::string_view kBifBlanks = " \t\r\f\v";

}  // namespace

bool BifTokens::is_sign(char c) const {
  const std::string_view signs = dialect_ == BifDialect::hugin ? kHuginSigns : kSigns;
  return signs.find(c) != signs.npos;
}

bool BifTokens::comment_begins(std::string_view text) const {
  if (dialect_ == BifDialect::hugin) return text.starts_with('%');
  return text.starts_with("//") || text.starts_with("/*");
}

bool BifTokens::next_line() {
  begin_ = 0;
  if (lines_.next(rest_)) return true;
  rest_ = {};
  return false;
}

// To the end of a comment that begins here; false where none does.
bool BifTokens::skip_comment() {
  if (!comment_begins(rest_)) return false;
  if (!rest_.starts_with("/*")) {
    rest_ = {};
    return true;
  }
  const Location begin = lines_.location(begin_ + 1);
  rest_.remove_prefix(2);
  begin_ += 2;
  for (;;) {
    const std::size_t end = rest_.find("*/");
    if (end != rest_.npos) {
      rest_.remove_prefix(end + 2);
      begin_ += end + 2;
      return true;
    }
    if (!next_line()) throw InputError(begin, "a comment does not end", "/*", "close it by */");
  }
}

// To the next token; false at the end of the file.
bool BifTokens::skip_blanks() {
  for (;;) {
    const std::size_t first = std::min(rest_.find_first_not_of(kBifBlanks), rest_.size());
    rest_.remove_prefix(first);
    begin_ += first;
    if (rest_.empty()) {
      if (!next_line()) return false;
    } else if (!skip_comment()) {
      return true;
    }
  }
}

// A name in quotes; its length with them.
std::size_t BifTokens::take_quoted() {
  token_ = {.text = {}, .quoted = true};
  for (std::size_t at = 1; at < rest_.size(); ++at) {
    if (rest_[at] == '"') return at + 1;
    if (rest_[at] == '\\' && dialect_ == BifDialect::hugin && at + 1 < rest_.size()) ++at;
    token_.text += rest_[at];
  }
  throw InputError(location(), "a quoted name does not end in its line", rest_, "");
}

void BifTokens::next() {
  token_ = {};
  if (!skip_blanks()) {
    at_end_ = true;
    return;
  }
  column_ = begin_ + 1;
  std::size_t length = 1;
  if (is_sign(rest_[0])) {
    token_ = {.text = std::string(1, rest_[0]), .sign = true};
  } else if (rest_[0] == '"') {
    length = take_quoted();
  } else {
    while (length < rest_.size() && !is_sign(rest_[length]) &&
           kBifBlanks.find(rest_[length]) == kBifBlanks.npos && rest_[length] != '"' &&
           !comment_begins(rest_.substr(length))) {
      ++length;
    }
    token_ = {.text = std::string(rest_.substr(0, length))};
  }
  rest_.remove_prefix(length);
  begin_ += length;
}

void BifTokens::fail(std::string_view expected, std::string_view remedy) const {
  if (at_end_) {
    throw InputError(lines_.location(),
                     "the file ends where " + std::string(expected) + " should be", "",
                     "is it cut off?");
  }
  throw InputError(location(), std::string(expected) + " should be here", token_.text, remedy);
}

void BifTokens::expect(char sign, std::string_view after) {
  if (!is(sign)) fail(std::string(1, sign) + " after " + std::string(after));
  next();
}

std::string BifTokens::take_word(std::string_view expected) {
  if (at_end_ || token_.sign) fail(expected);
  std::string word = std::move(token_.text);
  next();
  return word;
}

std::string BifTokens::take_statement() {
  std::string text;
  for (; !is(';'); next()) {
    if (at_end_) fail("a semicolon");
    text.append(text.empty() ? "" : " ").append(token_.text);
  }
  next();
  return text;
}

}  // namespace croft
