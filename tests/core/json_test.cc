#include "core/json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace croft::json_test {
namespace {

using Theirs = nlohmann::json;
using Fault = JsonError::Fault;

std::string written_by_them(const Theirs& value, int indent = -1) { return value.dump(indent); }

bool is_utf8_to_them(const std::string& text) {
  try {
    written_by_them(text);
  } catch (const Theirs::type_error&) {
    return false;
  }
  return true;
}

// With U+FFFD and hexadecimal digits for each byte that begins no character.
std::string in_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t size = 1;
    while (size <= 4 && !is_utf8_to_them(std::string(text.substr(0, size)))) ++size;
    const auto byte = static_cast<unsigned char>(text[0]);
    constexpr std::string_view kHex = "0123456789abcdef";
    const std::string digits{kHex[byte / 16], kHex[byte % 16]};
    out += size <= 4 ? std::string(text.substr(0, size)) : "\xef\xbf\xbd" + digits;
    text.remove_prefix(size <= 4 ? size : 1);
  }
  return out;
}

// The same document twice; what it says of random bytes is often no UTF-8.
struct Twice {
  Json ours;
  Theirs theirs;
};

std::string random_text() {
  return *rc::gen::container<std::string>(
      rc::gen::weightedOneOf<char>({{4, rc::gen::inRange<char>(32, 127)},
                                    {2, rc::gen::arbitrary<char>()},
                                    {2, rc::gen::element('\xE2', '\x82', '\xAC', '\xF0', '\x9F',
                                                         '\xED', '\xA0', '\xC3', '"')}}));
}

// Any of T's values, however few have been tried.
template <class T>
T any() {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<T>());
}

double random_double() {
  if (any<bool>()) return std::bit_cast<double>(any<std::uint64_t>());
  return any<std::int16_t>() * std::pow(10.0, any<std::int8_t>() / 8);
}

template <class T>
Twice both(const T& value) {
  return {value, value};
}

Twice random_string() {
  const std::string text = random_text();
  return {text, in_utf8(text)};
}

Twice random_list(int depth);
Twice random_object(int depth);

Twice random_value(int depth) {
  switch (*rc::gen::element(0, 1, 2, 3, 4, 5, 6, 7)) {
    case 0:
      return both(nullptr);
    case 1:
      return both(any<bool>());
    case 2:
      return both(any<std::int64_t>());
    case 3:
      return both(any<std::uint64_t>());
    case 4:
      return both(random_double());
    case 5:
      return random_string();
    case 6:
      return depth > 0 ? random_list(depth - 1) : both(any<double>());
    default:
      return depth > 0 ? random_object(depth - 1) : random_string();
  }
}

Twice random_list(int depth) {
  Twice list{Json::array(), Theirs::array()};
  for (int n = *rc::gen::element(0, 1, 3, 8); n > 0; --n) {
    auto [ours, theirs] = random_value(depth);
    list.ours.push_back(std::move(ours));
    list.theirs.push_back(std::move(theirs));
  }
  return list;
}

Twice random_object(int depth) {
  Twice object{Json::object(), Theirs::object()};
  for (int n = *rc::gen::element(0, 1, 3, 8); n > 0; --n) {
    const std::string key = in_utf8(random_text());  // in the same order for both
    auto [ours, theirs] = random_value(depth);
    object.ours[key] = std::move(ours);
    object.theirs[key] = std::move(theirs);
  }
  return object;
}

JsonError error_of(std::string_view text, const JsonParseOptions& options = {}) {
  try {
    parse_json(text, options);
  } catch (const JsonError& error) {
    return error;
  }
  throw std::logic_error("no error");
}

RC_GTEST_PROP(Json, IsWrittenAsNlohmannWritesIt, ()) {
  const auto [ours, theirs] = random_list(3);
  for (const int indent : {-1, 0, 1, 2}) {
    RC_ASSERT(ours.dump(indent, InvalidUtf8::replace) == written_by_them(theirs, indent));
  }
}

