// Who may ask.
//
//   Host   : one of the names of this server, so that no page can make a name of its own point here
//            (DNS rebinding)
//   Origin : where a browser sends one, it is that of Host: other pages neither read nor write
//   token  : "Authorization: Bearer TOKEN", where there is one
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http_message.h"

namespace croft::serve {

struct Access {
  std::vector<std::string> hosts;  // without a port; of IPv6 with brackets; in small letters
  std::string token;               // empty: none is asked for
};

// The names under which a server at `address` is asked: itself, and of this machine's own addresses
// localhost, 127.0.0.1 and [::1].
std::vector<std::string> hosts_of(const std::string& address);
// As hosts are compared: in small letters, without a port.
std::string host_name(std::string_view host);
bool is_loopback(const std::string& address);  // 127.x.x.x or ::1

// The refusal, 403; none: go on.
std::optional<HttpReply> refuse_stranger(const HttpRequest& request, const Access& access);
// The refusal, 401; likewise.  Takes as long for a wrong token as for a right one.
std::optional<HttpReply> refuse_without_token(const HttpRequest& request, const Access& access);

}  // namespace croft::serve
