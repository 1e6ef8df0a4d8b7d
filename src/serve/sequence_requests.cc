#include "serve/sequence_requests.h"

#include <algorithm>

#include "app/label/tag_files.h"

namespace croft::serve {

RequestField model_field() {
  return {"model", FieldType::text, "Its name; needed where there are several"};
}
RequestField data_field() {
  return {"data", FieldType::text, "Sequences as a file of the model's format has them"};
}
RequestField rows_field() {
  return {"sequences", FieldType::rows,
          "Instead of data, for a model of columns or attributes: of each sequence its lines"};
}
RequestField texts_field() {
  return {"texts", FieldType::texts,
          "Instead of data, for a model of texts: each is labelled; line ends count as blanks"};
}

bool labels_sequences(const ServedModel& model) { return model.sequences != nullptr; }
bool labels_units(const ServedModel& model) {
  return model.sequences != nullptr && !unit_of(*model.sequences).empty();
}

namespace {

void require_line(const Json& line) {
  if (line.string().find_first_of("\r\n") != std::string::npos) {
    throw RequestError(400, "\"sequences\": a line has a line end in it");
  }
  if (line.string().find_first_not_of(" \t") == std::string::npos) {
    throw RequestError(400, "\"sequences\": a line is empty");
  }
}

std::string text_of_rows(const Json& sequences) {
  std::string text;
  for (const Json& sequence : sequences) {
    if (sequence.empty()) throw RequestError(400, "\"sequences\": one has no lines");
    for (const Json& line : sequence) {
      require_line(line);
      text += line.string();
      text += '\n';
    }
    text += '\n';
  }
  return text;
}

std::string text_of_texts(const Json& texts) {
  std::string text;
  for (const Json& each : texts) {
    text += '\t';  // no label before it
    for (const char c : each.string()) text += c == '\n' || c == '\r' ? ' ' : c;
    text += '\n';
  }
  return text;
}

std::string data_of(const Call& call, const ServedModel& model) {
  const Json *const data = call.body.get_if("data"), *const rows = call.body.get_if("sequences"),
                    *const texts = call.body.get_if("texts");
  if ((data != nullptr) + (rows != nullptr) + (texts != nullptr) != 1) {
    throw RequestError(400, "a request has one of \"data\", \"sequences\" and \"texts\"");
  }
  if (data != nullptr) return data->string();
  if (rows != nullptr) {
    if (model.format != "columns" && model.format != "attributes") {
      throw RequestError(400,
                         "\"sequences\" are for models of columns and of attributes; this one "
                         "reads " +
                             model.format);
    }
    return text_of_rows(*rows);
  }
  if (model.format != "text") {
    throw RequestError(400, "\"texts\" are for models of texts; this one reads " + model.format);
  }
  return text_of_texts(*texts);
}

// One sequence of many positions can take long, and time is looked at between sequences.
void check_lengths(const Work& work, const ServeLimits& limits) {
  SequenceSource source = work.source();
  InputSequence sequence;
  while (source.next(sequence)) {
    const std::size_t length = std::max(sequence.rows.rows(), sequence.text.length());
    if (length > limits.sequence_length ||
        length > limits.label_cells / std::max<std::size_t>(work.model->sequences->labels(), 1)) {
      throw RequestError(413, "a sequence of " + std::to_string(length) +
                                  " positions is longer than this server takes");
    }
  }
}

TagRequest read_plan(const Json& body, const SequenceModel& model) {
  TagRequest request;
  const std::string decode = body.value("decode", std::string());
  if (decode == "viterbi") request.decode = Decode::viterbi;
  if (decode == "marginal") request.decode = Decode::marginal;
  if (decode == "risk") request.decode = Decode::risk;
  if (decode == "labelling") request.decode = Decode::labelling;
  if (const Json* const rules = body.get_if("rules")) {
    request.rules = rules->get<std::vector<std::string>>();
  }
  request.limit = body.value("limit", request.limit);
  // One of two words, which the table of fields has checked: no file is opened.
  read_limits(model, body.value("constrain", std::string()), "", request);
  if (body.value("partial", false)) request.partial = PartialLabels{'|', "?"};
  return request;
}

void make_plan(const Json& body, Work& work) {
  const auto limited = {"decode", "rules", "limit", "constrain", "partial"};
  if (std::any_of(limited.begin(), limited.end(),
                  [&](const char* name) { return body.contains(name); })) {
    work.own = std::make_unique<const TagPlan>(*work.model->sequences,
                                               read_plan(body, *work.model->sequences));
    work.plan = work.own.get();
  } else {
    work.plan = work.model->plan.get();
  }
}

PredictOptions read_options(const Json& body) {
  PredictOptions options;
  options.output = OutputFormat::json;
  TagOptions& ask = options.ask;
  ask.probability = body.value("probability", false);
  ask.score = body.value("score", false);
  ask.spans = body.value("spans", false);
  ask.entropy = body.value("entropy", false);
  ask.expected_counts = body.value("expected_counts", false);
  ask.k_best = body.value("k_best", ask.k_best);
  ask.samples = body.value("samples", ask.samples);
  ask.seed = body.value("seed", ask.seed);
  ask.smallest_edge = body.value("smallest", ask.smallest_edge);
  const std::string marginals = body.value("marginals", std::string());
  ask.edges = marginals == "edges";
  if (marginals == "predicted") options.marginals = MarginalOutput::predicted;
  if (marginals == "all") options.marginals = MarginalOutput::all;
  return options;
}

}  // namespace

std::shared_ptr<Work> begin_without_data(const Call& call, bool (*wanted)(const ServedModel&),
                                         std::string_view what) {
  auto work = std::make_shared<Work>();
  work->model = model_of(call, call.body.value("model", std::string()), wanted, what);
  make_plan(call.body, *work);
  work->options = read_options(call.body);
  return work;
}

std::shared_ptr<Work> begin(const Call& call, bool (*wanted)(const ServedModel&),
                            std::string_view what) {
  std::shared_ptr<Work> work = begin_without_data(call, wanted, what);
  work->text = data_of(call, *work->model);
  if (!work->text.empty()) check_lengths(*work, call.parts.limits);
  return work;
}

}  // namespace croft::serve
