#include "app/convert/texts/text_writers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/label/row_reader.h"
#include "croft/core/error.h"
#include "data/csv.h"

namespace croft {
namespace {

// For formats that say where in its text a token stands.
void require_offsets(const TextRecord& record, std::string_view format) {
  if (record.places.size() == record.length()) return;
  throw InputError(record.where, "a sequence without the text that its tokens are of", "",
                   Message("--to ", format,
                           " writes offsets: read a format that has texts, or "
                           "spans with \"text\" and \"offsets\""));
}

// What else stood with the sequence, but for what is there already, and for keys that the format
// itself gives a meaning.
void add_rest(const TextRecord& record, std::initializer_list<std::string_view> own, Json& out) {
  for (const auto& [key, value] : record.rest.items()) {
    if (std::ranges::find(own, key) == own.end() && !out.contains(key)) out[key] = value;
  }
}

// A span's first and last character, and what it says.
struct Offsets {
  std::size_t begin, end;
  std::string text;
};
Offsets offsets_of(const TextRecord& record, const CharacterPlaces& places,
                   const LabelledSpan& span) {
  const std::size_t begin = record.places[span.begin].begin, end = record.places[span.end - 1].end;
  return {places.character(begin), places.character(end), record.text.substr(begin, end - begin)};
}

class SpansWriter final : public TextWriter {
 public:
  SpansWriter(const TextWriting&, WriteText write) : write_(std::move(write)) {}
  void add(const TextRecord& record) override { write_(span_line_of(record)); }

 private:
  WriteText write_;
};

// For formats of labelled tokens.
void require_labels_of_tokens(const TextRecord& record, std::string_view format) {
  if (record.length() == 0) {
    throw InputError(record.where, "a sequence without a token", record.text,
                     Message("leave it out: ", format, " cannot have empty sequences"));
  }
  if (record.label && !record.spans && !record.labels) {
    throw InputError(record.where, "a label of the whole text, and none of its tokens",
                     *record.label, "--to text and csv write a text and its label");
  }
}

// Labels of the tokens; spans are spelled as labels.
std::vector<std::string> labels_in(const TextRecord& record, ChunkScheme scheme) {
  if (!record.spans) return record.labels.value_or(std::vector<std::string>());
  return labels_of_spans(*record.spans, record.length(), scheme);
}
ChunkScheme spelling(const TextWriting& writing) {
  return writing.scheme == ChunkScheme::automatic ? ChunkScheme::bio : writing.scheme;
}

class ColumnsWriter final : public TextWriter {
 public:
  ColumnsWriter(const TextWriting& writing, WriteText write)
      : scheme_(spelling(writing)), write_(std::move(write)) {}
  void add(const TextRecord& record) override {
    require_labels_of_tokens(record, "columns");
    const bool labelled = record.labels || record.spans;
    if (any_ && labelled != labelled_) {
      throw InputError(record.where, "a sequence with labels beside one without", "",
                       "columns have a label everywhere or nowhere");
    }
    any_ = true;
    labelled_ = labelled;
    const std::vector<std::string> labels = labels_in(record, scheme_);
    std::string out;
    for (std::size_t t = 0; t < record.length(); ++t) {
      for (std::size_t c = 0; c < record.columns; ++c) {
        append(record, record.cells[t * record.columns + c], c > 0, out);
      }
      if (labelled) append(record, labels[t], true, out);
      out += '\n';
    }
    write_(out += '\n');
  }

