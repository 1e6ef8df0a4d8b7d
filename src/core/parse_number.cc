#include "core/parse_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace croft {
namespace {

// Whether a number that no double can hold is too small rather than too large.  It is either below
// 1e-300 or above 1e300, so the place of its first digit that is not 0 decides.
bool is_tiny(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t first_digit = mantissa.find_first_of("123456789");
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  if (first_digit == std::string_view::npos) return true;
  long long exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (fault != std::errc{}) return digits.starts_with('-');
  }
  constexpr long long kHuge =
      1'000'000'000'000'000;  // beyond any length of text; sums cannot overflow
  exponent = std::clamp(exponent, -kHuge, kHuge);
  return exponent + static_cast<long long>(point) - static_cast<long long>(first_digit) < 0;
}

}  // namespace

NumberKind parse_number(std::string_view text, double& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return NumberKind::not_a_number;
  }
  const char* const end = text.data() + text.size();
  double number = 0;
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault == std::errc::invalid_argument || rest != end) return NumberKind::not_a_number;
  if (fault == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return NumberKind::not_finite;
    number = 0;
  }
  if (!std::isfinite(number)) return NumberKind::not_finite;
  value = number;
  return NumberKind::finite;
}

}  // namespace croft
