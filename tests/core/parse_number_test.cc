#include "core/parse_number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace croft::parse_number_test {
namespace {

double number(std::string_view text) {
  double value = -12345;
  EXPECT_EQ(parse_number(text, value), NumberKind::finite) << text;
  return value;
}

NumberKind kind(std::string_view text) {
  double value = 7;
  const NumberKind result = parse_number(text, value);
  if (result != NumberKind::finite) {
    EXPECT_EQ(value, 7) << text << ": value was touched";
  }
  return result;
}

TEST(ParseNumber, DecimalNumbersOfEveryForm) {
  EXPECT_EQ(number("1"), 1);
  EXPECT_EQ(number("+0.5"), 0.5);
  EXPECT_EQ(number("-.5"), -0.5);
  EXPECT_EQ(number("2."), 2);
  EXPECT_EQ(number("1e-3"), 1e-3);
  EXPECT_EQ(number("1E+3"), 1000);
  EXPECT_EQ(number("+1e+3"), 1000);
  EXPECT_EQ(number("007"), 7);
  EXPECT_EQ(number("0.1"), 0.1);
  EXPECT_EQ(number("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(ParseNumber, AnythingElseIsNotANumber) {
  for (const char* text : {"",    "+",     "-",     ".",    "x",        "1x",  "x1",    " 1",
                           "1 ",  "1,5",   "0x10",  "1e",   "e5",       "--1", "++1",   "+-1",
                           "-+1", "1e5.0", "1_000", "nano", "infinite", "½",   "1\\:2", "1e999x"}) {
    EXPECT_EQ(kind(text), NumberKind::not_a_number) << text;
  }
}

TEST(ParseNumber, InfinityNanAndOverflowAreNotFinite) {
  for (const char* text :
       {"inf", "-inf", "+inf", "Infinity", "nan", "NaN", "-nan", "1e309", "-1e309",
        "1e99999999999999999999", "0.0001e313", "1e+9223372036854775807", "2e308"}) {
    EXPECT_EQ(kind(text), NumberKind::not_finite) << text;
  }
  EXPECT_EQ(kind(std::string(400, '9')), NumberKind::not_finite);
}

TEST(ParseNumber, TooSmallIsZeroOrADenormal) {
  EXPECT_EQ(number("1e-400"), 0);
  EXPECT_EQ(number("-1e-400"), 0);
  EXPECT_EQ(number("123e-99999999999999999999"), 0);
  EXPECT_EQ(number("1e-9223372036854775808"), 0);
  EXPECT_EQ(number("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(number("0e999"), 0);
  EXPECT_EQ(number("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(number("1e-310"), 1e-310);
}

TEST(ParseNumber, ManyDigitsAndAnExponentCancel) {
  EXPECT_EQ(number("1" + std::string(400, '0') + "e-400"), 1);
  EXPECT_EQ(number("0." + std::string(399, '0') + "1e400"), 1);
}

RC_GTEST_PROP(ParseNumber, EveryFiniteDoubleSurvivesItsShortestText, (std::uint64_t bits)) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  RC_PRE(std::isfinite(value));
  char text[64];
  const auto [end, fault] = std::to_chars(text, text + sizeof text, value);
  double back = 0;
  RC_ASSERT(parse_number({text, static_cast<std::size_t>(end - text)}, back) == NumberKind::finite);
  RC_ASSERT(back == value);
}

}  // namespace
}  // namespace croft::parse_number_test