RC_GTEST_PROP(Json, IsReadAsNlohmannReadsIt, ()) {
  const std::string text = written_by_them(random_list(3).theirs, *rc::gen::inRange(-1, 3));
  RC_ASSERT(parse_json(text).dump() == written_by_them(Theirs::parse(text)));
  RC_ASSERT(parse_json(text) == parse_json(parse_json(text).dump(2)));
}

RC_GTEST_PROP(Json, RefusesWhatNlohmannRefuses, ()) {
  std::string text = written_by_them(random_object(2).theirs);
  const auto at =
      static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(text.size())));
  text[at] = *rc::gen::element('{', ']', ',', '"', ':', '1', 'e', '\xFF', '\\', ' ');
  std::size_t fault = 0;
  std::string message;
  try {
    [[maybe_unused]] const Theirs parsed = Theirs::parse(text);
  } catch (const Theirs::parse_error& error) {
    fault = error.byte;
    message = error.what();
  } catch (const Theirs::exception& error) {
    message = error.what();
  }
  if (message.empty()) {
    RC_ASSERT(parse_json(text).dump() == written_by_them(Theirs::parse(text)));
    return;
  }
  RC_ASSERT(parse_json_or_null(text).is_null());
  const JsonError error = error_of(text);
  RC_ASSERT(error.what() ==
            message.substr(message.find("] ") + 2));  // without the library's number
  RC_ASSERT((error.fault() == Fault::syntax) == (fault > 0));
  if (fault > 0) RC_ASSERT(error.byte() == fault);
}

TEST(Json, WritesNumbers) {
  EXPECT_EQ(Json(1e-05).dump(), "1e-05");
  EXPECT_EQ(Json(1e22).dump(), "1e+22");
  EXPECT_EQ(Json(100000.0).dump(), "100000.0");
  EXPECT_EQ(Json(-0.0).dump(), "-0.0");
  EXPECT_EQ(Json(0.1f).dump(), "0.10000000149011612");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(-std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json(-7).dump(), "-7");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  for (int power = -330; power <= 308; ++power) {
    for (const double digits : {1.0, 1.5, 9.999999999999999, 2.2250738585072014, -4.9406564584}) {
      const double value = digits * std::pow(10.0, power);
      EXPECT_EQ(Json(value).dump(), Theirs(value).dump());
    }
  }
}

TEST(Json, WritesText) {
  EXPECT_EQ(Json("a\"b\\c\n\t\x01\x1f\x7f é/").dump(),
            "\"a\\\"b\\\\c\\n\\t\\u0001\\u001f\x7f é/\"");
  EXPECT_EQ(Json("\xff"
                 "a\xe2\x82")
                .dump(-1, InvalidUtf8::replace),
            "\"\xef\xbf\xbd"
            "ffa\xef\xbf\xbd"
            "e2\xef\xbf\xbd"
            "82\"");
  EXPECT_THROW(Json("\xff").dump(), JsonError);
  EXPECT_THROW((Json{{"\xc3", 1}}.dump(2)), JsonError);
  // Every first byte, with a second at each bound that UTF-8 has for it (RFC 3629 section 4),
  // before a byte that is a character and one that is none.
  for (int a = 0; a < 256; ++a) {
    for (const int b : {0x00, 0x22, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                        0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xf0, 0xf4, 0xf5, 0xff}) {
      for (const char* rest : {"", "x", "\x80", "\xbf\x90"}) {
        const std::string text = std::string{static_cast<char>(a), static_cast<char>(b)} + rest;
        ASSERT_EQ(Json(text).dump(-1, InvalidUtf8::replace), written_by_them(in_utf8(text)))
            << a << " " << b;
      }
    }
  }
}

