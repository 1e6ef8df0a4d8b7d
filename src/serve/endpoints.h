// The endpoints: one table, which requests are routed by, checked by, and described by.
#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string_view>

#include "core/json.h"
#include "serve/http_message.h"
#include "serve/limits.h"
#include "serve/metrics.h"
#include "serve/model_store.h"
#include "serve/request_fields.h"

namespace croft::serve {

class Annotation;
class Retraining;

// What handlers work with.
struct ServiceParts {
  const ModelStore& models;
  const ServeLimits& limits;
  Metrics& metrics;
  const ServerCounts* server = nullptr;  // null: there are no connections, as in tests
  std::string_view version{};            // of the program
  Annotation* annotation = nullptr;      // null: nobody labels here; both or none
  Retraining* retraining = nullptr;
  std::string_view data{};  // file of labelled data to evaluate; empty: none
};

struct Call {
  const HttpRequest& http;
  const ServiceParts& parts;
  Json body;  // of a GET what stands behind its path; checked by the endpoint's fields
  std::chrono::steady_clock::time_point deadline;
};

struct Endpoint {
  std::string_view method, path, summary, answer;
  std::span<const RequestField> (*fields)();  // of the body, or of what stands behind a GET's path
  HttpReply (*handle)(const Call& call);
  bool without_token = false;
};
std::span<const Endpoint> endpoints();

Json open_api(std::string_view version);

HttpReply json_reply(const Json& value);
// The model that the request names; of several `wanted` ones it has to name one.  Throws
// RequestError, 404 or 400.
ModelPointer model_of(const Call& call, std::string_view name, bool (*wanted)(const ServedModel&),
                      std::string_view what);

// --- the handlers, a file for each kind of question

std::span<const RequestField> tag_fields();
std::span<const RequestField> classify_fields();
std::span<const RequestField> explain_fields();
HttpReply tag(const Call& call);
HttpReply classify(const Call& call);
std::span<const RequestField> suggest_fields();
HttpReply explain(const Call& call);
HttpReply suggest(const Call& call);

std::span<const RequestField> infer_fields();
HttpReply infer(const Call& call);
HttpReply network(const Call& call);

std::span<const RequestField> neighbourhood_fields();
HttpReply neighbourhood(const Call& call);

std::span<const RequestField> queue_fields();
HttpReply queue(const Call& call);
std::span<const RequestField> label_fields();
HttpReply put_labels(const Call& call);
std::span<const RequestField> retrain_fields();
HttpReply retrain(const Call& call);
HttpReply training(const Call& call);

std::span<const RequestField> evaluate_fields();
HttpReply evaluate(const Call& call);

std::span<const RequestField> prelabel_fields();
HttpReply prelabel(const Call& call);
std::span<const RequestField> setup_fields();
HttpReply setup(const Call& call);
HttpReply backend_health(const Call& call);

HttpReply models(const Call& call);
HttpReply inspect(const Call& call);
HttpReply health(const Call& call);
HttpReply metrics(const Call& call);
HttpReply describe(const Call& call);

}  // namespace croft::serve
