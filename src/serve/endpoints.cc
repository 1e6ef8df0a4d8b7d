#include "serve/endpoints.h"

#include <array>

namespace croft::serve {
namespace {

std::span<const RequestField> no_fields() { return {}; }

std::span<const RequestField> model_fields() {
  static const auto kFields = std::to_array<RequestField>(
      {{"model", FieldType::text, "Its name; needed where there are several"}});
  return kFields;
}

}  // namespace

std::span<const Endpoint> endpoints() {
  static const auto kEndpoints = std::to_array<Endpoint>({
      {"POST", "/v1/tag", "Label sequences, as croft predict --to json does",
       "{\"model\", \"version\", \"results\"}: an object for each sequence", tag_fields, tag},
      {"POST", "/v1/classify", "The labels of texts or examples, with all their probabilities",
       "As /v1/tag; each result has one label", classify_fields, classify},
      {"POST", "/v1/explain", "Why these labels, as croft explain --json says it",
       "{\"model\", \"version\", \"results\"}: an explanation of each sequence", explain_fields,
       explain},
      {"POST", "/v1/suggest", "The sequences most worth labelling, as croft suggest finds them",
       "{\"model\", \"version\", \"results\"}: the least sure first", suggest_fields, suggest},
      {"POST", "/v1/evaluate", "How good a model is on labelled data, and where it is wrong",
       "{\"model\", \"version\", \"summary\", \"confusion\"}", evaluate_fields, evaluate},
      {"POST", "/v1/queue", "What to label next, the least sure first",
       "{\"model\", \"labelled\", \"all\", \"items\"}", queue_fields, queue},
      {"POST", "/v1/label", "The labels of a sequence, which are in the file when this answers",
       "As /v1/queue, with \"item\"", label_fields, put_labels},
      {"POST", "/v1/retrain", "Learn from the labels, in the background; take or leave the result",
       "As /v1/training", retrain_fields, retrain},
      {"GET", "/v1/training", "How far that is, and how good the model before and after it",
       "{\"state\", \"iteration\", \"most\", …}", no_fields, training},
      {"POST", "/v1/infer", "Inference on a network or factor graph, as croft infer --json does",
       "{\"model\", \"version\", \"result\"}", infer_fields, infer},
      {"POST", "/v1/neighbourhood",
       "What is around a variable of a database or an atom: cliques, weights, and why",
       "{\"model\", \"version\", \"variables\", \"cliques\", \"why\"}, or {\"names\"}",
       neighbourhood_fields, neighbourhood},
      {"GET", "/v1/models", "The models, their kinds and versions", "{\"models\": […]}", no_fields,
       models},
      {"GET", "/v1/inspect", "What is in a model of sequences: labels, record, strongest features",
       "{\"model\", \"version\", \"summary\", \"top\"}", model_fields, inspect},
      {"GET", "/v1/network", "The variables, states, parents and places of a network",
       "{\"model\", \"version\", \"variables\", \"factors\"}", model_fields, network},
      {"GET", "/v1/health", "Whether the server answers", "{\"status\": \"ok\"}", no_fields, health,
       true},
      {"POST", "/predict", "Label Studio's backend: tasks come back with spans or choices",
       "{\"results\": [{\"result\", \"score\", \"model_version\"}]}", prelabel_fields, prelabel},
      {"POST", "/setup", "Label Studio's backend: a project begins", "{\"model_version\"}",
       setup_fields, setup},
      {"GET", "/health", "Label Studio's backend: whether it is there", "{\"status\": \"UP\"}",
       setup_fields, backend_health, true},
      {"GET", "/metrics", "Counters for Prometheus", "The text format 0.0.4", no_fields, metrics},
      {"GET", "/openapi.json", "This description", "OpenAPI 3.1", no_fields, describe, true},
  });
  return kEndpoints;
}

HttpReply json_reply(const Json& value) {
  HttpReply reply;
  reply.body = value.dump(-1, InvalidUtf8::replace) + "\n";
  return reply;
}

ModelPointer model_of(const Call& call, std::string_view name, bool (*wanted)(const ServedModel&),
                      std::string_view what) {
  if (!name.empty()) {
    ModelPointer found = call.parts.models.find(name);
    if (found == nullptr) throw RequestError(404, "there is no model " + in_quotes(name));
    if (wanted(*found)) return found;
    throw RequestError(400, in_quotes(name) + " is no " + std::string(what));
  }
  ModelPointer only;
  for (const ModelPointer& each : call.parts.models.all()) {
    if (!wanted(*each)) continue;
    if (only != nullptr) {
      throw RequestError(400, "there is more than one " + std::string(what) + ": say which model");
    }
    only = each;
  }
  if (only == nullptr) throw RequestError(404, "there is no " + std::string(what));
  return only;
}

}  // namespace croft::serve
