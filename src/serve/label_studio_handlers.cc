// Label Studio's protocol of machine-learning backends: tasks come with their texts, and go back
// with spans or choices that a person then corrects.
//
// Texts of a model of columns are cut into words and marks, as the page cuts them.  Offsets count
// UTF-16 units, as a browser's strings do.
#include <algorithm>
#include <array>
#include <optional>

#include "app/label/chunks.h"
#include "app/label/tagger.h"
#include "core/unicode.h"
#include "data/text_tokenizer.h"
#include "serve/sequence_requests.h"

namespace croft::serve {
namespace {

// A model of one column, or of texts: what a text alone can be labelled by.
bool labels_texts(const ServedModel& model) {
  if (model.sequences == nullptr) return false;
  const std::size_t columns = model.sequences->extractor().config().columns;
  return model.format == "text" || (model.format == "columns" && columns == 1);
}

struct Word {
  std::size_t begin, end;              // bytes
  std::size_t first_unit, after_unit;  // UTF-16 units
};

std::vector<Word> words_of(std::string_view text) {
  static const auto kTokenizer = tokenizer_named(kUsualTokenizer);
  std::vector<Word> words;
  std::size_t at = 0, unit = 0;
  const auto unit_at = [&](std::size_t byte) {
    while (at < byte) {
      const DecodedCharacter c = decode(text, at);
      unit += c.value > 0xFFFF && c.value <= 0x10FFFF ? 2 : 1;
      at += c.size;
    }
    return unit;
  };
  for (const TextPlace& each : kTokenizer->tokens(text)) {
    const std::size_t first = unit_at(each.begin);
    words.push_back({each.begin, each.end, first, unit_at(each.end)});
  }
  return words;
}

// The value of an attribute of the first such tag of the labelling interface; empty: none.
std::string attribute_of(std::string_view config, std::string_view tag, std::string_view name) {
  for (std::size_t at = config.find('<'); at != config.npos; at = config.find('<', at + 1)) {
    std::string_view rest = config.substr(at + 1);
    if (!rest.starts_with(tag) || rest.size() == tag.size() ||
        (rest[tag.size()] != ' ' && rest[tag.size()] != '\n' && rest[tag.size()] != '\t')) {
      continue;
    }
    rest = rest.substr(0, rest.find('>'));
    const std::size_t found = rest.find(" " + std::string(name) + "=\"");
    if (found == rest.npos) return {};
    rest = rest.substr(found + name.size() + 3);
    return std::string(rest.substr(0, rest.find('"')));
  }
  return {};
}

// What the labelling interface calls its parts.
struct Names {
  explicit Names(std::string_view config, bool spans) {
    const char* const tag = spans ? "Labels" : "Choices";
    const auto or_else = [](std::string found, const char* usual) {
      return found.empty() ? std::string(usual) : found;
    };
    from = or_else(attribute_of(config, tag, "name"), spans ? "label" : "choice");
    to = or_else(attribute_of(config, tag, "toName"), "text");
    key = or_else(attribute_of(config, "Text", "value"), "$text");
    if (key.starts_with('$')) key.erase(0, 1);
  }
  std::string from, to, key;
};

struct Region {
  std::size_t begin, end;  // words
  std::string_view label;
};

// Chunks, or words; but for what is outside of all.
std::vector<Region> regions_of(const std::vector<std::string_view>& labels) {
  std::vector<Region> regions;
  if (detect_scheme(labels) != ChunkScheme::none) {
    for (const Chunk& each : chunks_of(labels))
      regions.push_back({each.begin, each.end, each.type});
    return regions;
  }
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] == "O") continue;
    const bool goes_on =
        !regions.empty() && regions.back().end == t && regions.back().label == labels[t];
    if (goes_on) {
      ++regions.back().end;
    } else {
      regions.push_back({t, t + 1, labels[t]});
    }
  }
  return regions;
}

class Prelabelling {
 public:
  Prelabelling(const ServedModel& model, std::string_view config)
      : model_(model),
        spans_(model.format == "columns"),
        names_(config, spans_),
        tagger_(*model.plan) {
    ask_.marginals = model.sequences->has_probabilities();
  }

  Json operator()(const Json& task) {
    const Json* const data = task.get_if("data");
    const Json* const text =
        data != nullptr && data->is_object() ? data->get_if(names_.key) : nullptr;
    if (text == nullptr || !text->is_string()) {
      throw RequestError(400, "a task has no text " + in_quotes(names_.key) +
                                  ", which the labelling interface names");
    }
    Json out = {{"model_version", std::to_string(model_.version)}, {"result", Json::array()}};
    double least = 1;
    for (Json& each : spans_ ? label_words(text->string()) : choose(text->string())) {
      if (each.contains("score")) least = std::min(least, each["score"].get<double>());
      out["result"].push_back(std::move(each));
    }
    out["score"] = least;
    return out;
  }

