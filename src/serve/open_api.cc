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
  const Json schema = schema_of(endpoint.fields());
  if (endpoint.method != "GET") {
    const Json media = {{"schema", schema}};
    out["requestBody"]["required"] = true;
    out["requestBody"]["content"]["application/json"] = media;
    return out;
  }
  for (const auto& [name, value] : schema["properties"].items()) {
    out["parameters"].push_back({{"name", name}, {"in", "query"}, {"schema", value}});
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
