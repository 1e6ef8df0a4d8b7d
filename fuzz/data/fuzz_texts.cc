// The first byte chooses a format of another program, the rest is its data: an error, or sequences
// whose tokens are what stands at their offsets, that lose no character, and that read back equal
// as Croft's own lines.  Every writer writes each of them, or refuses it by an error.
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
    TextRecord record;
    while (reader->next(record)) {
      check(record, name == "raw" || name == "doccano" || name == "brat" || name == "csv");
      check_again(record);
      check_writers(record);
    }
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace fuzz_texts