 private:
  Json region(const char* type, Json value, std::optional<double> score) const {
    Json out = {{"from_name", names_.from},
                {"to_name", names_.to},
                {"type", type},
                {"value", std::move(value)}};
    if (score) out["score"] = *score;
    return out;
  }
  std::optional<double> sure(const Tagging& tagging, std::size_t begin, std::size_t end) const {
    if (!ask_.marginals) return std::nullopt;
    double least = 1;
    for (std::size_t t = begin; t < end; ++t) {
      least = std::min<double>(least, tagging.marginals(t, tagging.y[t]));
    }
    return least;
  }
  const Tagging& tag(const std::string& data) {
    SequenceSource source(LineReader(data, "data"), *model_.sequences, Labels::optional,
                          model_.spans);
    source.allow_none();
    if (!source.next(input_)) throw RequestError(400, "a text cannot be read");
    source.extract(input_, scratch_);
    const ColumnSequence* rows = input_.rows.rows() > 0 ? &input_.rows : nullptr;
    return tagger_.tag(TagInput{input_.text, rows, source.name()}, ask_);
  }
  std::vector<Json> label_words(const std::string& text) {
    const std::vector<Word> words = words_of(text);
    if (words.empty()) return {};
    std::string data;
    for (const Word& each : words) data += text.substr(each.begin, each.end - each.begin) + "\n";
    const Tagging& tagging = tag(data + "\n");
    std::vector<std::string_view> labels;
    for (const Label y : tagging.y) labels.push_back(model_.sequences->label(y));
    std::vector<Json> out;
    for (const Region& each : regions_of(labels)) {
      const Word &first = words[each.begin], &last = words[each.end - 1];
      Json names = Json::array();
      names.push_back(each.label);
      out.push_back(region("labels",
                           {{"start", first.first_unit},
                            {"end", last.after_unit},
                            {"text", text.substr(first.begin, last.end - first.begin)},
                            {"labels", std::move(names)}},
                           sure(tagging, each.begin, each.end)));
    }
    return out;
  }
  std::vector<Json> choose(const std::string& text) {
    std::string line = "\t" + text;
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    const Tagging& tagging = tag(line + "\n");
    Json choices = Json::array();
    choices.push_back(model_.sequences->label(tagging.y.at(0)));
    std::vector<Json> out;
    out.push_back(region("choices", {{"choices", std::move(choices)}}, sure(tagging, 0, 1)));
    return out;
  }

  const ServedModel& model_;
  const bool spans_;
  const Names names_;
  Tagger tagger_;
  TagOptions ask_;
  InputSequence input_;
  Extractor::Scratch scratch_;
};

ModelPointer model_for(const Call& call) {
  return model_of(call, {}, labels_texts, "model of texts, or of words in one column");
}

constexpr RequestField kRest{"*", FieldType::anything,
                             "What else Label Studio sends; not looked at"};

}  // namespace

std::span<const RequestField> prelabel_fields() {
  static const auto kFields = std::to_array<RequestField>({
      {"tasks", FieldType::anything, "A list of {\"data\": {\"text\": …}}"},
      {"label_config", FieldType::text, "The labelling interface, which names its parts"},
      kRest,
  });
  return kFields;
}

HttpReply prelabel(const Call& call) {
  const ModelPointer model = model_for(call);
  const Json* const tasks = call.body.get_if("tasks");
  if (tasks == nullptr || !tasks->is_array()) throw RequestError(400, "\"tasks\" is no list");
  Prelabelling label(*model, call.body.value("label_config", std::string()));
  Json results = Json::array();
  for (const Json& task : *tasks) {
    if (std::chrono::steady_clock::now() > call.deadline) {
      throw RequestError(422, "the request takes longer than this server allows");
    }
    if (!task.is_object()) throw RequestError(400, "a task is no object");
    results.push_back(label(task));
  }
  call.parts.metrics.add_answers(model->name, results.size());
  return json_reply({{"results", results}, {"model_version", std::to_string(model->version)}});
}

std::span<const RequestField> setup_fields() {
  static const auto kFields = std::to_array<RequestField>({kRest});
  return kFields;
}

HttpReply setup(const Call& call) {
  return json_reply({{"model_version", std::to_string(model_for(call)->version)}});
}

HttpReply backend_health(const Call&) {
  return json_reply({{"status", "UP"}, {"model_class", "croft"}});
}

}  // namespace croft::serve
