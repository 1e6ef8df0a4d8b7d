#include "data/graphs/token_reader.h"

#include <charconv>

#include "core/parse_number.h"

namespace croft {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

}  // namespace

bool TokenReader::next(std::string_view& word) {
  for (;;) {
    std::size_t first = 0;
    while (first < rest_.size() && is_space(rest_[first])) ++first;
    if (first < rest_.size() && (comment_ == 0 || rest_[first] != comment_)) {
      std::size_t end = first;
      while (end < rest_.size() && !is_space(rest_[end])) ++end;
      word = text_ = rest_.substr(first, end - first);
      column_ = begin_ + first + 1;
      rest_.remove_prefix(end);
      begin_ += end;
      return true;
    }
    if (!lines_.next(rest_)) {
      rest_ = text_ = {};
      return false;
    }
    begin_ = 0;
  }
}

void TokenReader::fail(const Message& problem, std::string_view text, const Message& remedy) const {
  throw InputError(location(), problem, text, remedy);
}

std::string_view TokenReader::word(std::string_view expected) {
  std::string_view found;
  if (!next(found)) {
    fail("the file ends where " + std::string(expected) + " should be", "",
         "is it cut off, or does a count before it promise too much?");
  }
  return found;
}

std::uint64_t TokenReader::count(std::string_view expected, std::uint64_t most) {
  const std::string_view text = word(expected);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(std::string(expected) + " should be a whole number", text, "");
  }
  if (value > most) {
    fail(std::string(expected) + " is more than " + std::to_string(most), text, "");
  }
  return value;
}

double TokenReader::number(std::string_view expected) {
  const std::string_view text = word(expected);
  const std::string_view digits = text.starts_with("+") ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size() &&
      (digits.size() == text.size() || !digits.starts_with("-"))) {
    return value;
  }
  if (error == std::errc::result_out_of_range &&  // 1e-400 is 0
      parse_number(text, value) == NumberKind::finite) {
    return value;
  }
  fail(std::string(expected) + " should be a number", text, "");
}

void TokenReader::finish(std::string_view after) {
  std::string_view found;
  if (!next(found)) return;
  fail("there is more after " + std::string(after), found, "delete it, or correct a count");
}

}  // namespace croft
