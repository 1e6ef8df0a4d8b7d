// How good a model is on labelled data, and where it is wrong: the table of confusions, with
// examples behind each cell.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "serve/sequence_requests.h"

namespace croft::serve {
namespace {

constexpr std::size_t kMostCells = 2000, kAround = 3;  // cells; words before and after a mistake

// The words around position t, and which of them it is; of a text all of it.
Json example_of(const InputSequence& input, std::size_t n, std::size_t t) {
  Json out = {{"sequence", n}, {"position", t}, {"line", input.text.first_line}};
  if (input.rows.rows() == 0) {
    out["text"] = input.document.text;
    return out;
  }
  const std::size_t first = t - std::min(t, kAround);
  Json words = Json::array();
  for (std::size_t k = first; k < std::min(input.rows.rows(), t + kAround + 1); ++k) {
    words.push_back(input.rows.cell(k, 0));
  }
  out["words"] = std::move(words);
  out["word"] = t - first;
  return out;
}

class Mistakes {
 public:
  Mistakes(const Work& work, std::size_t most) : work_(work), most_(most) {}

  void find(SequenceSource source, std::chrono::steady_clock::time_point deadline) {
    const SequenceModel& model = *work_.model->sequences;
    Tagger tagger(*work_.plan);
    InputSequence input;
    Extractor::Scratch scratch;
    for (std::size_t n = 0; source.next(input); ++n) {
      if (std::chrono::steady_clock::now() > deadline) {
        throw RequestError(422, "the request takes longer than this server allows");
      }
      source.extract(input, scratch);
      const ColumnSequence* rows = input.rows.rows() > 0 ? &input.rows : nullptr;
      const Tagging& tagging = tagger.tag(TagInput{input.text, rows, source.name(), n}, {});
      for (std::size_t t = 0; t < tagging.y.size(); ++t) {
        const std::string_view gold = input.text.labels.item(t), found = model.label(tagging.y[t]);
        if (gold != found) add(std::string(gold), std::string(found), input, n, t);
      }
    }
  }

  Json examples(const Confusion& cell) const {
    const auto found = examples_.find({cell.gold, cell.predicted});
    return found == examples_.end() ? Json::array() : found->second;
  }

 private:
  void add(std::string gold, std::string predicted, const InputSequence& input, std::size_t n,
           std::size_t t) {
    Json& list =
        examples_.try_emplace({std::move(gold), std::move(predicted)}, Json::array()).first->second;
    if (list.size() < most_) list.push_back(example_of(input, n, t));
  }

  const Work& work_;
  const std::size_t most_;
  std::map<std::pair<std::string, std::string>, Json> examples_;
};

}  // namespace

std::span<const RequestField> evaluate_fields() {
  static const auto kFields = std::to_array<RequestField>({
      model_field(),
      {"data", FieldType::text,
       "Labelled sequences as a file of the model's format has them; without: those of --data"},
      rows_field(),
      texts_field(),
      {"examples", FieldType::whole, "So many of each mistake, 5 where nothing is said", 0, 100},
  });
  return kFields;
}

HttpReply evaluate(const Call& call) {
  const auto given = {"data", "sequences", "texts"};
  const bool own = std::ranges::none_of(given, [&](auto name) { return call.body.contains(name); });
  if (own && call.parts.data.empty()) {
    throw RequestError(400, "there is no labelled data: give \"data\", or start with --data FILE");
  }
  const std::shared_ptr<Work> work =
      own ? begin_without_data(call, labels_sequences, kSequenceModel)
          : begin(call, labels_sequences, kSequenceModel);
  const auto source = [&] {
    return own ? SequenceSource(LineReader(std::string(call.parts.data)), *work->model->sequences,
                                Labels::required, work->model->spans)
               : work->source(Labels::required);
  };
  ThreadPool pool(1);
  EvaluateRequest request;
  request.report.confusion = true;
  SequenceSource all = source();
  const EvaluationSummary summary =
      evaluate_model(*work->model->sequences, all, request, pool).summary();
  Mistakes mistakes(*work, call.body.value("examples", std::size_t{5}));
  mistakes.find(source(), call.deadline);
  Json cells = Json::array();
  for (const Confusion& each : *summary.confusion) {
    if (cells.size() == kMostCells) break;
    Json cell = {{"gold", each.gold}, {"predicted", each.predicted}, {"count", each.count}};
    if (each.gold != each.predicted) cell["examples"] = mistakes.examples(each);
    cells.push_back(std::move(cell));
  }
  Json numbers = to_json(summary);
  numbers.erase("confusion");
  call.parts.metrics.add_answers(work->model->name, summary.sequences);
  return json_reply({{"model", work->model->name},
                     {"version", work->model->version},
                     {"summary", numbers},
                     {"confusion", cells}});
}

}  // namespace croft::serve
