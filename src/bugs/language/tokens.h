// The words and signs of BUGS programs, and of R's dumps of data.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft::bugs {

enum class TokenKind : std::uint8_t { name, number, quoted, sign, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text = {};  // of a quoted text without its quotes
  double number = 0;
  std::size_t line = 0, column = 0;  // from 1
};

struct Tokens {
  std::string file;
  std::vector<Token> tokens;  // the last one is the end

  Location where(const Token& token) const { return {file, token.line, token.column}; }
};

enum class TokenLanguage : std::uint8_t {
  program,  // of JAGS: comments # and /* */, names begin with a letter
  r_dump    // of R: comments #, names may begin with a dot, quotes " ' `, whole numbers 1L
};

// Throws InputError for bytes that begin nothing, and for comments and quotes without an end.
Tokens read_tokens(LineReader lines, TokenLanguage language);

}  // namespace croft::bugs
