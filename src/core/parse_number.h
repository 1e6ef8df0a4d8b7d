// Numbers in data files: one strict rule for all formats.
#pragma once
#include <string_view>

namespace croft {

enum class NumberKind {
  finite,        // `value` holds it
  not_a_number,  // empty, other text, text before or behind the number, hexadecimal
  not_finite,    // nan, inf, or too large for a double
};

// A decimal number such as 1, +0.5, -.5 or 1e-3 that fills the whole text, rounded to the nearest
// double; independent of the locale.  Too small for a double is 0 (or a denormal), not a fault.
// Leaves `value` alone unless the result is `finite`.
NumberKind parse_number(std::string_view text, double& value);

}  // namespace croft
