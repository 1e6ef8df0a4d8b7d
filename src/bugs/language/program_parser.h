// BUGS programs from text.  docs/bugs/language.md has the grammar.
#pragma once
#include <string>

#include "bugs/program.h"
#include "croft/data/line_reader.h"

namespace croft::bugs {

struct ProgramLimits {
  static constexpr std::size_t nesting = 250;  // of parentheses, calls, subscripts and loops
  static constexpr std::size_t depth = 2000;   // of an expression as a tree: a + b + … grows it
};

// Throws InputError (file, line, column, text, remedy) for what is no program of JAGS' dialect.
// Time and memory grow as the text.
Program parse_program(LineReader lines);
Program read_program(const std::string& path);  // "-": standard input

}  // namespace croft::bugs
