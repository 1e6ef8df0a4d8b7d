// Sequences and texts: their labels, and why.  The data of a request is read, labelled and written
// by what `croft predict` and `croft explain` use, so the answers are theirs to the last digit.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>

#include "app/explain/reasons.h"
#include "app/kinds.h"
#include "app/label/predict.h"
#include "app/label/suggest.h"
#include "serve/sequence_requests.h"

namespace croft::serve {
namespace {

// Hands on a line for each sequence.
using WriteLines = std::function<void(std::string_view)>;

void label(const Work& work, const ServiceParts& parts,
           std::chrono::steady_clock::time_point deadline, const WriteLines& write) {
  if (work.text.empty()) return;
  SequenceSource source = work.source();
  ThreadPool pool(1);
  const std::atomic<bool> stop = false;
  PredictCounts counts;
  const auto write_in_time = [&](std::string_view lines) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw RequestError(422, "the request takes longer than this server allows");
    }
    write(lines);
  };
  predict_stream(*work.plan, source, work.options, pool, {write_in_time}, stop, counts);
  parts.metrics.add_answers(work.model->name, counts.sequences);
}

Json error_line(const Error& error) { return {{"error", {{"message", in_members(error)}}}}; }

// The client has gone.
struct Gone : std::exception {};

HttpReply stream_reply(std::function<void(const WriteLines&)> produce) {
  HttpReply reply;
  reply.type = "application/x-ndjson";
  reply.stream = [produce = std::move(produce)](const WritePiece& write) {
    const WriteLines lines = [&](std::string_view text) {
      if (!write(text)) throw Gone();
    };
    try {
      produce(lines);
    } catch (const Error& error) {
      lines(error_line(error).dump(-1, InvalidUtf8::replace) + "\n");
    }
  };
  return reply;
}

// {"model": …, "version": …, "results": [ the lines ]}
HttpReply list_reply(const ServedModel& model,
                     const std::function<void(const WriteLines&)>& produce) {
  HttpReply reply;
  reply.body = "{\"model\":" + Json(model.name).dump() +
               ",\"version\":" + std::to_string(model.version) + ",\"results\":[";
  const std::size_t head = reply.body.size();
  produce([&](std::string_view lines) { reply.body += lines; });
  std::replace(reply.body.begin() + static_cast<std::ptrdiff_t>(head), reply.body.end(), '\n', ',');
  if (reply.body.size() > head) reply.body.pop_back();
  reply.body += "]}\n";
  return reply;
}

HttpReply answer(const Call& call, const ServedModel& model,
                 std::function<void(const WriteLines&)> produce) {
  if (call.http.accepts("accept", "application/x-ndjson")) return stream_reply(std::move(produce));
  return list_reply(model, produce);
}

HttpReply label_all(const Call& call, std::shared_ptr<Work> work) {
  work->plan->check(work->options.questions());
  const PredictionFormatter check(*work->plan, work->options);
  const ServedModel& model = *work->model;
  return answer(call, model,
                [work = std::move(work), parts = call.parts, deadline = call.deadline](
                    const WriteLines& write) { label(*work, parts, deadline, write); });
}

ExplainOptions read_explanation(const Json& body, const LabelNames& names) {
  ExplainOptions options;
  options.top = body.value("top", options.top);
  options.unknown = body.value("unknown", false);
  if (const Json* const against = body.get_if("against")) {
    options.against = names.find(against->string());
    if (!options.against) {
      throw RequestError(
          400, "the model has no label " + in_quotes(against->string()) + "; " + names.some());
    }
  }
  return options;
}

void explain_all(const Work& work, const Json& body, const ServiceParts& parts,
                 std::chrono::steady_clock::time_point deadline, const WriteLines& write) {
  if (work.text.empty()) return;
  const SequenceExplainer explainer = kind_of(*work.model->sequences).explainer(*work.plan);
  ExplainOptions options = read_explanation(body, explainer.labels);
  std::vector<std::size_t> wanted;
  if (const Json* const positions = body.get_if("positions")) {
    wanted = positions->get<std::vector<std::size_t>>();
    std::ranges::sort(wanted);
    const auto same = std::ranges::unique(wanted);
    wanted.erase(same.begin(), same.end());
    if (wanted.empty()) throw RequestError(400, "\"positions\": there is none");
  }
  SequenceSource source = work.source();
  std::uint64_t count = 0;
  for_each_sequence(source, [&](const InputSequence& input) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw RequestError(422, "the request takes longer than this server allows");
    }
    options.positions.clear();
    for (const std::size_t t : wanted) {
      if (t < input.text.length()) options.positions.push_back(t);
    }
    if (!wanted.empty() && options.positions.empty()) return write("null\n");
    const ColumnSequence* rows = input.rows.rows() > 0 ? &input.rows : nullptr;
    const ExplainedSequence explained =
        explainer.explain(TagInput{input.text, rows, source.name()}, input, options);
    write(explained.view.json.dump(-1, InvalidUtf8::replace) + "\n");
    ++count;
  });
  parts.metrics.add_answers(work.model->name, count);
}

