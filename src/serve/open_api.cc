// What is served as /openapi.json, made of the table of endpoints.
#include "serve/endpoints.h"

namespace croft::serve {
namespace {

Json response(std::string_view description) { return {{"description", description}}; }

Json operation(const Endpoint& endpoint) {
  Json out = Json::object();
  out["summary"] = endpoint.summary;
  Json& responses = out["responses"];
  responses["200"] = response(endpoint.answer);
  responses["default"] = response("{\"error\": {\"status\", \"message\"}}");
  if (endpoint.without_token) out["security"] = Json::array();
  if (endpoint.fields != nullptr) {
    const Json media = {{"schema", schema_of(endpoint.fields())}};
    out["requestBody"]["required"] = true;
    out["requestBody"]["content"]["application/json"] = media;
  }
  if (!endpoint.query.empty()) {
    const Json text = {{"type", "string"}};
    Json parameter = {{"name", endpoint.query}, {"in", "query"}, {"schema", text}};
    out["parameters"].push_back(parameter);
  }
  return out;
}

}  // namespace

Json open_api(std::string_view version) {
  Json document = Json::object(KeyOrder::as_written);
  document["openapi"] = "3.1.0";
  document["info"] = Json{{"title", "croft serve"}, {"version", version}};
  const Json bearer = {{"type", "http"}, {"scheme", "bearer"}};
  document["components"]["securitySchemes"]["token"] = bearer;
  document["security"].push_back({{"token", Json::array()}});
  Json& paths = document["paths"];
  for (const Endpoint& endpoint : endpoints()) {
    const std::string_view method = endpoint.method == "GET" ? "get" : "post";
    paths[endpoint.path][method] = operation(endpoint);
  }
  return document;
}

}  // namespace croft::serve
