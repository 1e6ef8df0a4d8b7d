// Requests and answers of HTTP/1.1 as bytes (RFC 9112), as far as a service of JSON needs them.
//
// A request is read strictly: lines end in CR LF, names of fields are tokens without a blank before
// the colon, there are no folded lines, and one length of the body.  A body in chunks is refused
// (411), as are other versions than 1.0 and 1.1 (505).
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/limits.h"

namespace croft::serve {

struct HttpRequest {
  std::string method, path, query;  // the path is decoded; the query, behind ?, is not
  std::vector<std::pair<std::string, std::string>> fields;  // names in small letters
  std::string body;
  bool keep_alive = true;
  bool takes_chunks = true;  // HTTP/1.0 has none: a body without a length ends with the connection

  // The value of a field, or empty.  Of a field that came twice the first one.
  std::string_view field(std::string_view name) const;
  bool has(std::string_view name) const;
  // The pairs of "a=1&b=2", decoded; none where the query is not of this form.
  std::optional<std::vector<std::pair<std::string, std::string>>> parameters() const;
  // Whether a list such as that of Accept-Encoding or Accept has this member, with q above 0.
  bool accepts(std::string_view field_name, std::string_view member) const;
};

struct ParsedHttp {
  enum class State { incomplete, complete, refused };
  State state = State::incomplete;
  std::size_t consumed = 0;  // bytes of a complete request
  HttpRequest request;
  int status = 0;  // of a refusal
  std::string problem;
};

// The first request of `bytes`.  Reads at most a head and a body of the limits; cost O(bytes).
ParsedHttp parse_http(std::string_view bytes, const ServeLimits& limits);

// Takes a piece of an answer; false: the client has gone, or takes nothing.
using WritePiece = std::function<bool(std::string_view)>;

struct HttpReply {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  // Where it is set, it writes the body piece by piece, and `body` counts for nothing.
  std::function<void(const WritePiece&)> stream;
};

std::string_view reason_of(int status);
// {"error": {"status": 404, "message": "…"}}
HttpReply error_reply(int status, std::string_view message);

// Line, fields and empty line.
//   length : of the body; none: it is chunked, or, without keep_alive, may end with the connection
std::string reply_head(const HttpReply& reply, std::optional<std::size_t> length, bool chunked,
                       bool keep_alive);
std::string chunk_of(std::string_view piece);  // of a chunked body; the empty piece ends it

}  // namespace croft::serve
