#include "croft/data/span_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace croft {
namespace {

using json = nlohmann::ordered_json;

// Deeper values would overflow the stack where they are written again.
constexpr int kDeepest = 64;

constexpr std::string_view kForm =
    R"(write one object a line, as {"tokens": ["Rome", "fell"], "spans": [[0, 1, "LOC"]]})";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// One line, taken apart.
class LineParser {
 public:
  LineParser(const LineReader& lines, std::string_view line) : lines_(lines), line_(line) {}

  json parse() const {
    std::vector<std::vector<std::string>> keys;  // of the objects that are open
    const auto look = [&](int depth, json::parse_event_t event, json& parsed) {
      if (depth > kDeepest) fail("values nested more than 64 deep", "", "flatten them");
      const auto inside = static_cast<std::size_t>(depth);  // of a key: that of its object, and 1
      if (event == json::parse_event_t::object_start) {
        keys.resize(inside + 1);
        keys.emplace_back();
      } else if (event == json::parse_event_t::key) {
        const auto& key = parsed.get_ref<const std::string&>();
        if (std::ranges::find(keys[inside], key) != keys[inside].end()) {
          fail("a key that stands twice", key, "keep one of the two");
        }
        keys[inside].push_back(key);
      }
      return true;
    };
    try {
      json object = json::parse(line_.begin(), line_.end(), look);
      if (!object.is_object()) fail("a line that is no JSON object", line_, kForm);
      return object;
    } catch (const json::parse_error& error) {
      throw InputError(lines_.location(error.byte), "a line that is not JSON, from here on", line_,
                       kForm);
    } catch (const json::exception&) {
      fail("a line that is not JSON, or has a number out of range", line_, kForm);
    }
  }

  void read_tokens(const json& object, SpanSequence& out) const {
    const auto tokens = object.find("tokens");
    if (tokens == object.end() || !tokens->is_array()) {
      fail("a line without a list \"tokens\"", line_, kForm);
    }
    out.columns = 1;
    for (std::size_t t = 0; t < tokens->size(); ++t) {
      const json& token = (*tokens)[t];
      const std::size_t cells = token.is_array() ? token.size() : 1;
      if (t == 0) out.columns = cells;
      if (cells == 0 || cells != out.columns) {
        fail(std::to_string(cells) + " cells of a token where the first one has " +
                 std::to_string(out.columns),
             token.dump(), "give every token the same cells, at least one");
      }
      if (token.is_array()) {
        for (const json& cell : token) add_cell(cell, out);
      } else {
        add_cell(token, out);
      }
    }
  }

  std::optional<std::vector<LabelledSpan>> read_spans(const json& object, const char* key,
                                                      std::size_t length) const {
    const auto list = object.find(key);
    if (list == object.end()) return std::nullopt;
    if (!list->is_array()) {
      fail(std::string("a value of \"") + key + "\" that is no list", list->dump(),
           "write [[START, END, LABEL], …], or leave the key out where nothing is known");
    }
    std::vector<LabelledSpan> spans;
    for (const json& one : *list) {
      spans.push_back(read_span(one));
      check_inside(spans.back(), one, length);
    }
    std::ranges::sort(spans, {}, &LabelledSpan::begin);
    for (std::size_t k = 1; k < spans.size(); ++k) {
      if (spans[k].begin >= spans[k - 1].end) continue;
      fail("two spans that overlap", shown(spans[k - 1]) + " and " + shown(spans[k]),
           "a token belongs to one span at most: leave out one of the two");
    }
    return spans;
  }

 private:
  [[noreturn]] void fail(std::string_view problem, std::string_view text,
                         std::string_view remedy) const {
    throw InputError(lines_.location(), problem, text, remedy);
  }

  void add_cell(const json& cell, SpanSequence& out) const {
    if (!cell.is_string()) {
      fail("a token that is neither a string nor a list of strings", cell.dump(),
           R"(write "Rome", or ["Rome", "NNP"])");
    }
    const auto& text = cell.get_ref<const std::string&>();
    if (text.empty()) fail("an empty token or cell", line_, "write a placeholder such as _");
    if (text.find('\0') != text.npos) fail("a NUL character in a token", line_, "leave it out");
    out.cells.push_back(text);
  }

  LabelledSpan read_span(const json& one) const {
    const json *begin = nullptr, *end = nullptr, *label = nullptr;
    if (one.is_array() && one.size() == 3) {
      begin = &one[0], end = &one[1], label = &one[2];
    } else if (one.is_object() && one.contains("start") && one.contains("end") &&
               one.contains("label")) {
      begin = &one["start"], end = &one["end"], label = &one["label"];
    }
    if (begin == nullptr || !begin->is_number_unsigned() || !end->is_number_unsigned() ||
        !label->is_string()) {
      fail("a span that is neither [START, END, LABEL] nor an object of these", one.dump(),
           R"(write [0, 2, "ORG"]: whole numbers from 0 on, END behind the last token)");
    }
    LabelledSpan span{begin->get<std::size_t>(), end->get<std::size_t>(),
                      label->get<std::string>()};
    if (span.label.find('\0') != span.label.npos) {
      fail("a NUL character in a label", one.dump(), "leave it out");
    }
    return span;
  }

  void check_inside(const LabelledSpan& span, const json& one, std::size_t length) const {
    if (span.begin >= span.end) {
      fail("a span that is empty", one.dump(), "END is the token behind the last one");
    }
    if (span.end <= length) return;
    fail("a span that ends at " + std::to_string(span.end) + ", and there are " +
             std::to_string(length) + " tokens",
         one.dump(), "tokens count from 0, and END is the one behind the last");
  }

  static std::string shown(const LabelledSpan& span) {
    return "[" + std::to_string(span.begin) + ", " + std::to_string(span.end) + ", " +
           in_quotes(span.label) + "]";
  }

  const LineReader& lines_;
  std::string_view line_;
};

}  // namespace

SpanReader::SpanReader(LineReader lines, std::size_t expected_columns)
    : lines_(std::move(lines)), expected_(expected_columns) {}

bool SpanReader::next(SpanSequence& sequence) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (is_blank(line));
  sequence.cells.clear();
  sequence.line = line;
  sequence.line_number = lines_.line_number();
  const LineParser parser(lines_, sequence.line);
  const auto object = parser.parse();
  parser.read_tokens(object, sequence);
  sequence.spans = parser.read_spans(object, "spans", sequence.length());
  sequence.gold = parser.read_spans(object, "gold", sequence.length());
  if (sequence.length() == 0) return true;
  if (columns_ == 0) columns_ = expected_ > 0 ? expected_ : sequence.columns;
  if (sequence.columns == columns_) return true;
  throw InputError(lines_.location(),
                   std::to_string(sequence.columns) + " cells of a token where " +
                       std::to_string(columns_) +
                       (expected_ > 0 ? " are expected" : " stand before"),
                   sequence.line, "give every token the same cells");
}

std::string span_line(const SpanSequence& sequence) {
  json object = json::object();
  json& tokens = object["tokens"] = json::array();
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    if (sequence.columns == 1) {
      tokens.push_back(sequence.cell(t, 0));
      continue;
    }
    json& token = tokens.emplace_back(json::array());
    for (std::size_t c = 0; c < sequence.columns; ++c) token.push_back(sequence.cell(t, c));
  }
  const auto add = [&](const char* key, const std::optional<std::vector<LabelledSpan>>& spans) {
    if (!spans) return;
    json& list = object[key] = json::array();
    for (const auto& [begin, end, label] : *spans) list.push_back({begin, end, label});
  };
  add("spans", sequence.spans);
  add("gold", sequence.gold);
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace croft
