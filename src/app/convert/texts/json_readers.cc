// JSON lines: Croft's own spans, and those of Prodigy, doccano and Hugging Face's datasets.
#include <algorithm>
#include <array>
#include <utility>

#include "app/convert/texts/text_readers.h"
#include "app/label/chunks.h"
#include "croft/core/error.h"
#include "data/columns.h"
#include "data/json_line.h"
#include "data/span_lines.h"

namespace croft {
namespace {

void keep_rest(const Json& object, std::initializer_list<std::string_view> taken,
               TextRecord& record) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(taken, key) == taken.end()) record.rest[key] = value;
  }
}

const std::string& checked(const std::string& label, const Location& where) {
  if (label.find('\0') == label.npos) return label;
  throw InputError(where, "a NUL character in a label", label, "leave it out");
}

// That of the text as a whole; under this key any other value is somebody else's.
void take_label(const Json& object, TextRecord& record) {
  const Json* const label = object.get_if("label");
  if (label == nullptr || !label->is_string()) return;
  record.label = checked(label->string(), record.where);
  record.rest.erase("label");
}

// Keys under which formats of JSON lines have labels, and what to do where a reader of another
// format meets them.
struct LabelKey {
  std::string_view key, remedy;
};
constexpr std::array<LabelKey, 10> kLabelKeys{{
    {"spans", "data with spans is read as prodigy (START and END in characters) or as spans"},
    {"accept", "data with accepted choices is read as prodigy"},
    {"entities", "data with entities is read as doccano"},
    {"label", "data with a list of labels is read as doccano"},
    {"labels",
     "data with labels of texts is read as doccano, with labels of tokens as huggingface"},
    {"annotations",
     "older versions of doccano wrote these with numbers for labels: export the data again as "
     "JSONL with their names, or write them as \"entities\""},
    {"ner_tags", "data with tags of tokens is read as huggingface"},
    {"tags", "data with tags of tokens is read as huggingface"},
    {"pos_tags", "data with tags of tokens is read as huggingface"},
    {"chunk_tags", "data with tags of tokens is read as huggingface"},
}};

// For a line in which a reader has found no label: throws InputError where another format has some.
void refuse_other_labels(const Json& object, std::initializer_list<std::string_view> taken,
                         const Location& where, std::string_view line) {
  for (const LabelKey& each : kLabelKeys) {
    if (std::ranges::find(taken, each.key) != taken.end()) continue;
    const Json* const found = object.get_if(each.key);
    if (found == nullptr || !found->is_array() || found->size() == 0) continue;
    throw InputError(where,
                     "a list " + in_quotes(each.key) + ", which this format reads no labels from",
                     line, std::string(each.remedy) + "; rename the key if these are no labels");
  }
}

// Objects, a line each.
class JsonLines : public TextReader {
 public:
  JsonLines(LineReader lines, const TextReading& reading)
      : lines_(std::move(lines)), needs_labels_(reading.labels != TableLabels::if_there) {}

  bool next(TextRecord& record) final {
    Json object;
    do {
      if (!next_object(object)) return false;
      record = TextRecord();
      record.where = lines_.location();
    } while (!read(object, record));
    return true;
  }

 protected:
  // Fills the record; false: the line is to be skipped.
  virtual bool read(const Json& object, TextRecord& record) = 0;

