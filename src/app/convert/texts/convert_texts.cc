#include "app/convert/texts/convert_texts.h"

#include <algorithm>
#include <utility>

#include "app/label/model_tokenizer.h"
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
void spell_spans(ChunkScheme scheme, const std::string& path, TextRecord& record) {
  if (!record.labels) return;
  if (scheme == ChunkScheme::none) {
    throw UsageError(path,
                     ": there are labels that spell no chunks (B-X, I-X, O and the like); "
                     "--label-scheme raw makes each but O a span of one token");
  }
  const std::vector<std::string_view> labels(record.labels->begin(), record.labels->end());
  record.spans = spans_of_labels(labels, scheme);
}

}  // namespace

std::size_t convert_texts(const std::string& path, const TextConversion& conversion,
                          const WriteText& write) {
  const TextOutput* const output = find_text_output(conversion.to);
  if (output == nullptr) throw UsageError("no data can be written as ", in_quotes(conversion.to));
  const auto reader = open_texts(path, conversion.from, conversion.reading);
  const auto writer = output->open(conversion.writing, write);
  const bool wants_spans = conversion.to != "columns" && conversion.to != "text";
  const ChunkScheme scheme = conversion.writing.scheme;
  const bool hold = wants_spans && scheme == ChunkScheme::automatic;
  std::vector<TextRecord> held;
  TextRecord record;
  bool any = false;
  while (reader->next(record)) {
    any = true;
    if (hold && record.labels) {
      held.push_back(std::move(record));
      continue;
    }
    if (wants_spans) spell_spans(scheme, path, record);
    writer->add(record);
  }
  if (!any) fail_no_sequences(path == "-" ? "<stdin>" : path);
  const ChunkScheme found = held.empty() ? ChunkScheme::none : scheme_of(held);
  for (TextRecord& each : held) {
    spell_spans(found, path, each);
    writer->add(each);
  }
  writer->end();
  return reader->changed();
}

bool has_token_labels(std::string_view format) {
  return format == "conllu" || format == "huggingface";
}

LineReader foreign_lines(const std::string& path, std::string_view format,
                         std::string_view tokenizer) {
  TextConversion conversion{.from = format,
                            .to = has_token_labels(format) ? "columns" : kSpanFormat};
  if (!tokenizer.empty()) conversion.reading.tokenizer = text_tokenizer(tokenizer);
  std::string text;
  convert_texts(path, conversion, [&](std::string_view some) { text += some; });
  return LineReader(text, path + " (as " + std::string(conversion.to) + ")");
}

Json read_texts(const std::string& path, std::string_view format, const TextReading& reading) {
  const auto reader = open_texts(path, format, reading);
  Json out = Json::array();
  TextRecord record;
  while (reader->next(record)) {
    Json one = parse_json(span_line_of(record), {KeyOrder::as_written});
    if (record.labels) one["labels"] = *record.labels;
    if (record.label) one["label"] = *record.label;
    if (record.places.empty() && !record.text.empty()) one["text"] = record.text;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace croft
