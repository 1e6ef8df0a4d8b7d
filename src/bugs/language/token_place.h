// A place among tokens, and the faults that parsers find there.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "bugs/language/tokens.h"

namespace croft::bugs {

class TokenPlace {
 public:
  explicit TokenPlace(const Tokens& tokens) : tokens_(tokens) {}

  const Token& current() const { return peek(0); }
  const Token& peek(std::size_t ahead) const {
    return tokens_.tokens[std::min(at_ + ahead, tokens_.tokens.size() - 1)];
  }
  bool at_end() const { return current().kind == TokenKind::end; }
  bool is_name() const { return current().kind == TokenKind::name; }
  bool is_number() const { return current().kind == TokenKind::number; }
  bool is_quoted() const { return current().kind == TokenKind::quoted; }
  // A name or a sign, not a text in quotes.
  bool is(std::string_view text, std::size_t ahead = 0) const {
    const Token& token = peek(ahead);
    return token.text == text && (token.kind == TokenKind::name || token.kind == TokenKind::sign);
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

  Location where() const { return tokens_.where(current()); }
  [[noreturn]] void fail(const Token& token, const Message& problem, const Message& remedy) const {
    if (token.kind == TokenKind::end) {
      throw InputError(tokens_.where(token), Message("the text ends here: ", problem), "", remedy);
    }
    throw InputError(tokens_.where(token), problem, token.text, remedy);
  }
  [[noreturn]] void fail(const Message& problem, const Message& remedy) const {
    fail(current(), problem, remedy);
  }

 private:
  const Tokens& tokens_;
  std::size_t at_ = 0;
};

}  // namespace croft::bugs