TEST(Json, TextsThatDifferInBytesThatAreNotUtf8StayTwo) {
  const Json object = {{"B-caf\xe9", 1}, {"B-caf\xe8", 2}, {"labels", {"\xe8", "\xe9"}}};
  EXPECT_EQ(object.dump(-1, InvalidUtf8::replace),
            "{\"B-caf\xef\xbf\xbd"
            "e8\":2,\"B-caf\xef\xbf\xbd"
            "e9\":1,\"labels\":[\"\xef\xbf\xbd"
            "e8\",\"\xef\xbf\xbd"
            "e9\"]}");
}

TEST(Json, WritesListsAndObjects) {
  EXPECT_EQ(Json::array().dump(2), "[]");
  EXPECT_EQ(Json::object().dump(2), "{}");
  const Json value = {{"b", {1, 2}}, {"a", {{"x", nullptr}}}, {"c", std::vector<std::string>()}};
  EXPECT_EQ(value.dump(), R"({"a":{"x":null},"b":[1,2],"c":[]})");
  EXPECT_EQ(value.dump(1),
            "{\n \"a\": {\n  \"x\": null\n },\n \"b\": [\n  1,\n  2\n ],\n \"c\": []\n}");
  std::ostringstream shown;
  shown << value["a"];
  EXPECT_EQ(shown.str(), R"({"x":null})");
}

TEST(Json, BracesAreObjectsWhereAllArePairsThatBeginWithText) {
  EXPECT_TRUE((Json{{"a", 1}}).is_object());
  EXPECT_TRUE((Json{{"a", 1}, {"b", "c"}}).is_object());
  EXPECT_TRUE((Json{"a", 1}).is_array());
  EXPECT_TRUE((Json{{"a", 1}, {2, 1}}).is_array());
  EXPECT_TRUE((Json{{"a", 1, 2}}).is_array());
  const Json first = {{"a", 1}, {"a", 2}};
  EXPECT_EQ(first.dump(), R"({"a":1})");
  const Json null = {};
  EXPECT_TRUE(null.is_null());
}

TEST(Json, KeepsKeysAsWritten) {
  const std::string text = R"({"z":1,"a":{"y":2,"b":3},"m":[{"d":0,"c":0}]})";
  Json value = parse_json(text, {.order = KeyOrder::as_written});
  EXPECT_EQ(value.dump(), text);
  value["b"] = value["a"];
  value["z"] = 5;
  value.erase("m");
  value.erase("none");
  EXPECT_EQ(value.dump(), R"({"z":5,"a":{"y":2,"b":3},"b":{"y":2,"b":3}})");
  EXPECT_EQ(parse_json(text).dump(), R"({"a":{"b":3,"y":2},"m":[{"c":0,"d":0}],"z":1})");
}

TEST(Json, ReferencesOutliveAddedKeys) {
  Json object;
  Json& first = object["m"] = Json::array();
  for (char c = 'a'; c <= 'z'; ++c) object[std::string(2, c)] = c;
  first.push_back(1);
  EXPECT_EQ(object["m"], Json(std::vector<int>{1}));
}

