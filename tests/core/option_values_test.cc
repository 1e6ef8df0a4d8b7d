// Values of options: which of them a row takes, what stands for those that were not given, and
// which options go together.
#include "core/option_values.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace croft::option_values_test {
namespace {

std::span<const OptionRow> rows() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      whole("count", "N=3", "").at_first("3").between(1, 9),
      whole("any", "N", ""),
      whole("large", "N", "").between(1, 1'000'000),
      number("share", "SHARE", ""),
      number("target", "NUMBER", "").of_any_sign(),
      choice("how", "HOW=fast", {"fast", "exact"}, "").at_first("fast"),
      option::size("memory", "SIZE", ""),
      letter("separator", "CHARACTER=|", "").at_first("|"),
      words("title", "TEXT", ""),
      words("rule", "RULE", "").repeated().beside("how"),
      flag("quiet", "").without("loud"),
      flag("loud", ""),
      flag("mark", "").valued({"some", "all"}, "some"),
      flag("table", "").valued({}, "predictions"),
      file("output", "FILE", "").needed(),
      file("DATA", "FILE=- ...", "").at_first("-").repeated().unnamed(),
  });
  return kRows;
}

OptionValues none() { return OptionValues({rows()}); }

OptionValues one(std::string_view name, std::string_view text) {
  OptionValues values = none();
  values.set(name, text);
  return values;
}

// Of an option that does not take `text`: what is said.
std::string refusal(std::string_view name, std::string_view text) {
  try {
    one(name, text);
  } catch (const OptionError& error) {
    EXPECT_EQ(error.message().spelled([](std::string_view option) { return option; }).find(name),
              0u);
    return error.what();
  }
  ADD_FAILURE() << name << " took " << text;
  return "";
}

