// The first byte chooses a format of another program, the rest is its data: an error, or sequences
// whose tokens are what stands at their offsets, that lose no character, and that read back equal
// as Croft's own lines; every key of a JSON line has become a part of its sequence or is kept
// beside it, a list of labels never without labels, and every word of CoNLL-U and of columns is a
// token. Every writer writes each of them, or refuses it by an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/convert/texts/text_readers.h"
#include "app/convert/texts/text_writers.h"
#include "core/unicode.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_texts {

namespace {

using namespace croft;

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter c = decode(text, at);
    if (!is_blank_character(c.value)) return false;
    at += c.size;
  }
  return true;
}

void check(const TextRecord& record, bool drops_nothing) {
  require(record.places.empty() || record.places.size() == record.length(), "a token elsewhere");
  std::size_t end = 0;
  for (std::size_t t = 0; t < record.places.size(); ++t) {
    const auto [begin, behind] = record.places[t];
    require(end <= begin && begin < behind && behind <= record.text.size(), "a place out of order");
    require(record.text.substr(begin, behind - begin) == record.cells[t], "another token");
    if (drops_nothing) {
      require(is_blank(record.text.substr(end, begin - end)), "a character is dropped");
    }
    end = behind;
  }
  if (drops_nothing) require(is_blank(record.text.substr(end)), "the end is dropped");
  if (record.labels) require(record.labels->size() == record.length(), "labels are missing");
  end = 0;
  for (const LabelledSpan& each : record.spans.value_or(std::vector<LabelledSpan>())) {
    require(end <= each.begin && each.begin < each.end && each.end <= record.length(),
            "a span that overlaps, is empty, or ends behind the tokens");
    end = each.end;
  }
}

void check_again(const TextRecord& record) {
  const auto reader = open_spans(LineReader(span_line_of(record), "again"), {});
  TextRecord again;
  require(reader->next(again), "nothing is read back");
  require(again.cells == record.cells && again.spans == record.spans, "other tokens or spans");
  require(again.places == record.places && again.text == record.text, "another text");
  require(again.gold == record.gold, "another gold");
  // Without one a key of this name may be somebody else's.
  require(!record.label || again.label == record.label, "another label");
}

// Of a format of JSON lines, and the line that it was.
void check_keys(const TextRecord& record, std::string_view line) {
  const Json object = parse_json(line);
  constexpr std::string_view kOfLabels[] = {"spans",    "gold",     "accept",    "entities",
                                            "label",    "labels",   "tags",      "annotations",
                                            "ner_tags", "pos_tags", "chunk_tags"};
  constexpr std::string_view kOfTexts[] = {"text", "data", "tokens", "offsets", "rows"};
  const bool labelled = record.spans || record.gold || record.labels || record.label;
  for (const auto& [key, value] : object.items()) {
    const bool of_labels = std::ranges::find(kOfLabels, key) != std::end(kOfLabels);
    const bool of_texts = std::ranges::find(kOfTexts, key) != std::end(kOfTexts);
    require(of_labels || of_texts || record.rest.contains(key), "a key is lost: " + key);
    require(!of_labels || labelled || !value.is_array() || value.size() == 0,
            "labels are lost: " + key);
  }
}

// The lines of the input; of CoNLL-U those that are words.
std::size_t words_of(std::string_view text, std::string_view format) {
  LineReader lines(text, "fuzz");
  std::size_t count = 0;
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t") == line.npos) continue;
    const bool conllu = format == "conllu";
    const std::string_view id = line.substr(0, line.find('\t'));
    if (conllu && (line.starts_with('#') || id.find_first_of("-.") != id.npos)) continue;
    ++count;
  }
  return count;
}

// A writer says that it cannot write a record, or writes it.
void check_writers(const TextRecord& record) {
  for (const TextOutput& output : text_outputs()) {
    try {
      const auto writer = output.open({}, [](std::string_view) {});
      writer->add(record);
      writer->end();
    } catch (const Error&) {
    }
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  LineReader lines(text, "fuzz");
  std::vector<std::string> out;
  for (std::string_view line; lines.next(line);) out.emplace_back(line);
  return out;
}

std::unique_ptr<TextReader> open(std::string_view input) {
  const auto formats = text_formats();
  const auto choice = static_cast<unsigned char>(input.front());
  const TextFormat& format = formats[choice % formats.size()];
  const std::string_view text = input.substr(1);
  TextReading reading;
  constexpr std::string_view kTokenizers[] = {"words", "blanks", "characters", "regex:[a-z]+|\\d"};
  reading.tokenizer = tokenizer_named(kTokenizers[choice / formats.size() % 4]);
  reading.misaligned = choice >= 128 ? Misaligned::widen : Misaligned::refuse;
  if (format.name == "csv") reading.text_column = "text";
  if (format.name == "huggingface") reading.label_names = {"O", "B-X", "I-X"};
  if (format.open != nullptr) return format.open(LineReader(text, "fuzz"), reading);
  const std::size_t end = std::min(text.find('\0'), text.size());
  return open_brat(LineReader(text.substr(0, end), "fuzz.txt"),
                   LineReader(text.substr(std::min(end + 1, text.size())), "fuzz.ann"), reading);
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_texts) {
  if (size == 0) return 0;
  const std::string input(reinterpret_cast<const char*>(data), size);
  try {
    const auto reader = open(input);
    const std::string_view name = text_formats()[data[0] % text_formats().size()].name;
    const bool json = name == "spans" || name == "prodigy" || name == "doccano" ||
                      name == "huggingface" || name == "suggested";
    const std::vector<std::string> lines = lines_of(std::string_view(input).substr(1));
    TextRecord record;
    std::size_t tokens = 0;
    while (reader->next(record)) {
      check(record, name == "raw" || name == "doccano" || name == "brat" || name == "csv");
      if (json) check_keys(record, lines.at(record.where.line - 1));
      if (!record.labels) check_again(record);
      check_writers(record);
      tokens += record.length();
    }
    if (name == "conllu" || name == "columns") {
      require(tokens == words_of(std::string_view(input).substr(1), name), "a word is lost");
    }
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace fuzz_texts
