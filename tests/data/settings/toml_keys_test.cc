// Keys of TOML that the parser would not survive.
#include "data/settings/toml_keys.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"

namespace croft {
namespace {

std::string key_of(std::size_t parts) {
  std::string key = "a";
  for (std::size_t k = 1; k < parts; ++k) key += k % 2 == 0 ? ".a" : " . \"b.c\"";
  return key;
}

TEST(TomlKeys, OfManyPartsAreAnError) {
  EXPECT_NO_THROW(check_toml_keys(key_of(256) + " = 1\n" + key_of(256) + " = 2\n", "x"));
  try {
    check_toml_keys("b = 1\n" + key_of(257) + " = 1\n", "x");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().line, 2u);
  }
  EXPECT_THROW(check_toml_keys("[" + key_of(40'000) + "]\n", "x"), InputError);
}

TEST(TomlKeys, DotsOfTextsCommentsAndNumbersAreNone) {
  const std::string dots(1000, '.');
  std::string numbers = "x = [";
  for (int k = 0; k < 1000; ++k) numbers += "1.5, ";
  EXPECT_NO_THROW(check_toml_keys("q = \"" + dots + "\" # " + dots + "\n" + numbers + "]\n", "x"));
  EXPECT_NO_THROW(check_toml_keys("q = '" + dots + "'\nr = 'a\"' # \"" + dots + "\n", "x"));
}

TEST(TomlKeys, BehindAnyTextAreCounted) {
  const std::string key = key_of(257);
  for (const std::string before :
       {R"("\"".)", R"('\'.)", "a = \"\\\\\"\n", "a = {b = \"\"\"\n\" ' # \"\"\"\"\", ",
        "a = {b = '''\n\"'' # ''''', ", R"(a = {b = "", )", R"(a = {b = '', )"}) {
    EXPECT_THROW(check_toml_keys(before + key + " = 1", "x"), InputError) << before;
  }
  EXPECT_NO_THROW(check_toml_keys("a = \"\"\"\\\"\"\"" + key + "\"\"\"", "x"));
}

TEST(TomlKeys, OfManyPartsSayLineAndColumn) {
  try {
    check_toml_keys("a = \"\"\"\n\n\"\"\"\nb" + std::string(300, '.') + " = 1", "x");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().line, 4u);
    EXPECT_EQ(error.where().column, 257u);
  }
}

TEST(TomlKeys, BehindTextsThatAreNotClosedAreNone) {
  for (const char* text : {"\"", "'", "\"\"\"", "'''", "\"\\", "\"\"\"\\", "\"\"\"\"", "'''''"}) {
    EXPECT_NO_THROW(check_toml_keys(text, "x")) << text;
  }
}

}  // namespace
}  // namespace croft