  [[noreturn]] void fail(const Message& problem, std::string_view text,
                         const Message& remedy) const {
    throw InputError(lines_.location(), problem, text, remedy);
  }
  void refuse_other_labels(const Json& object,
                           std::initializer_list<std::string_view> taken) const {
    if (needs_labels_) croft::refuse_other_labels(object, taken, lines_.location(), line_);
  }
  const std::string& text_of(const Json& object, std::string_view key) const {
    const Json* const text = object.get_if(key);
    if (text == nullptr || !text->is_string()) {
      fail("a line without a text " + in_quotes(key), line_, "each line is an object with one");
    }
    if (text->string().find('\0') != std::string::npos) {
      fail("a NUL character in a text", line_, "leave it out");
    }
    return text->string();
  }
  std::size_t number(const Json& object, std::string_view name) const {
    const Json* const found = object.get_if(name);
    if (found != nullptr && found->is_number_unsigned()) return found->get<std::size_t>();
    fail("a span without " + in_quotes(name), object.dump(),
         "whole numbers from 0 on, in characters");
  }
  std::string label(const Json& object, std::string_view name) const {
    const Json* const found = object.get_if(name);
    if (found == nullptr || !found->is_string()) {
      fail("a span without a " + in_quotes(name), object.dump(), "give it its label");
    }
    return checked(found->string(), lines_.location());
  }
  // From characters to bytes.
  CharacterSpan span(const CharacterPlaces& places, std::size_t begin, std::size_t end,
                     std::string name) const {
    if (begin >= end || end > places.size()) {
      fail("a span that is empty or ends behind its text",
           std::to_string(begin) + " to " + std::to_string(end) + " (" + name + ")",
           "offsets count characters from 0 on, and the end is the one behind the last");
    }
    return {places.byte(begin), places.byte(end), std::move(name)};
  }
  LineReader lines_;
  std::string line_;
  bool needs_labels_;  // false: they are taken where they are there

 private:
  bool next_object(Json& object) {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (line.find_first_not_of(" \t\r") == line.npos);
    line_ = line;
    object = parse_json_line(line_, lines_, "each line is an object");
    return true;
  }
};

// --- Prodigy

class ProdigyReader final : public JsonLines {
 public:
  ProdigyReader(LineReader lines, const TextReading& reading)
      : JsonLines(std::move(lines), reading), reading_(reading) {}

  std::string why_none() const override {
    if (changed_.left_out == 0) return {};
    return "no line was accepted: \"answer\" is another one in all of them (" +
           std::to_string(changed_.left_out) + ")";
  }

 private:
  bool read(const Json& object, TextRecord& record) override {
    const Json* const answer = object.get_if("answer");
    if (answer != nullptr && !is_accepted(*answer)) {
      changed_.leave_out("line with another \"answer\" than \"accept\"",
                         "lines with another \"answer\" than \"accept\"");
      return false;
    }
    record.text = text_of(object, "text");
    const CharacterPlaces places(record.text);
    read_tokens(object, places, record);
    keep_rest(object, {"text", "tokens", "spans"}, record);
    take_label(object, record);
    const Json* const list = object.get_if("spans");
    const bool chosen = !record.label && take_choice(object, list != nullptr, record);
    if (list == nullptr && !record.label) refuse_other_labels(object, {"spans", "accept"});
    // Nobody has looked at it, or at spans in it.
    if (list == nullptr && (answer == nullptr || record.label || chosen)) return true;
    std::vector<CharacterSpan> spans;
    if (list != nullptr) {
      if (!list->is_array()) fail("\"spans\" that are no list", list->dump(), "write a list");
      for (const Json& each : *list) {
        if (!each.is_object()) fail("a span that is no object", each.dump(), "write an object");
        spans.push_back(
            span(places, number(each, "start"), number(each, "end"), label(each, "label")));
      }
    }
    set_spans(std::move(spans), reading_.misaligned, changed_, record);
    return true;
  }

  bool is_accepted(const Json& answer) const {
    const std::string said = answer.is_string() ? answer.string() : "";
    if (said != "accept" && said != "reject" && said != "ignore") {
      fail("an \"answer\" that Prodigy does not give", answer.dump(),
           R"(it is "accept", "reject" or "ignore"; only accepted lines are read)");
    }
    return said == "accept";
  }

  // One that was accepted of several is the label of the text.  False: nothing was to be chosen.
  bool take_choice(const Json& object, bool has_spans, TextRecord& record) const {
    const Json* const accepted = object.get_if("accept");
    if (accepted == nullptr) return false;
    if (!accepted->is_array()) {
      fail("an \"accept\" that is no list", accepted->dump(),
           R"(write the choice in a list: "accept": ["PER"])");
    }
    if (accepted->size() > 1 && !has_spans && needs_labels_) {
      fail(std::to_string(accepted->size()) + " choices in \"accept\", and a text has one label",
           accepted->dump(), "leave one of them, or none for a text without a label");
    }
    if (accepted->size() != 1) return true;
    const Json& choice = (*accepted)[0];
    if (!choice.is_string()) {
      fail("a choice that is no text", choice.dump(), "write the names of choices in \"accept\"");
    }
    record.label = checked(choice.string(), record.where);
    return true;
  }

