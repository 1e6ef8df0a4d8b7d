#include "app/inspect/model_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "app/evaluate/evaluation.h"
#include "app/evaluate/label_errors.h"
#include "app/infer/svg_text.h"
#include "app/inspect/notes_html.h"
#include "app/kinds.h"
#include "app/label/predict.h"
#include "app/label/row_reader.h"
#include "app/label/sequence_source.h"
#include "app/search/search.h"
#include "app/train/recorded_options.h"
#include "core/words/counted.h"
#include "model/kinds/segment_model.h"

namespace croft {
namespace {

// A training with the recorded options; a file that the record does not name is FILE.  Of a
// calibrated model the calibration, too.
std::string commands_of(const SequenceModel& model, const Json& record, const std::string& name) {
  if (record.empty()) return {};
  const std::optional<Calibrator>& calibrator = model.calibrator();
  const std::string trained = name + (calibrator ? "-uncalibrated.croft" : ".croft");
  std::vector<std::string> words{"croft", "train"};
  for (const RecordedOption& each : recorded_options(model, record)) {
    std::ranges::move(words_of(each), std::back_inserter(words));
  }
  words.insert(words.end(), {"-o", trained, "DATA"});
  if (!calibrator) return shell_words(words);
  return shell_words(words) + "\n" +
         shell_words({"croft", "calibrate", "--method",
                      std::string(calibration_name(calibrator->method)), "-m", trained, "-o",
                      name + ".croft", "HELDOUT"});
}

// Of each label those that speak for it, most of all; the first list of objects under its name.
Json features_of(const Json& top, std::size_t most) {
  Json out = Json::object(KeyOrder::as_written);
  const Json* const node = top.get_if("node");
  if (node == nullptr || !node->is_object()) return out;
  for (const auto& [label, lists] : node->items()) {
    const Json* const largest = lists.is_object() ? lists.get_if("largest") : nullptr;
    if (largest == nullptr) continue;
    for (const Json& each : *largest) {
      if (out[label].size() == most || !each.contains("attribute")) break;
      out[label].push_back(each);
    }
  }
  return out;
}

// The same of segments: of the labels of positions, then of those of whole segments.
Json features_of_segments(const Json& parts, std::size_t most) {
  Json out = Json::object(KeyOrder::as_written), sorted = out;
  for (const Json& part : parts) {
    for (Json each : part.at("largest")) {
      if (each.contains("before") || !(each.contains("attribute") || each.contains("string")))
        break;
      Json& list = out[each.at("label").string()];
      each.erase("label");
      list.push_back(std::move(each));
    }
  }
  for (const auto& [label, list] : out.items()) {
    std::vector<Json> all(list.begin(), list.end());
    std::ranges::stable_sort(all, std::greater(),
                             [](const Json& each) { return each.at("weight").get<double>(); });
    all.resize(std::min(all.size(), most));
    sorted[label] = all;
  }
  return sorted;
}

Json scores_of(const SequenceModel& model, const CardRequest& request) {
  ThreadPool pool(request.threads);
  const DataForm form(model);
  SequenceSource source(request.data, form, model, Labels::required);
  EvaluateRequest how(form.spans().value_or(ChunkScheme::automatic));
  return to_json(evaluate_model(model, source, how, pool).summary());
}

}  // namespace

Json model_card(const SequenceModel& model, const std::string& path, const CardRequest& request) {
  const KindRow& kind = kind_of(model);
  const Json summary = kind.summary(model).json;
  const std::string name = std::filesystem::path(path).stem().string();
  const Json record = summary.value("training", Json::object());
  Json labels = Json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  Json card = Json::object(KeyOrder::as_written);
  card["model"] = name;
  card["kind"] = model.kind();
  card["file_bytes"] = summary.value("file_bytes", Json());
  card["labels"] = labels;
  if (!request.notes.empty()) card["notes"] = request.notes;
  card["training"] = record;
  card["reproduce"] = commands_of(model, record, name);
  if (model.calibrator()) card["calibration"] = summary.at("calibration");
  if (!model.extractor().config().template_text.empty()) {
    card["template"] = model.extractor().config().template_text;
  }
  const Json top = kind.top(model, request.top).json;
  card["features"] = model.kind() == SegmentModel::kKind ? features_of_segments(top, request.top)
                                                         : features_of(top, request.top);
  if (request.data.empty()) return card;
  card["data"] = std::filesystem::path(request.data).filename().string();
  card["scores"] = scores_of(model, request);
  Json errors = to_json(find_errors(model, request.data, {.train = "", .top = 10}));
  card["errors"] = errors;
  return card;
}

namespace {

// A page, in either language.
class Page {
 public:
  explicit Page(CardFormat format) : html_(format == CardFormat::html) {}

