#include "serve/access.h"

#include <algorithm>

namespace croft::serve {

std::string host_name(std::string_view host) {
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.find(':', bracket == host.npos ? 0 : bracket);
  std::string name(host.substr(0, colon));
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

std::vector<std::string> hosts_of(const std::string& address) {
  std::vector<std::string> hosts{address.find(':') == address.npos ? address : "[" + address + "]"};
  const bool any = address == "0.0.0.0" || address == "::";
  if (any || is_loopback(address)) {
    for (const char* const each : {"localhost", "127.0.0.1", "[::1]"}) hosts.emplace_back(each);
  }
  return hosts;
}

std::optional<HttpReply> refuse_stranger(const HttpRequest& request, const Access& access) {
  const std::string_view host = request.field("host");
  if (std::ranges::find(access.hosts, host_name(host)) == access.hosts.end()) {
    return error_reply(403,
                       "the Host of the request is none of this server's names; `croft serve "
                       "--allow-host NAME` adds one");
  }
  if (request.has("origin")) {
    const std::string_view origin = request.field("origin");
    const std::size_t slashes = origin.find("://");
    const bool web = origin.starts_with("http://") || origin.starts_with("https://");
    if (!web || origin.substr(slashes + 3) != host) {
      return error_reply(403, "a page of another origin asks");
    }
  }
  const std::string_view site = request.field("sec-fetch-site");
  if (site == "cross-site" || site == "same-site") {
    // To follow a link to a page of this server is no question of another one.
    const bool link = request.method == "GET" && request.field("sec-fetch-mode") == "navigate" &&
                      !request.path.starts_with("/v1/");
    if (!link) return error_reply(403, "a page of another site asks");
  }
  return std::nullopt;
}

std::optional<HttpReply> refuse_without_token(const HttpRequest& request, const Access& access) {
  if (access.token.empty()) return std::nullopt;
  constexpr std::string_view kScheme = "Bearer ";
  std::string_view given = request.field("authorization");
  given.remove_prefix(given.starts_with(kScheme) ? kScheme.size() : given.size());
  unsigned difference = given.size() == access.token.size() ? 0 : 1;
  for (std::size_t k = 0; k < access.token.size(); ++k) {
    const char other = k < given.size() ? given[k] : '\0';
    difference |= static_cast<unsigned char>(other ^ access.token[k]);
  }
  if (difference == 0) return std::nullopt;
  HttpReply reply = error_reply(401, "the token is missing or wrong: Authorization: Bearer TOKEN");
  reply.fields.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

}  // namespace croft::serve
