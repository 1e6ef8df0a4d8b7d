// What is checked of TOML before toml++ reads it.
#pragma once
#include <string>
#include <string_view>

namespace croft {

// Throws InputError (line, column) for a key of more than 256 parts (a.b.c has three), for each of
// which the parser calls itself.
void check_toml_keys(std::string_view text, const std::string& name);

}  // namespace croft