  void title(std::string_view text) {
    if (html_) {
      out_ += fmt::format(
          "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
          svg_escaped(text), kStyle);
    } else {
      out_ += fmt::format("# {}\n", plain(text));
    }
  }
  void heading(std::string_view text) {
    out_ += html_ ? fmt::format("<h2>{}</h2>\n", svg_escaped(text))
                  : fmt::format("\n## {}\n", plain(text));
  }
  void paragraph(std::string_view text) {
    out_ +=
        html_ ? fmt::format("<p>{}</p>\n", svg_escaped(text)) : fmt::format("\n{}\n", plain(text));
  }
  void code(std::string_view text) {
    out_ += html_ ? fmt::format("<pre>{}</pre>\n", svg_escaped(text))
                  : fmt::format("\n```\n{}{}```\n", text, text.ends_with('\n') ? "" : "\n");
  }
  // What the author wrote, which is Markdown.
  void notes(std::string_view text) {
    out_ +=
        html_ ? notes_html(text) : fmt::format("\n{}{}", text, text.ends_with('\n') ? "" : "\n");
  }
  void table(const std::vector<std::string>& heads,
             const std::vector<std::vector<std::string>>& rows) {
    if (rows.empty()) return;
    if (html_) {
      out_ += "<table>\n<tr>";
      for (const std::string& each : heads) out_ += "<th>" + svg_escaped(each) + "</th>";
      out_ += "</tr>\n";
      for (const auto& row : rows) {
        out_ += "<tr>";
        for (const std::string& each : row) out_ += "<td>" + svg_escaped(each) + "</td>";
        out_ += "</tr>\n";
      }
      out_ += "</table>\n";
      return;
    }
    out_ += "\n|";
    for (const std::string& each : heads) out_ += " " + cell(each) + " |";
    out_ += "\n|";
    for (std::size_t k = 0; k < heads.size(); ++k) out_ += "---|";
    out_ += "\n";
    for (const auto& row : rows) {
      out_ += "|";
      for (const std::string& each : row) out_ += " " + cell(each) + " |";
      out_ += "\n";
    }
  }
  std::string end() { return html_ ? out_ + "</body>\n</html>\n" : out_; }

 private:
  // Text of data is neither markup nor HTML.
  static std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (std::string_view("\\`*_[]<>#&").find(c) != std::string_view::npos) out += '\\';
      out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
  }
  static std::string cell(std::string_view text) {
    std::string out;
    for (const char c : plain(text)) {
      if (c == '|') out += '\\';
      out += c;
    }
    return out;
  }
  static constexpr std::string_view kStyle =
      "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;"
      "color-scheme:light dark}table{border-collapse:collapse;margin:.6rem 0}"
      "th,td{border-bottom:1px solid #8888;padding:.15rem .7rem;text-align:left}"
      "pre{overflow-x:auto;background:#8881;padding:.6rem}";

