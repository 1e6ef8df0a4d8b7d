#include "app/convert/texts/text_readers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "croft/core/error.h"

namespace croft {

bool takes(const TextFormat& format, std::string_view option) {
  return std::ranges::find(format.takes, option) != format.takes.end();
}

std::span<const TextFormat> text_formats() {
  static const auto kFormats = std::to_array<TextFormat>({
      {"raw", "plain text, a sequence a line", false, {}, true, false, open_raw},
      {"spans", "JSON lines of tokens and labelled spans", false, {}, false, false, open_spans},
      {"columns",
       "a token a line, its label last",
       false,
       {"label-column", "ignore-lines", "unlabelled"},
       false,
       true,
       open_columns},
      {"conllu",
       "CoNLL-U, of Universal Dependencies",
       true,
       {"label-column", "cells"},
       false,
       true,
       open_conllu},
      {"prodigy", "JSON lines of Prodigy", true, {"misaligned"}, true, false, open_prodigy},
      {"doccano", "JSON lines of doccano", true, {"misaligned"}, true, false, open_doccano},
      {"huggingface",
       "JSON lines of tokens and ner_tags",
       false,
       {"label-names"},
       false,
       true,
       open_hugging_face},
      {"brat", "a text file and its .ann, or a folder of these", true, {"misaligned"}, true, false},
      {"segmented",
       "words with blanks between, for models that find words",
       true,
       {},
       false,
       false,
       open_segmented},
      {"csv",
       "a table with a column of texts",
       false,
       {"text-column", "label-column", "delimiter"},
       true,
       false,
       open_csv},
      {"suggested",
       "what croft suggest writes: rows or texts, with the labels that the model gives them",
       false,
       {},
       true,
       true,
       open_suggested},
  });
  return kFormats;
}

const TextFormat* find_text_format(std::string_view name) {
  const auto formats = text_formats();
  const auto found = std::ranges::find(formats, name, &TextFormat::name);
  return found == formats.end() ? nullptr : &*found;
}

const TextFormat& text_format(std::string_view name) {
  if (const TextFormat* const found = find_text_format(name)) return *found;
  std::string names;
  for (const TextFormat& each : text_formats()) {
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  throw UsageError("no format of data is called ", in_quotes(name), "; there are ", names);
}

namespace {

void check_options(const TextFormat& format, const TextReading& reading) {
  const auto refuse = [&](bool given, std::string_view option) {
    if (!given || takes(format, option)) return;
    throw UsageError(Message::option(option), " has no meaning for data of format ", format.name);
  };
  if (reading.tokenizer != nullptr && !format.cuts) {
    throw UsageError("--tokenizer cuts texts into tokens, and data of format ", format.name,
                     " has its tokens");
  }
  refuse(reading.misaligned == Misaligned::widen || reading.misaligned == Misaligned::drop,
         "misaligned");
  refuse(!reading.text_column.empty(), "text-column");
  refuse(!reading.label_column.empty(), "label-column");
  refuse(reading.delimiter != CsvRecordReader::kByName, "delimiter");
  refuse(!reading.ignore_lines.empty(), "ignore-lines");
  refuse(!reading.label_names.empty(), "label-names");
  refuse(!reading.cells.empty(), "cells");
  refuse(reading.unlabelled, "unlabelled");
  if (reading.unlabelled && !reading.label_column.empty()) {
    throw UsageError("--label-column names the labels, and --unlabelled says that there are none");
  }
}

}  // namespace

std::unique_ptr<TextReader> open_texts(const std::string& path, std::string_view name,
                                       const TextReading& reading) {
  const TextFormat& format = text_format(name);
  check_options(format, reading);
  TextReading complete = reading;
  if (complete.tokenizer == nullptr) complete.tokenizer = tokenizer_named(kUsualTokenizer);
  if (format.open == nullptr) return open_brat(path, complete);
  LineReader lines(path);
  lines.before_waiting(reading.before_waiting);
  return format.open(std::move(lines), complete);
}

std::vector<std::string> files_of_texts(const std::string& path, std::string_view format) {
  if (text_format(format).open == nullptr) return files_of_brat(path);
  return {path};
}

}  // namespace croft
