#include "serve/service.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "serve/gzip.h"
#include "serve/page_files.h"

namespace croft::serve {
namespace {

using Clock = std::chrono::steady_clock;

// A message of the library, with members of the request where it names options.
std::string in_members(const Error& error) {
  return error.message().spelled([](std::string_view name) {
    std::string member(name);
    std::ranges::replace(member, '-', '_');
    return "\"" + member + "\"";
  });
}

bool is_json(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type == "application/json";
}

void add_safety(HttpReply& reply) {
  reply.fields.emplace_back("X-Content-Type-Options", "nosniff");
  reply.fields.emplace_back("Referrer-Policy", "no-referrer");
  reply.fields.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(reply.fields, [&](const auto& f) { return f.first == name; });
  };
  if (!has("Cache-Control")) reply.fields.emplace_back("Cache-Control", "no-store");
  reply.fields.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

}  // namespace

HttpReply Service::call(const Endpoint& endpoint, const HttpRequest& request) const {
  const auto limit = std::chrono::duration<double>(parts_.limits.seconds);
  Call call{request, parts_, Json::object(),
            Clock::now() + std::chrono::duration_cast<Clock::duration>(limit)};
  if (endpoint.fields != nullptr) {
    // A form of another page can send no JSON without asking first.
    if (!is_json(request.field("content-type"))) {
      return error_reply(415, "the Content-Type must be application/json");
    }
    const std::string_view encoding = request.field("content-encoding");
    if (encoding == "gzip") {
      const auto body = gunzipped(request.body, parts_.limits.body_bytes);
      if (!body) return error_reply(413, "the body is no gzip, or too long");
      call.body = read_fields(*body, endpoint.fields());
    } else if (encoding.empty() || encoding == "identity") {
      call.body = read_fields(request.body, endpoint.fields());
    } else {
      return error_reply(415, "the Content-Encoding must be gzip or identity");
    }
  }
  return endpoint.handle(call);
}

HttpReply Service::route(const HttpRequest& request, std::string_view& name) const {
  if (auto refusal = refuse_stranger(request, access_)) return *refusal;
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string allowed;
  for (const Endpoint& endpoint : endpoints()) {
    if (endpoint.path != request.path) continue;
    name = endpoint.path;
    if (endpoint.method != method) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(endpoint.method);
      continue;
    }
    if (!endpoint.without_token) {
      if (auto refusal = refuse_without_token(request, access_)) return *refusal;
    }
    return call(endpoint, request);
  }
  for (const PageFile& file : page_files()) {
    if (file.path != request.path || method != "GET") continue;
    name = "/";
    HttpReply reply;
    reply.type = file.type;
    reply.body = file.content;
    reply.fields.emplace_back("Cache-Control", "no-cache");
    return reply;
  }
  if (allowed.empty()) return error_reply(404, "there is no such path; /openapi.json has all");
  HttpReply reply = error_reply(405, "this path takes " + allowed);
  reply.fields.emplace_back("Allow", allowed);
  return reply;
}

HttpReply Service::answer(const HttpRequest& request) const {
  const auto begin = Clock::now();
  std::string_view name = "other";
  HttpReply reply;
  try {
    reply = route(request, name);
  } catch (const RequestError& error) {
    reply = error_reply(error.status(), error.what());
  } catch (const Error& error) {
    reply = error_reply(400, in_members(error));
  } catch (const std::bad_alloc&) {
    reply = error_reply(503, "out of memory");
  }
  add_safety(reply);
  const std::chrono::duration<double> taken = Clock::now() - begin;
  parts_.metrics.add(name, reply.status, taken.count());
  return reply;
}

}  // namespace croft::serve
