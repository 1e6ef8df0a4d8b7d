// The words and signs of BIF.
#pragma once
#include <string>
#include <string_view>

#include "croft/data/line_reader.h"

namespace croft {

struct BifToken {
  std::string text;     // empty at the end of the file
  bool sign = false;    // one of { } ( ) [ ] , ; |
  bool quoted = false;  // without its quotes
};

class BifTokens {
 public:
  explicit BifTokens(LineReader lines) : lines_(std::move(lines)) { next(); }

  const BifToken& current() const { return token_; }
  bool at_end() const { return at_end_; }
  bool is(char sign) const { return token_.sign && token_.text[0] == sign; }
  bool is(std::string_view word) const {
    return !token_.sign && !token_.quoted && !at_end_ && token_.text == word;
  }
  void next();
  // The next token where the current one is `sign`, or InputError.
  void expect(char sign, std::string_view after);
  // Current word; the next token follows.  InputError for a sign.
  std::string take_word(std::string_view expected);
  // The rest of a statement that means nothing to us, and its semicolon.
  void skip_statement();

  Location location() const { return lines_.location(column_); }
  // `expected` and what is there instead.
  [[noreturn]] void fail(std::string_view expected, std::string_view remedy = "") const;

 private:
  bool skip_blanks();
  bool skip_comment();
  bool next_line();

  LineReader lines_;
  std::string_view rest_;
  std::size_t begin_ = 0;   // bytes of the line before rest_
  std::size_t column_ = 0;  // of the current token
  BifToken token_;
  bool at_end_ = false;
};

}  // namespace croft
