// Any bytes as requests: each is incomplete, refused with a status, or read to where it ends; what
// is then asked of a model has an answer.  A prefix of a request that is read is incomplete.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "serve/endpoints.h"
#include "serve/gzip.h"
#include "serve/http_message.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_http {

namespace {

using croft::serve::ParsedHttp;

void read_body(const croft::serve::HttpRequest& request) {
  for (const croft::serve::Endpoint& endpoint : croft::serve::endpoints()) {
    if (endpoint.fields == nullptr) continue;
    try {
      const croft::Json read = croft::serve::read_fields(request.body, endpoint.fields());
      require(read.is_object(), "fields are an object");
    } catch (const croft::serve::RequestError& error) {
      require(error.status() == 400, "a refusal with its status");
    }
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_http) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  croft::serve::ServeLimits limits;
  limits.head_bytes = 2000;
  limits.body_bytes = 5000;
  croft::serve::gunzipped(rest, 10'000);
  for (;;) {
    const ParsedHttp parsed = croft::serve::parse_http(rest, limits);
    if (parsed.state == ParsedHttp::State::refused) {
      require(parsed.status >= 400 && parsed.status <= 505, "a refusal has a status");
    }
    if (parsed.state != ParsedHttp::State::complete) return 0;
    require(parsed.consumed > 0 && parsed.consumed <= rest.size(), "ends within the bytes");
    const auto shorter = croft::serve::parse_http(rest.substr(0, parsed.consumed - 1), limits);
    require(shorter.state == ParsedHttp::State::incomplete, "a prefix is incomplete");
    parsed.request.accepts("accept-encoding", "gzip");
    parsed.request.parameters();
    read_body(parsed.request);
    rest.remove_prefix(parsed.consumed);
  }
}

}  // namespace fuzz_http
