#include "app/convert/texts/convert_texts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/label/row_reader.h"
#include "croft/core/error.h"
#include "data/checks.h"

namespace croft {
namespace {

ChunkScheme scheme_of(const std::vector<TextRecord>& records) {
  std::vector<std::string_view> labels;
  for (const TextRecord& each : records) {
    if (each.labels) labels.insert(labels.end(), each.labels->begin(), each.labels->end());
  }
  std::ranges::sort(labels);
  const auto same = std::ranges::unique(labels);
  labels.erase(same.begin(), same.end());
  return span_scheme(labels);
}

// Labels of tokens to spans; labels that somebody has spelled otherwise are read as conlleval does.
void spell_spans(ChunkScheme scheme, const std::string& name, TextRecord& record) {
  if (!record.labels) return;
  if (scheme == ChunkScheme::none) {
    throw UsageError(name,
                     ": there are labels that spell no chunks (B-X, I-X, O and the like); to spans "
                     "--label-scheme raw makes each but O a span of one token");
  }
  const std::vector<std::string_view> labels(record.labels->begin(), record.labels->end());
  record.spans = spans_of_labels(labels, scheme);
}

// As readers name it.
std::string name_of(const std::string& path) { return path == "-" ? "<stdin>" : path; }

void check_conversion(const TextConversion& conversion) {
  const bool whole = conversion.to == "text" || conversion.to == "csv";
  if (whole && conversion.reading.tokenizer != nullptr) {
    throw UsageError("--tokenizer cuts texts into tokens, and --to ", conversion.to,
                     " writes them whole");
  }
  if (conversion.writing.scheme == ChunkScheme::automatic) return;
  if (conversion.reading.unlabelled) {
    throw UsageError("--unlabelled says that there are no labels: leave out --label-scheme");
  }
  const TextOutput* const output = find_text_output(conversion.to);
  if (output != nullptr && output->labels_tokens) return;
  if (text_format(conversion.from).labels_tokens && !whole) return;
  throw UsageError("--label-scheme says how labels of tokens spell spans, and ", conversion.from,
                   " to ", conversion.to, " has none");
}

// A conversion sequence by sequence.
class Converter {
 public:
  Converter(const std::string& path, TextConversion conversion, WriteText write)
      : path_(path), conversion_(std::move(conversion)) {
    const std::string_view to = conversion_.to;
    const TextOutput* const output = find_text_output(to);
    if (output == nullptr) throw UsageError("no data can be written as ", in_quotes(to));
    check_conversion(conversion_);
    reader_ = open_texts(path, conversion_.from, conversion_.reading);
    writer_ = output->open(conversion_.writing, std::move(write));
    // Labels of tokens stay as they are, unless another scheme is asked for.
    const ChunkScheme scheme = conversion_.writing.scheme;
    const bool whole = to == "text" || to == "csv";
    wants_spans_ = output->labels_tokens ? scheme != ChunkScheme::automatic : !whole;
    scheme_ = output->labels_tokens ? ChunkScheme::automatic : scheme;
    holds_ = wants_spans_ && scheme_ == ChunkScheme::automatic;
  }

  // Reads a sequence and hands it on, or holds it until the end.  False at the end.
  bool step() {
    TextRecord record;
    if (!reader_->next(record)) {
      end();
      return false;
    }
    any_ = true;
    if (holds_ && (record.labels || !held_.empty())) {  // in their order
      held_.push_back(std::move(record));
      return true;
    }
    if (wants_spans_) spell_spans(scheme_, name_of(path_), record);
    add(record);
    return true;
  }
  const ChangedSpans& changed() const { return reader_->changed(); }

 private:
  void add(const TextRecord& record) {
    writer_->add(record);
    if (conversion_.written) conversion_.written(record);
  }
  void end() {
    const bool stream = path_ == "-";  // which may have nothing to say
    if (!any_ && !stream) {
      if (const std::string why = reader_->why_none(); !why.empty()) throw Error(path_, ": ", why);
      if (!conversion_.may_be_empty) fail_no_sequences(path_);
    }
    const ChunkScheme found = held_.empty() ? ChunkScheme::none : scheme_of(held_);
    for (TextRecord& each : held_) {
      spell_spans(found, name_of(path_), each);
      add(each);
    }
    writer_->end();
  }

