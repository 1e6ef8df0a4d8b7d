// A place among the tokens of Markov logic.
#pragma once
#include <string>
#include <string_view>

#include "data/token_cursor.h"
#include "logic/logic_tokens.h"

namespace croft {

class TokenCursor : public BasicTokenCursor<LogicTokens> {
 public:
  explicit TokenCursor(const LogicTokens& tokens) : BasicTokenCursor(tokens, "file") {}

  const std::string& text() const { return current().text; }
  std::size_t position() const { return at_; }
  bool is_word() const { return current().kind == LogicTokenKind::word; }
  // Whether the token so far ahead is the last one of its line.
  bool ends_line(std::size_t ahead) const { return peek(ahead + 1).first; }
  // True if no blank is between the token so far ahead and the one behind it.
  bool adjoins(std::size_t ahead = 0) const {
    const LogicToken &token = peek(ahead), &after = peek(ahead + 1);
    return !after.first && after.kind != LogicTokenKind::end &&
           after.column == token.column + token.text.size();
  }
  // ?x
  bool is_marked_variable(std::size_t ahead = 0) const {
    return is("?", ahead) && adjoins(ahead) && peek(ahead + 1).kind == LogicTokenKind::word;
  }

  std::string take_word(std::string_view expected) {
    if (!is_word()) fail(Message(expected, " is expected here"), "");
    return take_text();
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

 private:
  // Signs that stand without a blank on one side.
  static bool is_tight(std::string_view text, bool before) {
    if (before) {
      return text == ")" || text == "," || text == "." || text == "(" || text == "++" ||
             text == "]";
    }
    return text == "(" || text == "!" || text == "*" || text == "@" || text == "-" || text == "+" ||
           text == "?" || text == "[";
  }
};

}  // namespace croft
