#include "serve/socket.h"

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "croft/core/error.h"

namespace croft::serve {

void fail_system(const std::string& what) { throw Error(what + ": " + std::strerror(errno)); }

Descriptor listening_socket(const std::string& address, std::uint16_t port) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (::inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    size = sizeof(sockaddr_in);
  } else if (::inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    size = sizeof(sockaddr_in6);
  } else {
    throw UsageError("--host ", in_quotes(address), " is no IP address, such as 127.0.0.1 or ::1");
  }
  Descriptor listener(::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener.get() < 0) fail_system("cannot open a socket");
  const int yes = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&storage), size) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    fail_system("cannot serve at " + address + ", port " + std::to_string(port));
  }
  return listener;
}

std::uint16_t port_of(const Descriptor& listener) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&storage), &size);
  return ntohs(storage.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&storage)->sin_port
                                            : reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port);
}

std::size_t connections_possible(std::size_t wanted) {
  constexpr rlim_t kOthers = 512;  // files, and connections that are refused
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= wanted + kOthers) return wanted;
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, wanted + kOthers);
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur >= wanted + kOthers) return wanted;
  return static_cast<std::size_t>(files.rlim_cur > 2 * kOthers ? files.rlim_cur - kOthers
                                                               : files.rlim_cur / 2);
}

}  // namespace croft::serve