void suggest_all(const Work& work, Uncertainty by, std::size_t top, const ServiceParts& parts,
                 std::chrono::steady_clock::time_point deadline, const WriteLines& write) {
  if (work.text.empty()) return;
  SequenceSource source = work.source();
  const std::atomic<bool> stop = false;
  const std::vector<Suggestion> found = croft::suggest(*work.plan, source, by, top, stop);
  if (std::chrono::steady_clock::now() > deadline) {
    throw RequestError(422, "the request takes longer than this server allows");
  }
  for (const Suggestion& each : found) write(each.json.dump(-1, InvalidUtf8::replace) + "\n");
  parts.metrics.add_answers(work.model->name, found.size());
}

}  // namespace

std::span<const RequestField> tag_fields() {
  static const auto kFields = std::to_array<RequestField>({
      model_field(),
      data_field(),
      rows_field(),
      texts_field(),
      {"marginals",
       FieldType::text,
       "Probabilities of the predicted labels, of all, or of pairs",
       0,
       0,
       {"predicted", "all", "edges"}},
      {"probability", FieldType::flag, "Of each labelling"},
      {"score", FieldType::flag, "Of each labelling, and log Z"},
      {"k_best", FieldType::whole, "So many of the most probable labellings", 1, 100},
      {"spans", FieldType::flag, "The predicted chunks and their probabilities"},
      {"entropy", FieldType::flag, "Of the labellings, in nats"},
      {"expected_counts", FieldType::flag, "How often each label is to be expected"},
      {"smallest", FieldType::number, "The smallest number of a pair of labels that is written"},
      {"samples", FieldType::whole, "So many labellings drawn at random", 1, 1000},
      {"seed", FieldType::whole, "Of the samples"},
      {"decode",
       FieldType::text,
       "Which labelling is wanted",
       0,
       0,
       {"viterbi", "marginal", "risk", "labelling"}},
      {"constrain", FieldType::text, "Labels that may follow each other", 0, 0, {"bio", "bioes"}},
      {"partial", FieldType::flag,
       "The labels of the data restrict: ? is any label, A is forced, A|B is one of these"},
      {"rules", FieldType::texts, "What the labelling obeys as a whole, as croft predict --rule"},
      {"limit", FieldType::whole, "Steps of a search for one sequence", 1, 100'000},
  });
  return kFields;
}

std::span<const RequestField> classify_fields() {
  static const auto kFields = std::to_array<RequestField>({
      model_field(),
      data_field(),
      texts_field(),
      {"marginals",
       FieldType::text,
       "Probabilities of the predicted labels, or of all (without)",
       0,
       0,
       {"predicted", "all"}},
  });
  return kFields;
}

std::span<const RequestField> suggest_fields() {
  static const auto kFields = std::to_array<RequestField>({
      model_field(),
      data_field(),
      rows_field(),
      texts_field(),
      {"by",
       FieldType::text,
       "What makes a sequence worth labelling; margin where nothing is said",
       0,
       0,
       {kUncertainties[0], kUncertainties[1], kUncertainties[2]}},
      {"top", FieldType::whole, "So many sequences, 10 where nothing is said", 1, 10'000},
  });
  return kFields;
}

std::span<const RequestField> explain_fields() {
  static const auto kFields = std::to_array<RequestField>({
      model_field(),
      data_field(),
      rows_field(),
      texts_field(),
      {"positions", FieldType::wholes, "Of each sequence, from 0; without: all"},
      {"against", FieldType::text, "Compare with this label; without: the most probable other one"},
      {"top", FieldType::whole, "So many attributes are listed for each label", 1, 1000},
      {"unknown", FieldType::flag, "Name the attributes that the model does not know"},
      {"constrain", FieldType::text, "Labels that may follow each other", 0, 0, {"bio", "bioes"}},
  });
  return kFields;
}

HttpReply tag(const Call& call) {
  return label_all(call, begin(call, labels_sequences, kSequenceModel));
}

HttpReply classify(const Call& call) {
  const auto work = begin(call, labels_units, "model of texts or single examples");
  if (!call.body.contains("marginals") && work->model->sequences->has_probabilities()) {
    work->options.marginals = MarginalOutput::all;
  }
  return label_all(call, work);
}

HttpReply explain(const Call& call) {
  auto work = begin(call, labels_sequences, kSequenceModel);
  const ServedModel& model = *work->model;
  return answer(
      call, model,
      [work = std::move(work), body = call.body, parts = call.parts, deadline = call.deadline](
          const WriteLines& write) { explain_all(*work, body, parts, deadline, write); });
}

HttpReply suggest(const Call& call) {
  auto work = begin(call, labels_sequences, kSequenceModel);
  const ServedModel& model = *work->model;
  const auto by =
      std::ranges::find(kUncertainties, call.body.value("by", std::string(kUncertainties[0])));
  const auto uncertainty = static_cast<Uncertainty>(by - std::begin(kUncertainties));
  const std::size_t top = call.body.value("top", std::size_t{10});
  return answer(call, model,
                [work = std::move(work), parts = call.parts, uncertainty, top,
                 deadline = call.deadline](const WriteLines& write) {
                  suggest_all(*work, uncertainty, top, parts, deadline, write);
                });
}

}  // namespace croft::serve
