#include "app/convert/texts/text_readers.h"

#include <algorithm>
#include <array>

#include "croft/core/error.h"

namespace croft {

std::span<const TextFormat> text_formats() {
  static const auto kFormats = std::to_array<TextFormat>({
      {"raw", "plain text, a sequence a line", false, {}, true, open_raw},
      {"spans", "JSON lines of tokens and labelled spans", false, {}, false, open_spans},
      {"columns",
       "a token a line, its label last",
       false,
       {"label-column", "ignore-lines", "unlabelled"},
       false,
       open_columns},
      {"conllu",
       "CoNLL-U, of Universal Dependencies",
       true,
       {"label-column", "cells"},
       false,
       open_conllu},
      {"prodigy", "JSON lines of Prodigy", true, {"misaligned"}, true, open_prodigy},
      {"doccano", "JSON lines of doccano", true, {"misaligned"}, true, open_doccano},
      {"huggingface",
       "JSON lines of tokens and ner_tags",
       false,
       {"label-names"},
       false,
       open_hugging_face},
      {"brat", "a text file and its .ann, or a folder of these", true, {"misaligned"}, true},
      {"segmented",
       "words with blanks between, for models that find words",
       true,
       {},
       false,
       open_segmented},
      {"csv",
       "a table with a column of texts",
       false,
       {"text-column", "label-column"},
       true,
       open_csv},
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
    if (!given || std::ranges::find(format.takes, option) != format.takes.end()) return;
    throw UsageError(Message::option(option), " has no meaning for data of format ", format.name);
  };
  refuse(reading.misaligned != Misaligned::refuse, "misaligned");
  refuse(!reading.text_column.empty(), "text-column");
  refuse(!reading.label_column.empty(), "label-column");
  refuse(!reading.ignore_lines.empty(), "ignore-lines");
  refuse(!reading.label_names.empty(), "label-names");
  refuse(!reading.cells.empty(), "cells");
  refuse(reading.unlabelled, "unlabelled");
}

}  // namespace

std::unique_ptr<TextReader> open_texts(const std::string& path, std::string_view name,
                                       const TextReading& reading) {
  const TextFormat& format = text_format(name);
  check_options(format, reading);
  if (format.open == nullptr) return open_brat(path, reading);
  return format.open(LineReader(path), reading);
}

}  // namespace croft
