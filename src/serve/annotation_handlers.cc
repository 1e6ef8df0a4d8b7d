// What is to be labelled, the labels of people, and the model that learns from them.
#include <array>

#include "serve/annotation.h"
#include "serve/endpoints.h"
#include "serve/retraining.h"

namespace croft::serve {
namespace {

Annotation& annotation_of(const Call& call) {
  if (call.parts.annotation != nullptr) return *call.parts.annotation;
  throw RequestError(404, "this server has no queue: croft serve --queue FILE --labelled FILE");
}

Retraining& retraining_of(const Call& call) {
  annotation_of(call);
  return *call.parts.retraining;
}

Json json_of(const Annotation::Item& item) {
  Json out = {
      {"id", item.id}, {"version", item.version}, {"rows", item.rows}, {"labels", item.labels}};
  if (item.uncertainty) out["uncertainty"] = *item.uncertainty;
  return out;
}

Json state_of(const Annotation& annotation) {
  const Annotation::Counts counts = annotation.counts();
  return {{"model", annotation.files().model}, {"labelled", counts.labelled}, {"all", counts.all}};
}

Uncertainty uncertainty_named(const std::string& name) {
  for (std::size_t k = 0; k < std::size(kUncertainties); ++k) {
    if (name == kUncertainties[k]) return static_cast<Uncertainty>(k);
  }
  return Uncertainty::margin;
}

}  // namespace

std::span<const RequestField> queue_fields() {
  static const auto kFields = std::to_array<RequestField>({
      {"viewer", FieldType::text, "Who asks, by a name of his own: others are shown other ones", 0,
       200},
      {"by",
       FieldType::text,
       "What makes a sequence worth labelling; margin where nothing is said",
       0,
       0,
       {kUncertainties[0], kUncertainties[1], kUncertainties[2]}},
      {"skip", FieldType::wholes, "Numbers of sequences that are not wanted now"},
      {"count", FieldType::whole, "So many sequences; 1 where nothing is said", 1, 100},
      {"id", FieldType::whole, "This sequence alone, as it is"},
  });
  return kFields;
}

HttpReply queue(const Call& call) {
  Annotation& annotation = annotation_of(call);
  const Json& body = call.body;
  Json items = Json::array();
  if (const Json* const id = body.get_if("id")) {
    items.push_back(json_of(annotation.item(id->get<std::size_t>())));
  } else {
    const auto skip = body.contains("skip") ? body["skip"].get<std::vector<std::size_t>>()
                                            : std::vector<std::size_t>();
    const Uncertainty by = uncertainty_named(body.value("by", std::string()));
    for (const Annotation::Item& each : annotation.next(
             body.value("viewer", std::string()), by, skip, body.value("count", std::size_t{1}))) {
      items.push_back(json_of(each));
    }
  }
  Json out = state_of(annotation);
  out["items"] = std::move(items);
  return json_reply(out);
}

std::span<const RequestField> label_fields() {
  static const auto kFields = std::to_array<RequestField>({
      {"id", FieldType::whole, "The number of the sequence; needed"},
      {"version", FieldType::whole, "Of its labels, as they were seen; needed"},
      {"labels", FieldType::texts, "One a row; none: what it has is taken back; needed"},
  });
  return kFields;
}

HttpReply put_labels(const Call& call) {
  Annotation& annotation = annotation_of(call);
  for (const char* name : {"id", "version", "labels"}) {
    if (!call.body.contains(name)) throw RequestError(400, in_quotes(name) + " is missing");
  }
  const Annotation::Item item = annotation.label(
      call.body["id"].get<std::size_t>(), call.body["version"].get<std::uint64_t>(),
      call.body["labels"].get<std::vector<std::string>>());
  Json out = state_of(annotation);
  out["item"] = json_of(item);
  return json_reply(out);
}

std::span<const RequestField> retrain_fields() {
  static const auto kFields = std::to_array<RequestField>({
      {"action",
       FieldType::text,
       "start a training; accept or discard what it made; restore the model before; needed",
       0,
       0,
       {"start", "accept", "discard", "restore"}},
  });
  return kFields;
}

HttpReply retrain(const Call& call) {
  Retraining& retraining = retraining_of(call);
  const std::string action = call.body.value("action", std::string());
  if (action.empty()) throw RequestError(400, "\"action\" is missing");
  if (action == "start") retraining.start();
  if (action == "accept") retraining.accept();
  if (action == "discard") retraining.discard();
  if (action == "restore") retraining.restore();
  return json_reply(retraining.status());
}

HttpReply training(const Call& call) { return json_reply(retraining_of(call).status()); }

}  // namespace croft::serve