  bool html_;
  std::string out_;
};

std::string number(const Json& value) {
  if (value.is_string()) return value.string();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return value.dump();
}
std::string percent(const Json& value) {
  return fmt::format("{:.2f} %", 100 * value.get<double>());
}

void add_calibration(const Json& card, Page& page) {
  const Json* const record = card.get_if("calibration");
  if (record == nullptr) return;
  std::string text = "Afterwards it was calibrated: " + record->at("method").string();
  const Json* const temperature = record->get_if("temperature");
  text += temperature != nullptr ? " " + number(*temperature) : ", a curve for each label";
  if (const Json* const sequences = record->get_if("sequences")) {
    text += ", fitted to " + counted(sequences->get<std::size_t>(), "sequence");
  }
  const auto loss = [&](const char* when) {
    const Json* const scores = record->get_if(when);
    return scores == nullptr ? Json() : scores->value("log_loss", Json());
  };
  if (loss("before").is_number() && loss("after").is_number()) {
    text += fmt::format(", whose log-loss went from {} to {}", number(loss("before")),
                        number(loss("after")));
  }
  page.paragraph(text + ".");
}

void add_training(const Json& card, Page& page) {
  const Json& record = card.at("training");
  page.heading("Training");
  if (record.empty()) {
    page.paragraph("The file has no record of a training: it was converted or imported.");
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : record.items()) {
    if (value.is_object() || value.is_array()) continue;
    std::string name = key;
    std::ranges::replace(name, '_', ' ');
    rows.push_back({name, number(value)});
  }
  page.table({"what", "value"}, rows);
  add_calibration(card, page);
  page.paragraph("To train it again, as far as the record has its options:");
  page.code(card.at("reproduce").string());
  if (const Json* const text = card.get_if("template")) {
    page.paragraph("with these templates:");
    page.code(text->string());
  }
}

void add_scores(const Json& card, Page& page) {
  const Json* const scores = card.get_if("scores");
  if (scores == nullptr) return;
  page.heading("Scores on " + card.at("data").string());
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* group, const char* key, const char* name, bool share) {
    const Json* const of = *group == '\0' ? scores : scores->get_if(group);
    const Json* const value = of == nullptr ? nullptr : of->get_if(key);
    if (value != nullptr && value->is_number()) {
      rows.push_back({name, share ? percent(*value) : number(*value)});
    }
  };
  add("tokens", "accuracy", "accuracy of labels", true);
  add("sequences", "accuracy", "sequences without an error", true);
  add("chunk", "precision", "precision of chunks", true);
  add("chunk", "recall", "recall of chunks", true);
  add("chunk", "f1", "F1 of chunks", true);
  add("macro", "f1", "F1 of labels, macro", true);
  add("", "log_loss", "log-loss, nats a label", false);
  if (scores->value("impossible_sequences", std::size_t{0}) > 0) {
    std::string labels;
    if (const Json* const found = scores->get_if("impossible_labels")) {
      for (const auto& [label, sequences] : found->items()) {
        labels += (labels.empty() ? ": " : ", ") + std::string(label);
      }
    }
    rows.push_back({"log-loss, nats a label",
                    fmt::format("inf: gold labels have probability 0 in {} of the sequences{}",
                                scores->at("impossible_sequences").dump(), labels)});
  }
  add("calibration", "expected_calibration_error", "expected calibration error", true);
  page.table({"score", "value"}, rows);
  const Json* const chunk = scores->get_if("chunk");
  const Json& classes = chunk != nullptr ? chunk->at("types") : scores->at("labels");
  rows.clear();
  for (const auto& [name, each] : classes.items()) {
    rows.push_back({name, percent(each.at("precision")), percent(each.at("recall")),
                    percent(each.at("f1")), each.at("support").dump()});
  }
  page.table({chunk != nullptr ? "type" : "label", "precision", "recall", "F1", "there are"}, rows);
  const Json& errors = card.at("errors");
  rows.clear();
  for (const auto& [kind, count] : errors.at("kinds").items()) rows.push_back({kind, count.dump()});
  page.heading("Mistakes");
  page.table({"kind", "how many"}, rows);
  rows.clear();
  for (const Json& each : errors.at("errors")) {
    rows.push_back({each.at("line").dump(), each.at("kind").string(), each.at("gold").string(),
                    each.at("predicted").string(),
                    each.contains("probability") ? percent(each.at("probability")) : ""});
  }
  page.paragraph("The first of them, the surest first where the model has probabilities:");
  page.table({"line", "kind", "gold", "predicted", "probability"}, rows);
}

void add_features(const Json& card, Page& page) {
  const Json& features = card.at("features");
  if (features.empty()) return;
  page.heading("Strongest features");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [label, list] : features.items()) {
    std::string text;
    for (const Json& each : list) {
      const char* const name = each.contains("attribute") ? "attribute" : "string";
      text += fmt::format("{}{} ({:+.2f})", text.empty() ? "" : ", ", each.at(name).string(),
                          each.at("weight").get<double>());
    }
    rows.push_back({label, text});
  }
  page.table({"label", "what speaks for it"}, rows);
}

}  // namespace

std::string format_card(const Json& card, CardFormat format) {
  Page page(format);
  page.title("Model " + card.at("model").string());
  std::string labels;
  for (const Json& each : card.at("labels")) labels += (labels.empty() ? "" : ", ") + each.string();
  page.paragraph(fmt::format("A model of kind {} with {}: {}. Its file has {}.",
                             card.at("kind").string(), counted(card.at("labels").size(), "label"),
                             labels, counted(card.at("file_bytes").get<std::size_t>(), "byte")));
  if (const Json* const notes = card.get_if("notes")) page.notes(notes->string());
  add_scores(card, page);
  add_features(card, page);
  add_training(card, page);
  return page.end();
}

}  // namespace croft
