#include "app/convert/texts/convert_texts.h"

#include <algorithm>
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
  if (conversion.to == "text" && conversion.reading.tokenizer != nullptr) {
    throw UsageError("--tokenizer cuts texts into tokens, and --to text writes them whole");
  }
  if (conversion.writing.scheme == ChunkScheme::automatic) return;
  if (conversion.reading.unlabelled) {
    throw UsageError("--unlabelled says that there are no labels: leave out --label-scheme");
  }
  if (conversion.to == "columns") return;
  if (text_format(conversion.from).labels_tokens && conversion.to != "text") return;
  throw UsageError("--label-scheme says how labels of tokens spell spans, and ", conversion.from,
                   " to ", conversion.to, " has none");
}

}  // namespace

ChangedSpans convert_texts(const std::string& path, const TextConversion& conversion,
                           const WriteText& write) {
  const TextOutput* const output = find_text_output(conversion.to);
  if (output == nullptr) throw UsageError("no data can be written as ", in_quotes(conversion.to));
  check_conversion(conversion);
  const auto reader = open_texts(path, conversion.from, conversion.reading);
  const auto writer = output->open(conversion.writing, write);
  const bool columns = conversion.to == "columns";
  // Columns keep labels as they are, unless another scheme is asked for.
  const bool wants_spans =
      columns ? conversion.writing.scheme != ChunkScheme::automatic : conversion.to != "text";
  const ChunkScheme scheme = columns ? ChunkScheme::automatic : conversion.writing.scheme;
  const bool hold = wants_spans && scheme == ChunkScheme::automatic;
  const auto add = [&](const TextRecord& one) {
    writer->add(one);
    if (conversion.written) conversion.written(one);
  };
  std::vector<TextRecord> held;
  TextRecord record;
  bool any = false;
  while (reader->next(record)) {
    any = true;
    if (hold && (record.labels || !held.empty())) {  // in their order
      held.push_back(std::move(record));
      continue;
    }
    if (wants_spans) spell_spans(scheme, name_of(path), record);
    add(record);
  }
  const bool stream = path == "-";  // which may have nothing to say
  if (!any && !stream) {
    if (const std::string why = reader->why_none(); !why.empty()) throw Error(path, ": ", why);
    if (!conversion.may_be_empty) fail_no_sequences(path);
  }
  const ChunkScheme found = held.empty() ? ChunkScheme::none : scheme_of(held);
  for (TextRecord& each : held) {
    spell_spans(found, name_of(path), each);
    add(each);
  }
  writer->end();
  return reader->changed();
}

namespace {

LineReader converted_lines(const std::string& path, TextConversion conversion) {
  std::string text;
  std::vector<std::uint32_t> made_from;
  std::size_t lines = 0;
  conversion.may_be_empty = true;
  conversion.written = [&](const TextRecord& record) {  // its rows, and the empty line behind them
    for (std::size_t t = 0; made_from.size() < lines; ++t) {
      const bool known = t < record.lines.size();
      made_from.push_back(known ? record.lines[t] : static_cast<std::uint32_t>(record.where.line));
    }
  };
  convert_texts(path, conversion, [&](std::string_view some) {
    text += some;
    lines += static_cast<std::size_t>(std::ranges::count(some, '\n'));
  });
  return LineReader(text, name_of(path), std::move(made_from));
}

}  // namespace

LineReader foreign_lines(const std::string& path, std::string_view format, TextReading reading) {
  const TextFormat& known = text_format(format);
  const std::string_view to = known.name == "csv"   ? "text"
                              : known.labels_tokens ? "columns"
                                                    : kSpanFormat;
  if (!known.cuts) reading.tokenizer = nullptr;
  return converted_lines(path, {.from = format, .to = to, .reading = std::move(reading)});
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