 private:
  static void append(const TextRecord& record, std::string_view cell, bool more, std::string& out) {
    if (cell.empty() || cell.find_first_of(" \t\r\n") != cell.npos) {
      throw InputError(record.where, "a token or label that cannot be a column", cell,
                       "write another character for its blanks, such as _");
    }
    if (more) out += ' ';
    out += cell;
  }
  ChunkScheme scheme_;
  WriteText write_;
  bool any_ = false, labelled_ = false;
};

// Texts as wholes, all of which have a label or none has.
class WholeTexts : public TextWriter {
 public:
  //   format, writes : for messages
  WholeTexts(std::string_view format, std::string_view writes) : format_(format), writes_(writes) {}
  void add(const TextRecord& record) final {
    if (record.text.empty() && record.length() > 0) {
      throw InputError(record.where, "a sequence without the text that its tokens are of", "",
                       Message("--to ", format_, " writes texts: read a format that has them"));
    }
    const std::string label = record.label.value_or("");
    const bool labelled = !label.empty();
    if (!labelled && record.spans && !record.spans->empty()) {
      throw InputError(record.where, "labelled spans, and no label of the whole text", record.text,
                       Message("--to ", format_, " writes ", writes_,
                               ": --to spans and --to columns keep spans"));
    }
    if (labelled_ && labelled != *labelled_) {
      throw InputError(record.where,
                       labelled ? Message("a text with a label, unlike those before")
                                : Message("a text without a label, unlike those before"),
                       record.text, "give every text one label, or none");
    }
    const bool first = !labelled_;
    labelled_ = labelled;
    write(record, first);
  }

 protected:
  virtual void write(const TextRecord& record, bool first) = 0;

 private:
  std::string_view format_, writes_;
  std::optional<bool> labelled_;  // as the first one is
};

// LABEL TAB TEXT; texts alone where none has a label.
class LabelledTexts final : public WholeTexts {
 public:
  LabelledTexts(const TextWriting&, WriteText write)
      : WholeTexts("text", "LABEL TAB TEXT"), write_(std::move(write)) {}

 private:
  void write(const TextRecord& record, bool) override {
    const std::string label = record.label.value_or("");
    if (label.find_first_of("\t\r\n") != std::string::npos) {
      throw InputError(record.where, "a label with a TAB or a line end", label,
                       "write another character");
    }
    const std::string text = without_line_ends(record.text);
    const bool alone = label.empty() && text.find('\t') == std::string::npos;
    write_((alone ? text : label + "\t" + text) + "\n");
  }
  WriteText write_;
};

// A table of them, with its header.
class CsvWriter final : public WholeTexts {
 public:
  CsvWriter(const TextWriting&, WriteText write)
      : WholeTexts("csv", "a text and its label"), write_(std::move(write)) {}

 private:
  void write(const TextRecord& record, bool first) override {
    const std::string label = record.label.value_or("");
    if (first) write_(label.empty() ? "text\n" : "text,label\n");
    // Without quotes a row of one empty cell would be an empty line, which is no row.
    const std::string text = record.text.empty() ? "\"\"" : csv_cell(record.text);
    write_(text + (label.empty() ? "" : "," + csv_cell(label)) + "\n");
  }
  WriteText write_;
};

void require_one_cell(const TextRecord& record, std::string_view format) {
  if (record.columns == 1) return;
  throw InputError(record.where, "tokens of several cells", "",
                   Message("--to ", format, " has one for each: give data with the words alone"));
}

// Words, their labels as parts of speech; what else CoNLL-U has of a word is _.
class ConlluWriter final : public TextWriter {
 public:
  ConlluWriter(const TextWriting& writing, WriteText write)
      : scheme_(spelling(writing)), write_(std::move(write)) {}
  void add(const TextRecord& record) override {
    require_labels_of_tokens(record, "conllu");
    require_one_cell(record, "conllu");
    std::string out;
    for (const std::string_view key : {"newdoc id", "sent_id"}) {
      const Json* const found = record.rest.get_if(key);
      if (found == nullptr || !found->is_string()) continue;
      out += "# " + std::string(key) + " = " + without_line_ends(found->string()) + "\n";
    }
    if (!record.text.empty()) out += "# text = " + without_line_ends(record.text) + "\n";
    const std::vector<std::string> labels = labels_in(record, scheme_);
    for (std::size_t t = 0; t < record.length(); ++t) {
      const std::string& label = labels.empty() ? kNothing : labels[t];
      out += std::to_string(t + 1) + "\t" + field(record, record.cells[t]) + "\t_\t" +
             field(record, label) + "\t_\t_\t_\t_\t_\t_\n";
    }
    write_(out + "\n");
  }

