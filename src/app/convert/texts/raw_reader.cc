// Plain text: each line that is not blank is a sequence.
#include <utility>

#include "app/convert/texts/text_readers.h"
#include "core/unicode.h"
#include "croft/core/error.h"

namespace croft {
namespace {

class RawReader final : public TextReader {
 public:
  RawReader(LineReader lines, const TextReading& reading)
      : lines_(std::move(lines)), tokenizer_(reading.tokenizer) {}

  bool next(TextRecord& record) override {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
      if (line.find('\0') != line.npos) {
        throw InputError(lines_.location(line.find('\0') + 1), "a NUL byte", line,
                         "give text that is UTF-8");
      }
      record = TextRecord();
      record.text = line;
      record.where = lines_.location();
      if (!is_valid_utf8(line)) {
        throw InputError(record.where, "a line that is not UTF-8", line,
                         "convert the file to UTF-8 first");
      }
      cut(*tokenizer_, record);
    } while (record.places.empty());
    record.rest["line"] = lines_.line_number();
    return true;
  }

 private:
  LineReader lines_;
  std::shared_ptr<const TextTokenizer> tokenizer_;
};

}  // namespace

std::unique_ptr<TextReader> open_raw(LineReader lines, const TextReading& reading) {
  return std::make_unique<RawReader>(std::move(lines), reading);
}

}  // namespace croft
