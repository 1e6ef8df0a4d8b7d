// From a request to its answer: who may ask, which endpoint, what it takes.
#pragma once
#include <string>
#include <vector>

#include "serve/access.h"
#include "serve/endpoints.h"

namespace croft::serve {

// Threads: answer() may run at once with itself and with ModelStore::refresh().
class Service {
 public:
  // All must outlive it.
  Service(const ServiceParts& parts, Access access) : parts_(parts), access_(std::move(access)) {}

  // Never throws but for what is a bug: what is wrong with a request is its answer.
  HttpReply answer(const HttpRequest& request) const;

 private:
  HttpReply route(const HttpRequest& request, std::string_view& endpoint) const;
  Json read_body(const Endpoint& endpoint, const HttpRequest& request) const;
  HttpReply call(const Endpoint& endpoint, const HttpRequest& request) const;

  ServiceParts parts_;
  Access access_;
};

}  // namespace croft::serve
