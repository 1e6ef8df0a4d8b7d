#include "data/graphs/bif_tokens.h"

#include <algorithm>

namespace croft {
namespace {

constexpr std::string_view kSigns = "{}()[],;|";
constexpr std::string_view kBifBlanks = " \t\r\f\v";

}  // namespace

bool BifTokens::next_line() {
  begin_ = 0;
  if (lines_.next(rest_)) return true;
  rest_ = {};
  return false;
}

// To the end of a comment that begins here; false where none does.
bool BifTokens::skip_comment() {
  if (rest_.starts_with("//")) {
    rest_ = {};
    return true;
  }
  if (!rest_.starts_with("/*")) return false;
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

void BifTokens::next() {
  token_ = {};
  if (!skip_blanks()) {
    at_end_ = true;
    return;
  }
  column_ = begin_ + 1;
  std::size_t length = 1;
  if (kSigns.find(rest_[0]) != kSigns.npos) {
    token_ = {.text = std::string(1, rest_[0]), .sign = true};
  } else if (rest_[0] == '"') {
    const std::size_t end = rest_.find('"', 1);
    if (end == rest_.npos) {
      throw InputError(location(), "a quoted name does not end in its line", rest_, "");
    }
    token_ = {.text = std::string(rest_.substr(1, end - 1)), .quoted = true};
    length = end + 1;
  } else {
    while (length < rest_.size() && kSigns.find(rest_[length]) == kSigns.npos &&
           kBifBlanks.find(rest_[length]) == kBifBlanks.npos && rest_[length] != '"' &&
           !rest_.substr(length).starts_with("//") && !rest_.substr(length).starts_with("/*")) {
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

void BifTokens::skip_statement() {
  while (!is(';')) {
    if (at_end_) fail("a semicolon");
    next();
  }
  next();
}

}  // namespace croft
