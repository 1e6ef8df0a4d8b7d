#include "serve/service.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "serve/gzip.h"
#include "serve/page_files.h"

namespace croft::serve {
namespace {

using Clock = std::chrono::steady_clock;

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

// The members of a POST, which stand in its body.
Json Service::read_body(const Endpoint& endpoint, const HttpRequest& request) const {
  const std::span<const RequestField> fields = endpoint.fields();
  if (!request.query.empty() &&
      std::ranges::find(fields, "*", &RequestField::name) == fields.end()) {
    throw RequestError(400, "the members of this request stand in its body, and none behind \"?\"");
  }
  // A form of another page can send no JSON without asking first.
  if (!is_json(request.field("content-type"))) {
    throw RequestError(415, "the Content-Type must be application/json");
  }
  const std::string_view encoding = request.field("content-encoding");
  if (encoding.empty() || encoding == "identity") return read_fields(request.body, fields);
  if (encoding != "gzip") {
    throw RequestError(415, "the Content-Encoding must be gzip or identity");
  }
  const auto body = gunzipped(request.body, parts_.limits.body_bytes);
  if (!body) throw RequestError(400, "the body is no gzip");
  if (body->size() > parts_.limits.body_bytes) throw RequestError(413, "the body is too long");
  return read_fields(*body, fields);
}

HttpReply Service::call(const Endpoint& endpoint, const HttpRequest& request) const {
  const auto limit = std::chrono::duration<double>(parts_.limits.seconds);
  return endpoint.handle({request, parts_,
                          endpoint.method == "GET" ? read_query(request, endpoint.fields())
                                                   : read_body(endpoint, request),
                          Clock::now() + std::chrono::duration_cast<Clock::duration>(limit)});
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
