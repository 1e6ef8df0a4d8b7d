// A place among the tokens of a BUGS program, a dump of R or a script.
#pragma once
#include "bugs/language/tokens.h"
#include "data/token_cursor.h"

namespace croft::bugs {

class TokenPlace : public BasicTokenCursor<Tokens> {
 public:
  explicit TokenPlace(const Tokens& tokens) : BasicTokenCursor(tokens, "text") {}

  bool is_name() const { return current().kind == TokenKind::name; }
  bool is_quoted() const { return current().kind == TokenKind::quoted; }
};

}  // namespace croft::bugs
