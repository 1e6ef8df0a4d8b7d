// Requests as bytes: what is read, how much of it, and what is refused.
#include "serve/http_message.h"

#include <gtest/gtest.h>

#include "core/json.h"
#include "serve/gzip.h"

namespace croft::serve::http_message_test {
namespace {

using State = ParsedHttp::State;

ParsedHttp parse(std::string_view bytes, const ServeLimits& limits = {}) {
  return parse_http(bytes, limits);
}

TEST(HttpMessage, ARequestIsReadToItsLastByteAndNoFurther) {
  const std::string one =
      "POST /v1/t%61g?model=a%20b&x= HTTP/1.1\r\nHost: h:1\r\nContent-Length: 3\r\nX-Y:  z \r\n\r\n"
      "abc";
  const ParsedHttp parsed = parse(one + "GET / HTTP/1.1\r\n");
  ASSERT_EQ(parsed.state, State::complete);
  EXPECT_EQ(parsed.consumed, one.size());
  const HttpRequest& request = parsed.request;
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v1/tag");
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(request.parameters(), (Pairs{{"model", "a b"}, {"x", ""}}));
  EXPECT_EQ(request.field("x-y"), "z");
  EXPECT_EQ(request.body, "abc");
  EXPECT_TRUE(request.keep_alive);
}

TEST(HttpMessage, APrefixOfARequestIsIncompleteAndNeverRefused) {
  const std::string whole =
      "\r\nPOST /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab";
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(parse(whole.substr(0, k)).state, State::incomplete) << k;
  }
  const ParsedHttp parsed = parse(whole);
  ASSERT_EQ(parsed.state, State::complete);
  EXPECT_FALSE(parsed.request.keep_alive);
}

TEST(HttpMessage, WhatIsNoRequestIsRefusedWithAStatusOfItsOwn) {
  const std::string fields = " HTTP/1.1\r\nHost: h\r\n";
  const std::pair<std::string, int> cases[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET /\r\nHost: h\r\n\r\n", 400},
      {"GET x" + fields + "\r\n", 400},
      {"GET http://h/" + fields + "\r\n", 400},
      {"GET /%zz" + fields + "\r\n", 400},
      {"GET /%00" + fields + "\r\n", 400},
      {"G@T /" + fields + "\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET /" + fields + "Host: h\r\n\r\n", 400},
      {"GET /" + fields + " folded\r\n\r\n", 400},
      {"GET /" + fields + "Name : value\r\n\r\n", 400},
      {"GET /" + fields + "a: b\nc: d\r\n\r\n", 400},
      {"GET /" + fields + "a: \x01\r\n\r\n", 400},
      {"POST /" + fields + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {"POST /" + fields + "Content-Length: -1\r\n\r\n", 400},
      {"POST /" + fields + "Content-Length: 1 2\r\n\r\n", 400},
      {"POST /" + fields + "Content-Length: 99999999999999999999999\r\n\r\n", 413},
      {"POST /" + fields + "Content-Length: 99999999\r\n\r\n", 413},
      {"POST /" + fields + "Transfer-Encoding: chunked\r\n\r\n", 411},
      {std::string(20'000, 'x'), 431},
  };
  for (const auto& [bytes, status] : cases) {
    const ParsedHttp parsed = parse(bytes);
    EXPECT_EQ(parsed.state, State::refused) << bytes.substr(0, 80);
    EXPECT_EQ(parsed.status, status) << bytes.substr(0, 80);
  }
}

TEST(HttpMessage, AListIsAskedForAMemberWithAWeight) {
  HttpRequest request;
  request.fields = {{"accept-encoding", "br, GZIP;q=0.5 , deflate;q=0"}};
  EXPECT_TRUE(request.accepts("accept-encoding", "gzip"));
  EXPECT_TRUE(request.accepts("accept-encoding", "br"));
  EXPECT_FALSE(request.accepts("accept-encoding", "deflate"));
  EXPECT_FALSE(request.accepts("accept", "gzip"));
}

TEST(HttpMessage, GzipGivesTheBytesBackWithinALimit) {
  std::string text;
  for (int k = 0; k < 30'000; ++k) text += std::to_string(k % 97);
  const std::string packed = gzipped(text);
  EXPECT_LT(packed.size(), text.size() / 10);
  EXPECT_EQ(gunzipped(packed, text.size()), text);
  EXPECT_EQ(gunzipped(packed, text.size() - 1)->size(), text.size());
  EXPECT_EQ(gunzipped(packed, 100)->size(), 101);  // too long
  EXPECT_EQ(gunzipped(packed.substr(0, packed.size() - 1), text.size()), std::nullopt);
  EXPECT_EQ(gunzipped(packed + "x", text.size()), std::nullopt);
  EXPECT_EQ(gunzipped("no gzip", 100), std::nullopt);
  EXPECT_EQ(gunzipped(gzipped(""), 0), "");
}

TEST(HttpMessage, AnErrorIsJsonWhateverItsMessageHolds) {
  const HttpReply reply = error_reply(404, "a \"quoted\" \xff byte");
  EXPECT_EQ(parse_json(reply.body)["error"]["status"], Json(404));
}

}  // namespace
}  // namespace croft::serve::http_message_test
