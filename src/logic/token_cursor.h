// A place among tokens, and the faults that parsers find there.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "logic/logic_tokens.h"

namespace croft {

class TokenCursor {
 public:
  explicit TokenCursor(const LogicTokens& tokens) : tokens_(tokens) {}

  const LogicToken& current() const { return peek(0); }
  const LogicToken& peek(std::size_t ahead) const {
    return tokens_.tokens[std::min(at_ + ahead, tokens_.tokens.size() - 1)];
  }
  const std::string& text() const { return current().text; }
  std::size_t position() const { return at_; }
  bool at_end() const { return current().kind == LogicTokenKind::end; }
  // A sign or a word, not a text in quotes.
  bool is(std::string_view text) const {
    return current().text == text && current().kind != LogicTokenKind::quoted;
  }
  bool is_word() const { return current().kind == LogicTokenKind::word; }
  bool is_number() const { return current().kind == LogicTokenKind::number; }
  // Whether the token so far ahead is the last one of its line.
  bool ends_line(std::size_t ahead) const { return peek(ahead + 1).first; }

  void next() { at_ = std::min(at_ + 1, tokens_.tokens.size() - 1); }
  bool take(std::string_view sign) {
    if (!is(sign)) return false;
    next();
    return true;
  }
  std::string take_text() {
    std::string text = current().text;
    next();
    return text;
  }
  std::string take_word(std::string_view expected) {
    if (!is_word()) fail(Message(expected, " is expected here"), "");
    return take_text();
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail(Message(sign, " is expected here"), "");
  }
  // The tokens from there to here, with blanks between words.
  std::string text_from(std::size_t begin) const {
    std::string out;
    for (std::size_t i = begin; i < at_; ++i) {
      const LogicToken& token = tokens_.tokens[i];
      const bool apart =
          i > begin && !is_tight(tokens_.tokens[i - 1].text, false) && !is_tight(token.text, true);
      if (apart) out += ' ';
      out += token.kind == LogicTokenKind::quoted ? '"' + token.text + '"' : token.text;
    }
    return out;
  }

  Location where(const LogicToken& token) const { return tokens_.where(token); }
  [[noreturn]] void fail(const LogicToken& token, const Message& problem,
                         const Message& remedy) const {
    if (token.kind == LogicTokenKind::end) {
      throw InputError(where(token), Message("the file ends here: ", problem), "", remedy);
    }
    throw InputError(where(token), problem, token.text, remedy);
  }
  [[noreturn]] void fail(const Message& problem, const Message& remedy) const {
    fail(current(), problem, remedy);
  }

 private:
  // Signs that stand without a blank on one side.
  static bool is_tight(std::string_view text, bool before) {
    if (before) return text == ")" || text == "," || text == "." || text == "(" || text == "++";
    return text == "(" || text == "!" || text == "*" || text == "@" || text == "-" || text == "+";
  }

  const LogicTokens& tokens_;
  std::size_t at_ = 0;
};

}  // namespace croft
