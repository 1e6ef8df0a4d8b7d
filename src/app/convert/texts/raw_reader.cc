// Plain text: each line that is not blank is a sequence.
#include <utility>

#include "app/convert/texts/text_readers.h"
#include "core/unicode.h"
#include "data/checks.h"

namespace croft {
namespace {

class RawReader final : public TextReader {
 public:
  RawReader(LineReader lines, const TextReading& reading)
      : lines_(std::move(lines)), tokenizer_(reading.tokenizer) {
    lines_.keep_given();
  }

  bool next(TextRecord& record) override {
    std::string_view line;
    std::size_t start = 0;
    GivenLines given;
    do {
      if (!lines_.next(line)) return false;
      require_plain_utf8(line, lines_);
      record = TextRecord();
      record.text = line;
      record.where = lines_.location();
      lines_.mark_given();
      lines_.take_given(1, given);
      start =
          next_ + character_count(std::string_view(given.text).substr(0, given.marked[0].begin));
      next_ += character_count(given.text);
      cut(*tokenizer_, record);
    } while (record.places.empty());
    record.rest["line"] = lines_.line_number();
    record.rest["start"] = start;
    return true;
  }

 private:
  LineReader lines_;
  std::shared_ptr<const TextTokenizer> tokenizer_;
  std::size_t next_ = 0;  // characters of the file before the next line
};

}  // namespace

std::unique_ptr<TextReader> open_raw(LineReader lines, const TextReading& reading) {
  return std::make_unique<RawReader>(std::move(lines), reading);
}

}  // namespace croft
