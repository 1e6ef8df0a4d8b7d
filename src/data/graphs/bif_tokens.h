// The words and signs of BIF, and of Hugin's .net.
#pragma once
#include <string>
#include <string_view>

#include "croft/data/line_reader.h"

namespace croft {

enum class BifDialect {
  bif,   // signs { } ( ) [ ] , ; |   comments // and /* */
  hugin  // also =, no [ ] ,          comments %; \" within quotes
};

struct BifToken {
  std::string text;     // empty at the end of the file
  bool sign = false;    // one of the dialect's
  bool quoted = false;  // without its quotes
};

class BifTokens {
 public:
  explicit BifTokens(LineReader lines, BifDialect dialect = BifDialect::bif)
      : lines_(std::move(lines)), dialect_(dialect) {
    next();
  }

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
  // The rest of a statement and its semicolon; its words and signs, with blanks between them.
  std::string take_statement();

  Location location() const { return lines_.location(column_); }
  // `expected` and what is there instead.
  [[noreturn]] void fail(std::string_view expected, std::string_view remedy = "") const;

 private:
  bool skip_blanks();
  bool skip_comment();
  bool next_line();
  bool is_sign(char c) const;
  bool comment_begins(std::string_view text) const;
  std::size_t take_quoted();

  LineReader lines_;
  const BifDialect dialect_;
  std::string_view rest_;
  std::size_t begin_ = 0;   // bytes of the line before rest_
  std::size_t column_ = 0;  // of the current token
  BifToken token_;
  bool at_end_ = false;
};

}  // namespace croft