std::string company_refusal(const OptionValues& values) {
  try {
    values.check_company();
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

template <class T>
T read(const OptionValues& values, std::string_view name, T value = {}) {
  values.read(name, value);
  return value;
}

TEST(OptionValues, WholeNumbersHaveDigitsAlone) {
  EXPECT_EQ(read<std::size_t>(one("count", "9"), "count"), 9u);
  EXPECT_EQ(read<std::size_t>(one("any", "010"), "any"), 10u);
  EXPECT_EQ(read<std::size_t>(one("any", "18446744073709551615"), "any"),
            std::numeric_limits<std::size_t>::max());
  for (const char* text : {"-1", "+1", " 1", "1.5", "1e2", "0x1", "x", "18446744073709551616"}) {
    EXPECT_EQ(refusal("any", text),
              "--any: \"" + std::string(text) + "\" is not a whole number from 0 on");
  }
  for (const char* text : {"0", "10"}) {
    EXPECT_EQ(refusal("count", text),
              "--count: \"" + std::string(text) + "\" is not a whole number from 1 to 9");
  }
}

TEST(OptionValues, LimitsAreWrittenOut) {
  EXPECT_EQ(refusal("large", "0"), "--large: \"0\" is not a whole number from 1 to 1000000");
}

TEST(OptionValues, NumbersAreFiniteAndInRange) {
  EXPECT_EQ(read<double>(one("share", "0"), "share", 1), 0);
  EXPECT_EQ(read<double>(one("share", "1e-3"), "share"), 1e-3);
  EXPECT_EQ(read<double>(one("target", "-2.5"), "target"), -2.5);
  EXPECT_EQ(refusal("share", "-1"), "--share: \"-1\" is not a finite number from 0 on");
  EXPECT_EQ(refusal("target", "nan"), "--target: \"nan\" is not a finite number");
  for (const char* text : {"inf", "1e999", "0x10", "1,5", "1x"}) refusal("target", text);
}

TEST(OptionValues, SizesArePowersOf1024) {
  EXPECT_EQ(read<double>(one("memory", "100"), "memory"), 100);
  EXPECT_EQ(read<double>(one("memory", "1.5K"), "memory"), 1536);
  EXPECT_EQ(read<double>(one("memory", "2T"), "memory"), 2. * 1024 * 1024 * 1024 * 1024);
  for (const char* text : {"0", "-1G", "G", "1GB", "1k", "1.2.3M", "1KM"}) {
    EXPECT_NE(refusal("memory", text).find("is not a size"), std::string::npos) << text;
  }
}

TEST(OptionValues, SeparatorsAreOneVisibleCharacter) {
  EXPECT_EQ(none().text("separator"), "|");
  EXPECT_EQ(one("separator", "/").text("separator"), "/");
  for (const char* text : {"?", " ", "||", "\t", "é"}) refusal("separator", text);
}

TEST(OptionValues, ChoicesAreThoseOfTheRowInItsOrder) {
  int chosen = 0;
  none().choose("how", {1, 2}, chosen);
  EXPECT_EQ(chosen, 1);
  one("how", "exact").choose("how", {1, 2}, chosen);
  EXPECT_EQ(chosen, 2);
  EXPECT_EQ(refusal("how", "slow"), "--how: \"slow\" is none of fast, exact");
  EXPECT_EQ(refusal("mark", "slow"), "--mark: \"slow\" is none of some, all");
}

TEST(OptionValues, FlagsMayHaveAValue) {
  EXPECT_FALSE(none().flag("loud"));
  OptionValues values = none();
  for (const char* name : {"loud", "loud", "mark", "table"}) values.set_flag(name);
  EXPECT_TRUE(values.flag("loud"));
  EXPECT_TRUE(read<bool>(values, "loud"));
  EXPECT_EQ(values.text("mark"), "some");
  EXPECT_EQ(values.text("table"), "predictions");
  EXPECT_EQ(one("table", "mine").text("table"), "mine");
  values.set("mark", "all");
  EXPECT_EQ(values.text("mark"), "all");  // the last one counts
}

TEST(OptionValues, NothingIsNoValue) {
  for (const char* name : {"count", "share", "how", "memory", "separator", "title", "output"}) {
    EXPECT_NE(refusal(name, "").find(": its value is empty"), std::string::npos) << name;
  }
  EXPECT_EQ(refusal("DATA", "").find("DATA: its value is empty"), 0u);
}

TEST(OptionValues, ASecondValueIsForListsAlone) {
  OptionValues values = one("title", "a");
  EXPECT_THROW(values.set("title", "a"), OptionError);
  for (const char* text : {"x", "y", "x"}) values.set("rule", text);
  EXPECT_EQ(read<std::vector<std::string>>(values, "rule"),
            (std::vector<std::string>{"x", "y", "x"}));
}

TEST(OptionValues, InitialValuesStandForThoseThatAreNotGiven) {
  const OptionValues values = none();
  EXPECT_FALSE(values.given("count"));
  EXPECT_TRUE(values.has_value("count"));
  EXPECT_EQ(read<std::size_t>(values, "count"), 3u);
  EXPECT_EQ(read<std::vector<std::string>>(values, "DATA"), std::vector<std::string>{"-"});
  EXPECT_TRUE(values.list("DATA").empty());
  EXPECT_FALSE(values.has_value("title"));
  EXPECT_EQ(read<std::string>(values, "title", "as it was"), "as it was");
  EXPECT_EQ(read<std::size_t>(values, "any", 7), 7u);
  EXPECT_EQ(read<std::optional<double>>(values, "share"), std::nullopt);
  EXPECT_EQ(read<std::optional<double>>(one("share", "2"), "share"), 2.);
}

TEST(OptionValues, CompanyIsWhatTheRowSays) {
  EXPECT_EQ(company_refusal(none()), "");
  OptionValues values = one("rule", "x");  // an initial value is nothing that was given
  EXPECT_EQ(company_refusal(values), "--rule goes with --how; give it, too");
  values.set("how", "fast");
  EXPECT_EQ(company_refusal(values), "");
  values.set_flag("quiet");
  values.set_flag("loud");
  EXPECT_EQ(company_refusal(values), "--quiet does not go with --loud; leave out one");
  EXPECT_THROW(values.check_required(), OptionError);
  values.set("output", "o");
  EXPECT_NO_THROW(values.check_required());
}

TEST(OptionValues, ArgumentsGoInAndOut) {
  OptionValues values = none();
  const std::vector<std::string> arguments = {"--count=2", "--title=a=b", "--rule=x", "--rule=y",
                                              "--loud",    "--mark=all",  "one",      "two"};
  for (const std::string& each : arguments) values.set_argument(each);
  EXPECT_EQ(values.arguments(), arguments);
  EXPECT_THROW(values.set_argument("--unknown=1"), UsageError);
}

TEST(OptionValues, RowsThatNobodyReadAreKnown) {
  const OptionValues values = none();
  EXPECT_EQ(values.unread().size(), rows().size());
  values.text("title");
  read<std::size_t>(values, "any");
  const auto unread = values.unread();
  EXPECT_EQ(unread.size(), rows().size() - 2);
  EXPECT_EQ(unread.front(), "count");
}

}  // namespace
}  // namespace croft::option_values_test