  // Those of the line, where it has some.
  void read_tokens(const Json& object, const CharacterPlaces& places, TextRecord& record) {
    const Json* const list = object.get_if("tokens");
    if (list == nullptr) return cut(*reading_.tokenizer, record);
    if (!list->is_array()) fail("\"tokens\" that are no list", list->dump(), "write a list");
    std::size_t end = 0;
    for (const Json& each : *list) {
      if (!each.is_object()) fail("a token that is no object", each.dump(), "write an object");
      const CharacterSpan token = span(places, number(each, "start"), number(each, "end"), "token");
      if (token.begin < end) fail("tokens that overlap", each.dump(), "write them in order");
      require_blank(record.text.substr(end, token.begin - end));
      end = token.end;
      record.places.push_back({token.begin, token.end});
      record.cells.push_back(record.text.substr(token.begin, token.end - token.begin));
      const Json* const said = each.get_if("text");
      if (said != nullptr && !(*said == Json(record.cells.back()))) {
        fail("a token whose text is not what stands at its offsets, " +
                 in_quotes(record.cells.back()),
             each.dump(), "offsets count characters from 0 on");
      }
    }
    require_blank(record.text.substr(end));
  }
  void require_blank(std::string_view between) const {
    if (is_blank_text(between)) return;
    fail("tokens that leave out characters of the text", between,
         "every character that is no blank is in a token: leave out \"tokens\" for those of "
         "--tokenizer");
  }

  TextReading reading_;
};

// --- doccano

class DoccanoReader final : public JsonLines {
 public:
  DoccanoReader(LineReader lines, const TextReading& reading)
      : JsonLines(std::move(lines), reading), reading_(reading) {}

 private:
  bool read(const Json& object, TextRecord& record) override {
    record.text = text_of(object, object.contains("text") ? "text" : "data");
    cut(*reading_.tokenizer, record);
    keep_rest(object, {"text", "data", "label", "labels", "entities"}, record);
    std::vector<CharacterSpan> spans;
    const bool labelled = read_labels(object, spans, record);
    if (spans.empty() && !record.label) {
      refuse_other_labels(object, {"label", "labels", "entities"});
    }
    if (!labelled) return true;
    if (record.label) {
      if (spans.empty()) return true;
      fail("labels of spans beside one of the whole text", line_, "keep one of the two");
    }
    set_spans(std::move(spans), reading_.misaligned, changed_, record);
    return true;
  }

  // false: there are none.
  bool read_labels(const Json& object, std::vector<CharacterSpan>& spans,
                   TextRecord& record) const {
    const CharacterPlaces places(record.text);
    std::string_view taken;
    for (const std::string_view key : {"entities", "label", "labels"}) {
      const Json* const value = object.get_if(key);
      if (value == nullptr) continue;
      if (!taken.empty()) {
        fail("labels under " + in_quotes(taken) + " and under " + in_quotes(key), line_,
             "keep one of the two");
      }
      taken = key;
      if (key != "entities" && value->is_string()) {
        record.label = checked(value->string(), record.where);
        continue;
      }
      for (const Json& each : list_of(*value)) {
        if (key == "entities") {
          spans.push_back(entity(each, places));
        } else if (each.is_string()) {  // of the text as a whole
          if (record.label) fail("a text with two labels", line_, "keep one of them");
          record.label = checked(each.string(), record.where);
        } else {
          spans.push_back(labelled_place(each, places));
        }
      }
    }
    return !taken.empty();
  }

  CharacterSpan entity(const Json& one, const CharacterPlaces& places) const {
    if (!one.is_object()) fail("an entity that is no object", one.dump(), "write an object");
    return span(places, number(one, "start_offset"), number(one, "end_offset"),
                label(one, "label"));
  }

