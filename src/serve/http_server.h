// Connections: one thread waits for all of them, and others work on whole requests.
//
// A request reaches a worker when its last byte is there, so that slow clients hold no thread; nor
// do those that are slow to take an answer, unless it is streamed.  What is too much is refused:
// connections with 503, requests that would have to wait behind many with 429.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/http_message.h"
#include "serve/limits.h"

namespace croft::serve {

// Called by several threads at once.  What it throws is a bug: the client gets 500.
using HttpHandler = std::function<HttpReply(const HttpRequest&)>;

struct ServerCounts {
  std::atomic<std::uint64_t> connections = 0, refused_connections = 0, timeouts = 0, malformed = 0,
                             refused_requests = 0;
  std::atomic<std::int64_t> open = 0;
};

class HttpServer {
 public:
  // Takes the address, an IP of version 4 or 6.  port 0: one that is free.  Throws Error where the
  // system refuses.
  HttpServer(const std::string& address, std::uint16_t port, const ServeLimits& limits,
             std::size_t workers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  const ServerCounts& counts() const;

  // Serves until `stop` is set, which is looked at four times a second and after each signal; then
  // takes nothing new, finishes the requests that are there, and returns.
  void run(const HttpHandler& handler, const std::atomic<bool>& stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace croft::serve
