#include "data/span_lines.h"

#include <algorithm>
#include <utility>

#include "data/cell_count.h"
#include "data/json_line.h"

namespace croft {
namespace {

constexpr std::string_view kForm =
    R"(write one object a line, as {"tokens": ["Rome", "fell"], "spans": [[0, 1, "LOC"]]})";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// One line, taken apart.
class LineParser {
 public:
  LineParser(const LineReader& lines, std::string_view line) : lines_(lines), line_(line) {}

  void read_tokens(const Json& object, SpanSequence& out) const {
    const Json* const tokens = object.get_if("tokens");
    if (tokens == nullptr || !tokens->is_array()) {
      fail("a line without a list \"tokens\"", line_, kForm);
    }
    out.columns = 1;
    for (std::size_t t = 0; t < tokens->size(); ++t) {
      const Json& token = (*tokens)[t];
      const std::size_t cells = token.is_array() ? token.size() : 1;
      if (t == 0) out.columns = cells;
      if (cells == 0 || cells != out.columns) {
        fail(cell_count(cells) + " of a token where the first one has " +
                 std::to_string(out.columns),
             token.dump(), "give every token the same cells, at least one");
      }
      if (token.is_array()) {
        for (const Json& cell : token) add_cell(cell, out);
      } else {
        add_cell(token, out);
      }
    }
  }

  std::optional<std::vector<LabelledSpan>> read_spans(const Json& object, const char* key,
                                                      std::size_t length) const {
    const Json* const list = object.get_if(key);
    if (list == nullptr) return std::nullopt;
    if (!list->is_array()) {
      fail(std::string("a value of \"") + key + "\" that is no list", list->dump(),
           "write [[START, END, LABEL], …], or leave the key out where nothing is known");
    }
    std::vector<LabelledSpan> spans;
    for (const Json& one : *list) {
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

  void add_cell(const Json& cell, SpanSequence& out) const {
    if (!cell.is_string()) {
      fail("a token that is neither a string nor a list of strings", cell.dump(),
           R"(write "Rome", or ["Rome", "NNP"])");
    }
    const auto& text = cell.string();
    if (text.empty()) fail("an empty token or cell", line_, "write a placeholder such as _");
    if (text.find('\0') != text.npos) fail("a NUL character in a token", line_, "leave it out");
    out.cells.push_back(text);
  }

  LabelledSpan read_span(const Json& one) const {
    const Json *begin = nullptr, *end = nullptr, *label = nullptr;
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

  void check_inside(const LabelledSpan& span, const Json& one, std::size_t length) const {
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
  const Json object = parse_json_line(sequence.line, lines_, kForm);
  parser.read_tokens(object, sequence);
  sequence.spans = parser.read_spans(object, "spans", sequence.length());
  sequence.gold = parser.read_spans(object, "gold", sequence.length());
  if (sequence.length() == 0) return true;
  if (columns_ == 0) columns_ = expected_ > 0 ? expected_ : sequence.columns;
  if (sequence.columns == columns_) return true;
  throw InputError(lines_.location(),
                   cell_count(sequence.columns) + " of a token where " + std::to_string(columns_) +
                       (expected_ > 0 ? " are expected" : " stand before"),
                   sequence.line, "give every token the same cells");
}

Json span_object(const SpanSequence& sequence) {
  Json object = Json::object(KeyOrder::as_written);
  Json& tokens = object["tokens"] = Json::array();
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    if (sequence.columns == 1) {
      tokens.push_back(sequence.cell(t, 0));
      continue;
    }
    Json& token = tokens.emplace_back(Json::array());
    for (std::size_t c = 0; c < sequence.columns; ++c) token.push_back(sequence.cell(t, c));
  }
  const auto add = [&](const char* key, const std::optional<std::vector<LabelledSpan>>& spans) {
    if (!spans) return;
    Json& list = object[key] = Json::array();
    for (const auto& [begin, end, label] : *spans) list.push_back({begin, end, label});
  };
  add("spans", sequence.spans);
  add("gold", sequence.gold);
  return object;
}

std::string span_line(const SpanSequence& sequence) {
  return span_object(sequence).dump(-1, InvalidUtf8::replace) + "\n";
}

}  // namespace croft