  CharacterSpan labelled_place(const Json& one, const CharacterPlaces& places) const {
    if (!one.is_array() || one.size() != 3 || !one[0].is_number_unsigned() ||
        !one[1].is_number_unsigned() || !one[2].is_string()) {
      fail("a label that is no [START, END, LABEL]", one.dump(), R"(write [0, 5, "LOC"])");
    }
    return span(places, one[0].get<std::size_t>(), one[1].get<std::size_t>(),
                checked(one[2].string(), lines_.location()));
  }

  const Json& list_of(const Json& value) const {
    if (!value.is_array()) fail("labels that are no list", value.dump(), "write a list");
    return value;
  }

  TextReading reading_;
};

// --- Hugging Face

class HuggingFaceReader final : public JsonLines {
 public:
  HuggingFaceReader(LineReader lines, const TextReading& reading)
      : JsonLines(std::move(lines), reading), names_(reading.label_names) {}

 private:
  bool read(const Json& object, TextRecord& record) override {
    const Json* const tokens = object.get_if("tokens");
    if (tokens == nullptr || !tokens->is_array()) {
      fail("a line without a list \"tokens\"", line_, R"(write {"tokens": […], "ner_tags": […]})");
    }
    for (const Json& each : *tokens) {
      if (!each.is_string() || each.string().empty() ||
          each.string().find('\0') != std::string::npos) {
        fail("a token that is no text", each.dump(), "write texts that are not empty");
      }
      record.cells.push_back(each.string());
    }
    for (const std::string_view key : {"ner_tags", "tags", "labels", "pos_tags", "chunk_tags"}) {
      const Json* const tags = object.get_if(key);
      if (tags == nullptr) continue;
      if (!tags->is_array() || tags->size() != record.cells.size()) {
        fail(in_quotes(key) + " are no list of as many as there are tokens", line_,
             "give each token its tag");
      }
      record.labels.emplace();
      for (const Json& each : *tags) record.labels->push_back(name_of(each));
      keep_rest(object, {"tokens", key}, record);
      return true;
    }
    refuse_other_labels(object, {});
    keep_rest(object, {"tokens"}, record);
    return true;
  }

  std::string name_of(const Json& tag) const {
    if (tag.is_string()) return checked(tag.string(), lines_.location());
    if (!tag.is_number_unsigned()) {
      fail("a tag that is neither a whole number from 0 on nor a text", tag.dump(),
           "give each word its tag: what has none, such as -100, is no word of its own");
    }
    if (names_.empty()) {
      fail("tags that are numbers", line_,
           "say what they stand for: --label-names with a file of names, a line each, from 0 on");
    }
    const auto number = tag.get<std::size_t>();
    if (number >= names_.size()) {
      fail("a tag that has no name", tag.dump(),
           "there are " + std::to_string(names_.size()) + " names");
    }
    return names_[number];
  }

  std::vector<std::string> names_;
};

// --- What croft suggest writes of columns and of texts

class SuggestedReader final : public JsonLines {
 public:
  SuggestedReader(LineReader lines, const TextReading& reading)
      : JsonLines(std::move(lines), reading), tokenizer_(reading.tokenizer) {}

 private:
  bool read(const Json& object, TextRecord& record) override {
    const Json* const labels = object.get_if("labels");
    if (labels == nullptr || !labels->is_array()) {
      fail("a line without a list \"labels\"", line_, "give what croft suggest writes");
    }
    std::vector<std::string> given;
    for (const Json& each : *labels) given.push_back(text_in(each));
    const Json* const rows = object.get_if("rows");
    if (rows != nullptr && rows->is_array()) {
      for (const Json& each : *rows) add_row(text_in(each), record);
      if (given.size() != record.length()) {
        fail("labels that are not as many as the rows", line_, "give each row its label");
      }
      record.labels = std::move(given);
    } else {
      if (!object.contains("text")) {
        fail("a suggestion without its rows or its text", line_,
             "of tables and of attributes it names the \"line\" of the data: correct that line");
      }
      record.text = text_of(object, "text");
      cut(*tokenizer_, record);
      if (given.size() != 1) fail("a text without one label", line_, "give what suggest writes");
      record.label = given[0];
    }
    keep_rest(object, {"rows", "text", "labels"}, record);
    return true;
  }

