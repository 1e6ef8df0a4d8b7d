// BUGS programs as text.
#pragma once
#include <string>

#include "bugs/program.h"

namespace croft::bugs {

// As parse_program reads it again: with the parentheses that precedence needs, and no others.
std::string text_of(const Expression& expression);
std::string text_of(const Program& program);

}  // namespace croft::bugs
