// What is served, and how it goes.
#include <optional>

#include "app/kinds.h"
#include "serve/annotation.h"
#include "serve/endpoints.h"

namespace croft::serve {
namespace {

bool is_sequence_model(const ServedModel& model) { return model.sequences != nullptr; }

Json labels_of(const SequenceModel& model) {
  Json labels = Json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  return labels;
}

}  // namespace

HttpReply models(const Call& call) {
  Json list = Json::array();
  for (const ModelPointer& each : call.parts.models.all()) {
    const ModelStore::Status status = call.parts.models.status(each->name);
    Json one = {{"name", each->name}, {"kind", each->kind}, {"version", each->version}};
    if (!status.problem.empty()) one["problem"] = status.problem;
    if (each->sequences != nullptr) {
      one["format"] = each->format;
      one["columns"] = each->sequences->extractor().config().columns;
      one["labels"] = labels_of(*each->sequences);
      one["probabilities"] = each->sequences->has_probabilities();
      one["has_data"] = !call.parts.data.empty();
      one["queue"] =
          call.parts.annotation != nullptr && call.parts.annotation->files().model == each->name;
    } else if (each->graph != nullptr) {
      one["variables"] = each->graph->variables();
      one["method"] = each->graph->method();
    } else {
      one["variables"] = each->network->graph.variables();
    }
    list.push_back(one);
  }
  return json_reply({{"models", list}});
}

namespace {

// [from][to]; null: forbidden.  None where the chain's states are not its labels, or are many.
std::optional<Json> transitions_of(const SequenceModel& model) {
  constexpr std::size_t kMostLabels = 64;
  const TransitionScores<double>& scores = model.transitions<double>();
  if (model.labels_are_independent() || scores.labels() != model.labels() ||
      model.labels() > kMostLabels) {
    return std::nullopt;
  }
  Json rows = Json::array();
  for (Label i = 0; i < model.labels(); ++i) {
    Json row = Json::array();
    for (Label j = 0; j < model.labels(); ++j) row.push_back(scores.at(i, j));  // -inf is null
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

HttpReply inspect(const Call& call) {
  const ModelPointer served = model_of(call, call.body.value("model", std::string()),
                                       is_sequence_model, "model that labels sequences");
  const KindRow& kind = kind_of(*served->sequences);
  Json out = {{"model", served->name},
              {"version", served->version},
              {"summary", kind.summary(*served->sequences).json},
              {"top", kind.top(*served->sequences, 20).json}};
  if (auto rows = transitions_of(*served->sequences)) out["transitions"] = *rows;
  return json_reply(out);
}

HttpReply health(const Call&) { return json_reply({{"status", "ok"}}); }

HttpReply metrics(const Call& call) {
  HttpReply reply;
  reply.type = "text/plain; version=0.0.4; charset=utf-8";
  reply.body = call.parts.metrics.text(call.parts.server, call.parts.models.loads());
  return reply;
}

HttpReply describe(const Call& call) { return json_reply(open_api(call.parts.version)); }

}  // namespace croft::serve