  void add_row(const std::string& row, TextRecord& record) {
    row_.clear();
    row_.append_row(row);
    if (columns_ == 0) columns_ = row_.columns(0);
    if (row_.columns(0) != columns_ || columns_ == 0) {
      fail("a row with another number of columns", row, "give all rows the same columns");
    }
    record.columns = columns_;
    for (std::size_t c = 0; c < columns_; ++c) record.cells.emplace_back(row_.cell(0, c));
  }
  std::string text_in(const Json& value) const {
    if (!value.is_string()) fail("a row or label that is no text", value.dump(), "write texts");
    return checked(value.string(), lines_.location());
  }

  std::shared_ptr<const TextTokenizer> tokenizer_;
  ColumnSequence row_;
  std::size_t columns_ = 0;  // of all rows; 0: none was read
};

// --- Croft's own, with the text and the offsets that this program writes beside the tokens

class SpansReader final : public TextReader {
 public:
  explicit SpansReader(LineReader lines) : reader_(std::move(lines)) {}

  bool next(TextRecord& record) override {
    if (!reader_.next(sequence_)) return false;
    record = TextRecord();
    record.where = {reader_.name(), sequence_.line_number};
    record.columns = sequence_.columns;
    record.cells = sequence_.cells;
    record.spans = sequence_.spans;
    record.gold = sequence_.gold;
    const Json object = parse_json(sequence_.line, {KeyOrder::as_written});
    keep_rest(object, {"tokens", "spans", "gold", "text", "offsets"}, record);
    take_label(object, record);
    if (!record.spans && !record.gold && !record.label) {
      refuse_other_labels(object, {"spans"}, record.where, sequence_.line);
    }
    read_places(object, record);
    return true;
  }

 private:
  void read_places(const Json& object, TextRecord& record) const {
    const Json *const text = object.get_if("text"), *const offsets = object.get_if("offsets");
    if (text == nullptr && offsets == nullptr) return;
    const auto fail = [&](std::string_view problem) {
      throw InputError(record.where, Message(std::string(problem)), sequence_.line,
                       "\"offsets\" has [BEGIN, END] of each token in \"text\", in characters");
    };
    if (text == nullptr) fail("\"offsets\" without a \"text\"");
    if (!text->is_string()) fail("a \"text\" that is none");
    record.text = text->string();
    if (offsets == nullptr) return;
    if (!offsets->is_array() || offsets->size() != record.length()) {
      fail("\"offsets\" that are not as many as the tokens");
    }
    const CharacterPlaces places(record.text);
    std::size_t before = 0;
    for (const Json& each : *offsets) {
      if (!each.is_array() || each.size() != 2 || !each[0].is_number_unsigned() ||
          !each[1].is_number_unsigned() || each[0].get<std::size_t>() < before ||
          each[0].get<std::size_t>() >= each[1].get<std::size_t>() ||
          each[1].get<std::size_t>() > places.size()) {
        fail("an offset that lies elsewhere");
      }
      before = each[1].get<std::size_t>();
      const TextPlace place{places.byte(each[0].get<std::size_t>()), places.byte(before)};
      const std::string& token = record.cells[record.places.size() * record.columns];
      if (record.text.compare(place.begin, place.end - place.begin, token) != 0) {
        fail("an offset at which another text stands than its token");
      }
      record.places.push_back(place);
    }
  }

  SpanReader reader_;
  SpanSequence sequence_;
};

}  // namespace

std::unique_ptr<TextReader> open_prodigy(LineReader lines, const TextReading& reading) {
  return std::make_unique<ProdigyReader>(std::move(lines), reading);
}
std::unique_ptr<TextReader> open_doccano(LineReader lines, const TextReading& reading) {
  return std::make_unique<DoccanoReader>(std::move(lines), reading);
}
std::unique_ptr<TextReader> open_hugging_face(LineReader lines, const TextReading& reading) {
  return std::make_unique<HuggingFaceReader>(std::move(lines), reading);
}
std::unique_ptr<TextReader> open_suggested(LineReader lines, const TextReading& reading) {
  return std::make_unique<SuggestedReader>(std::move(lines), reading);
}
std::unique_ptr<TextReader> open_spans(LineReader lines, const TextReading&) {
  return std::make_unique<SpansReader>(std::move(lines));
}

}  // namespace croft