  std::string path_;
  TextConversion conversion_;
  std::unique_ptr<TextReader> reader_;
  std::unique_ptr<TextWriter> writer_;
  ChunkScheme scheme_ = ChunkScheme::automatic;
  bool wants_spans_ = false, holds_ = false, any_ = false;
  std::vector<TextRecord> held_;
};

// The lines of a conversion, made as they are asked for.
class ConvertedLines final : public LineSource {
 public:
  ConvertedLines(const std::string& path, TextConversion conversion)
      : warn_(conversion.reading.warn), misaligned_(conversion.reading.misaligned) {
    conversion.may_be_empty = true;
    conversion.reading.before_waiting = [this] {
      if (before_waiting_) before_waiting_();
    };
    if (conversion.reading.labels == TableLabels::needed && conversion.to == kSpanFormat) {
      needs_spans_of_ = conversion.from;
    }
    conversion.written = [this](const TextRecord& record) {
      if (!needs_spans_of_.empty()) require_spans(record);
      number_lines(record);
    };
    converter_.emplace(path, std::move(conversion), [this](std::string_view some) {
      text_ += some;
      lines_ += static_cast<std::size_t>(std::ranges::count(some, '\n'));
    });
  }

  std::string_view more(std::vector<std::uint32_t>& made_from) override {
    made_from_ = &made_from;
    text_.clear();
    while (text_.empty() && !at_end_) {
      if (converter_->step()) continue;
      at_end_ = true;
      const std::string changed = converter_->changed().text(misaligned_);
      if (warn_ && !changed.empty()) warn_(changed);
    }
    return text_;
  }
  void before_waiting(std::function<void()> ready) override { before_waiting_ = std::move(ready); }

 private:
  void require_spans(const TextRecord& record) const {
    if (record.spans || record.labels) return;
    if (!record.label) {
      throw InputError(record.where, "a text without its spans", record.text,
                       "a text that has none has an empty list of them");
    }
    throw InputError(
        record.where, "a label of the whole text, and no spans in it", *record.label,
        Message("croft convert --from ", needs_spans_of_,
                " --to text writes texts with their labels, which --format text reads"));
  }
  // The rows of the record, and the empty line behind them.
  void number_lines(const TextRecord& record) {
    for (std::size_t t = 0; t < lines_; ++t) {
      const bool known = t < record.lines.size();
      made_from_->push_back(known ? record.lines[t]
                                  : static_cast<std::uint32_t>(record.where.line));
    }
    lines_ = 0;
  }

  std::function<void(const std::string&)> warn_;
  Misaligned misaligned_;
  std::string needs_spans_of_;  // the format of the data, where each text is to have spans
  std::function<void()> before_waiting_;
  std::optional<Converter> converter_;
  std::string text_;       // since it was last asked for
  std::size_t lines_ = 0;  // that have no number yet
  std::vector<std::uint32_t>* made_from_ = nullptr;
  bool at_end_ = false;
};

}  // namespace

ChangedSpans convert_texts(const std::string& path, const TextConversion& conversion,
                           const WriteText& write) {
  Converter converter(path, conversion, write);
  while (converter.step()) {
  }
  return converter.changed();
}

LineReader foreign_lines(const std::string& path, std::string_view format, TextReading reading) {
  const TextFormat& known = text_format(format);
  const std::string_view to = known.name == "csv"   ? "text"
                              : known.labels_tokens ? "columns"
                                                    : kSpanFormat;
  if (!known.cuts) reading.tokenizer = nullptr;
  return converted_lines(path, known.name, to, std::move(reading));
}

LineReader converted_lines(const std::string& path, std::string_view from, std::string_view to,
                           TextReading reading) {
  TextConversion conversion{.from = from, .to = to, .reading = std::move(reading)};
  return LineReader(std::make_unique<ConvertedLines>(path, std::move(conversion)), name_of(path));
}

bool is_suggested(const std::string& path) {
  LineReader lines(path);
  std::string_view line;
  if (!lines.next(line) || !line.starts_with('{')) return false;
  try {
    const Json object = parse_json(line);
    return object.contains("sequence") && object.contains("labels") && object.contains("score");
  } catch (const Error&) {
    return false;
  }
}

Json read_texts(const std::string& path, std::string_view format, const TextReading& reading) {
  const auto reader = open_texts(path, format, reading);
  Json out = Json::array();
  TextRecord record;
  while (reader->next(record)) {
    Json one = span_object_of(record);
    if (record.labels) one["labels"] = *record.labels;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace croft