TEST(Json, GivesValues) {
  const Json value = parse_json(R"({"n":3,"x":1.5,"e":2.0,"i":-1,"s":"t","b":true,"l":[1,2]})");
  EXPECT_EQ(value["n"].get<std::size_t>(), 3u);
  EXPECT_EQ(value["n"].get<double>(), 3.0);
  EXPECT_EQ(value["e"].get<int>(), 2);
  EXPECT_EQ(value["i"].get<int>(), -1);
  EXPECT_EQ(value["s"].get<std::string>(), "t");
  EXPECT_TRUE(value["b"].get<bool>());
  EXPECT_EQ(value["l"].get<std::vector<std::uint32_t>>(), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(value.value("x", 0.5), 1.5);
  EXPECT_EQ(value.value("none", 0.5), 0.5);
  EXPECT_EQ(value.value("none", Json::object()), Json::object());
  EXPECT_TRUE(value["n"].is_number_unsigned());
  EXPECT_FALSE(value["i"].is_number_unsigned());
  EXPECT_TRUE(value["x"].is_number_float());
  std::string keys;
  for (const auto& [key, each] : value.items()) keys += key + each.dump();
  EXPECT_EQ(keys, R"(btruee2.0i-1l[1,2]n3s"t"x1.5)");
}

TEST(Json, RefusesValuesOfAnotherType) {
  const Json value = parse_json(R"({"n":300,"x":1.5,"i":-1,"h":1e300,"s":"t","l":[1,"a"]})");
  EXPECT_THROW(value["n"].get<std::uint8_t>(), JsonError);
  EXPECT_THROW(value["n"].get<bool>(), JsonError);
  EXPECT_THROW(value["x"].get<int>(), JsonError);
  EXPECT_THROW(value["i"].get<std::size_t>(), JsonError);
  EXPECT_THROW(value["h"].get<std::uint64_t>(), JsonError);
  EXPECT_THROW(value["h"].get<std::int64_t>(), JsonError);
  EXPECT_THROW(value["s"].get<double>(), JsonError);
  EXPECT_THROW(value["n"].string(), JsonError);
  EXPECT_THROW(value["l"].get<std::vector<int>>(), JsonError);
  EXPECT_THROW(value["l"].at(2), JsonError);
  EXPECT_THROW(value["l"].items(), JsonError);
  EXPECT_THROW(value["l"].value("a", 1), JsonError);
  EXPECT_THROW(value["s"].begin(), JsonError);
  EXPECT_THROW(value.at("none"), JsonError);
  EXPECT_THROW(Json(1).push_back(2), JsonError);
  EXPECT_THROW(Json(1)["a"], JsonError);
  EXPECT_EQ(value["l"].get_if("a"), nullptr);
}

TEST(Json, ComparesNumbersByValue) {
  EXPECT_EQ(Json(3), Json(3u));
  EXPECT_EQ(Json(3), Json(3.0));
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(Json(0), Json(nullptr));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_EQ(Json("a"), "a");
  EXPECT_EQ((Json{{"a", 1}, {"b", 2.0}}), (Json{{"b", 2}, {"a", 1}}));
}

TEST(Json, SaysWhatIsWrongInAText) {
  EXPECT_EQ(error_of("[1,]").fault(), Fault::syntax);
  EXPECT_EQ(error_of("[1,]").byte(), 4u);
  EXPECT_EQ(error_of("1 2").fault(), Fault::syntax);
  EXPECT_EQ(error_of("").fault(), Fault::syntax);
  EXPECT_EQ(error_of("[1e999]").fault(), Fault::number_range);
  const JsonParseOptions strict{.refuse_repeated_keys = true};
  EXPECT_EQ(error_of(R"([{"a":{"b":1},"b":2,"a":3}])", strict).fault(), Fault::repeated_key);
  EXPECT_EQ(error_of(R"({"a":1,"a":2})", strict).what(), std::string("a"));
  EXPECT_EQ(parse_json(R"({"a":1,"a":2})").dump(), R"({"a":2})");
}

TEST(Json, LimitsDepth) {
  const auto nested = [](std::size_t n, const char* inner) {
    return std::string(n, '[') + inner + std::string(n, ']');
  };
  const JsonParseOptions four{.depth = 4};
  EXPECT_NO_THROW(parse_json(nested(4, "1"), four));
  EXPECT_NO_THROW(parse_json(nested(5, ""), four));
  EXPECT_EQ(error_of(nested(5, "1"), four).fault(), Fault::depth);
  EXPECT_EQ(error_of(nested(6, ""), four).fault(), Fault::depth);
  EXPECT_EQ(error_of(std::string(1000000, '[')).fault(), Fault::depth);
}

}  // namespace
}  // namespace croft::json_test