 private:
  static const std::string& field(const TextRecord& record, const std::string& text) {
    if (!text.empty() && text.find_first_of("\t\r\n") == std::string::npos) return text;
    throw InputError(record.where, "a token or label that cannot be a field of CoNLL-U", text,
                     "write another character for its TABs and line ends");
  }
  inline static const std::string kNothing = "_";
  ChunkScheme scheme_;
  WriteText write_;
};

class HuggingFaceWriter final : public TextWriter {
 public:
  HuggingFaceWriter(const TextWriting& writing, WriteText write)
      : scheme_(spelling(writing)), write_(std::move(write)) {}
  void add(const TextRecord& record) override {
    require_one_cell(record, "huggingface");
    Json out = Json::object(KeyOrder::as_written);
    Json& tokens = out["tokens"] = Json::array();
    for (const std::string& each : record.cells) tokens.push_back(each);
    if (record.spans || record.labels) {
      Json& tags = out["ner_tags"] = Json::array();
      for (const std::string& each : labels_in(record, scheme_)) tags.push_back(each);
    }
    if (record.label) out["label"] = *record.label;
    add_rest(record, {"tags", "labels", "pos_tags", "chunk_tags"}, out);
    write_(out.dump(-1, InvalidUtf8::replace) + "\n");
  }

 private:
  ChunkScheme scheme_;
  WriteText write_;
};

class DoccanoWriter final : public TextWriter {
 public:
  DoccanoWriter(const TextWriting&, WriteText write) : write_(std::move(write)) {}
  void add(const TextRecord& record) override {
    require_offsets(record, "doccano");
    const CharacterPlaces places(record.text);
    Json out = Json::object(KeyOrder::as_written);
    out["text"] = record.text;
    out["label"] = Json::array();
    if (record.label) {
      if (record.spans && !record.spans->empty()) {
        throw InputError(record.where, "labelled spans beside a label of the whole text",
                         *record.label, "doccano has one of the two");
      }
      out["label"].push_back(*record.label);
    }
    for (const LabelledSpan& each : record.spans.value_or(std::vector<LabelledSpan>())) {
      const Offsets at = offsets_of(record, places, each);
      out["label"].push_back({at.begin, at.end, each.label});
    }
    add_rest(record, {"labels", "entities", "data"}, out);
    write_(out.dump(-1, InvalidUtf8::replace) + "\n");
  }

 private:
  WriteText write_;
};

class ProdigyWriter final : public TextWriter {
 public:
  ProdigyWriter(const TextWriting&, WriteText write) : write_(std::move(write)) {}
  void add(const TextRecord& record) override {
    require_offsets(record, "prodigy");
    const CharacterPlaces places(record.text);
    Json out = Json::object(KeyOrder::as_written);
    out["text"] = record.text;
    Json& tokens = out["tokens"] = Json::array();
    for (std::size_t t = 0; t < record.places.size(); ++t) {
      const auto [begin, end] = record.places[t];
      const bool blank = end < record.text.size() &&
                         (t + 1 == record.places.size() || record.places[t + 1].begin > end);
      tokens.push_back({{"text", record.text.substr(begin, end - begin)},
                        {"start", places.character(begin)},
                        {"end", places.character(end)},
                        {"id", t},
                        {"ws", blank}});
    }
    if (record.spans) out["spans"] = spans_of(record, places);
    if (record.label) out["label"] = *record.label;
    add_rest(record, {"spans"}, out);
    write_(out.dump(-1, InvalidUtf8::replace) + "\n");
  }

