// What a word looks like: signs for its kinds of characters, and its first and last characters.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/unicode.h"

namespace croft {

inline constexpr std::size_t kLongestRun = 4;  // of one sign in the long shape: more says no more

// The sign that stands for a character in a shape: X, x, o, d, or itself; 0 for none (accents).
char shape_sign(char32_t value, CharacterClass kind);

// Appends a word's shape: "Xxdd" has `run` = 1 "Xxd", and kLongestRun "Xxdd".
void append_shape(std::string_view word, std::size_t run, std::string& out);

// The first (last) n characters, marks with what they stand on; empty where the word has fewer.
std::string_view first_characters(std::string_view word, std::size_t n);
std::string_view last_characters(std::string_view word, std::size_t n);

}  // namespace croft
