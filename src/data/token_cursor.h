// A place among the tokens of a text, and the faults that parsers find there.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "croft/core/error.h"

namespace croft {

// Tokens: .tokens, of which the last one has the kind `end`, and .where(token).  A token has .kind,
// which may be `quoted`, and .text.
template <class Tokens>
class BasicTokenCursor {
 public:
  using Token = typename decltype(Tokens::tokens)::value_type;
  using Kind = decltype(Token::kind);

  // what : the text is, for messages
  BasicTokenCursor(const Tokens& tokens, std::string_view what) : tokens_(tokens), what_(what) {}

  const Token& current() const { return peek(0); }
  const Token& peek(std::size_t ahead) const {
    return tokens_.tokens[std::min(at_ + ahead, tokens_.tokens.size() - 1)];
  }
  bool at_end() const { return current().kind == Kind::end; }
  bool is_number() const { return current().kind == Kind::number; }
  // A sign or a word, not a text in quotes.
  bool is(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).text == text && peek(ahead).kind != Kind::quoted;
  }

  void next() { at_ = std::min(at_ + 1, tokens_.tokens.size() - 1); }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    next();
    return true;
  }
  std::string take_text() {
    std::string text = current().text;
    next();
    return text;
  }
  void expect(std::string_view text, const Message& remedy = {}) {
    if (!take(text)) fail(Message(text, " is expected here"), remedy);
  }

  Location where(const Token& token) const { return tokens_.where(token); }
  Location where() const { return where(current()); }
  [[noreturn]] void fail(const Token& token, const Message& problem, const Message& remedy) const {
    if (token.kind == Kind::end) {
      throw InputError(where(token), Message("the ", what_, " ends here: ", problem), "", remedy);
    }
    throw InputError(where(token), problem, token.text, remedy);
  }
  [[noreturn]] void fail(const Message& problem, const Message& remedy) const {
    fail(current(), problem, remedy);
  }

 protected:
  const Tokens& tokens_;
  std::size_t at_ = 0;

 private:
  std::string_view what_;
};

}  // namespace croft