 private:
  static Json spans_of(const TextRecord& record, const CharacterPlaces& places) {
    Json spans = Json::array();
    for (const LabelledSpan& each : *record.spans) {
      const Offsets at = offsets_of(record, places, each);
      spans.push_back({{"start", at.begin},
                       {"end", at.end},
                       {"token_start", each.begin},
                       {"token_end", each.end - 1},
                       {"label", each.label}});
    }
    return spans;
  }
  WriteText write_;
};

// Annotations of one text whose lines are the sequences, as BRAT counts: "start" of a record is
// where it begins, and without it each begins behind the line end of the one before.
class BratWriter final : public TextWriter {
 public:
  BratWriter(const TextWriting&, WriteText write) : write_(std::move(write)) {}
  void add(const TextRecord& record) override {
    require_offsets(record, "brat");
    const CharacterPlaces places(record.text);
    place(record);
    std::string out;
    for (const LabelledSpan& each : record.spans.value_or(std::vector<LabelledSpan>())) {
      if (each.label.empty() || each.label.find_first_of(" \t\r\n") != std::string::npos) {
        throw InputError(record.where, "a label that is empty or has a blank, which BRAT has not",
                         each.label, "give it a name of one word");
      }
      const Offsets at = offsets_of(record, places, each);
      out += "T" + std::to_string(++count_) + "\t" + each.label + " " +
             std::to_string(next_ + at.begin) + " " + std::to_string(next_ + at.end) + "\t" +
             without_line_ends(at.text) + "\n";
    }
    next_ += places.size() + 1;
    write_(out);
  }

 private:
  // Where the record begins.
  void place(const TextRecord& record) {
    const Json* const named = record.rest.get_if("document");
    Json document = named == nullptr ? Json() : *named;
    const Json* const start = record.rest.get_if("start");
    const std::size_t begin =
        start != nullptr && start->is_number_unsigned() ? start->get<std::size_t>() : next_;
    if (any_ && (begin < next_ || !(document == document_))) {
      throw InputError(record.where, "a sequence of another text than the one before", record.text,
                       "a file of annotations is of one text: convert the texts one by one");
    }
    any_ = true;
    document_ = std::move(document);
    next_ = begin;
  }

  WriteText write_;
  bool any_ = false;
  Json document_;
  std::size_t next_ = 0, count_ = 0;
};

template <class Writer>
std::unique_ptr<TextWriter> open(const TextWriting& writing, WriteText write) {
  return std::make_unique<Writer>(writing, std::move(write));
}

}  // namespace

std::string span_line_of(const TextRecord& record) {
  return span_object_of(record).dump(-1, InvalidUtf8::replace) + "\n";
}

Json span_object_of(const TextRecord& record) {
  SpanSequence sequence;
  sequence.columns = record.columns;
  sequence.cells = record.cells;
  sequence.spans = record.spans;
  sequence.gold = record.gold;
  Json out = span_object(sequence);
  if (!record.text.empty()) out["text"] = record.text;
  if (!record.places.empty()) {
    const CharacterPlaces places(record.text);
    Json& offsets = out["offsets"] = Json::array();
    for (const TextPlace& each : record.places) {
      offsets.push_back({places.character(each.begin), places.character(each.end)});
    }
  }
  if (record.label) out["label"] = *record.label;
  add_rest(record, {"tokens", "spans", "gold", "text", "offsets"}, out);
  return out;
}

std::span<const TextOutput> text_outputs() {
  static const auto kOutputs = std::to_array<TextOutput>({
      {"spans", "JSON lines of tokens and labelled spans", open<SpansWriter>},
      {"columns", "a token a line, its label last", open<ColumnsWriter>, true},
      {"text", "LABEL TAB TEXT, a line a text", open<LabelledTexts>},
      {"csv", "a table with the columns text and label", open<CsvWriter>},
      {"conllu", "CoNLL-U, with the labels as parts of speech", open<ConlluWriter>, true},
      {"huggingface", "JSON lines of tokens and ner_tags", open<HuggingFaceWriter>, true},
      {"doccano", "JSON lines of texts and [BEGIN, END, LABEL] in characters", open<DoccanoWriter>},
      {"prodigy", "JSON lines of Prodigy", open<ProdigyWriter>},
      {"brat", "BRAT's annotations (.ann) of a text", open<BratWriter>},
      {"segmented", "spans as words, with blanks between", open_segmented},
      {"html", "a page on which the spans are coloured", open_html},
  });
  return kOutputs;
}

const TextOutput* find_text_output(std::string_view name) {
  const auto outputs = text_outputs();
  const auto found = std::ranges::find(outputs, name, &TextOutput::name);
  return found == outputs.end() ? nullptr : &*found;
}

}  // namespace croft
