// Lines of words with blanks between, to learn where words of a script without blanks begin and
// end.
#include <utility>

#include "app/convert/texts/text_readers.h"
#include "app/convert/texts/text_writers.h"
#include "data/checks.h"

namespace croft {
namespace {

// The text is the line without its blanks, its tokens are characters, its spans are words.
class SegmentedReader final : public TextReader {
 public:
  SegmentedReader(LineReader lines, const TextReading&) : lines_(std::move(lines)) {}

  bool next(TextRecord& record) override {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
      require_plain_utf8(line, lines_);
      read(line, record);
    } while (record.places.empty());
    return true;
  }

 private:
  void read(std::string_view line, TextRecord& record) {
    record = TextRecord();
    record.where = lines_.location();
    std::vector<CharacterSpan> words;
    for (const TextPlace& word : blanks_->tokens(line)) {
      const std::size_t begin = record.text.size();
      record.text.append(line.substr(word.begin, word.end - word.begin));
      words.push_back({begin, record.text.size(), ""});
    }
    cut(*characters_, record);
    // An accent belongs to the character before it, also where a blank stood between.
    set_spans(std::move(words), Misaligned::widen, changed_, record);
    record.rest["line"] = lines_.line_number();
  }

  LineReader lines_;
  std::shared_ptr<const TextTokenizer> blanks_ = tokenizer_named("blanks");
  std::shared_ptr<const TextTokenizer> characters_ = tokenizer_named("characters");
};

// Spans, and the tokens that are in none, with a blank between.
class SegmentedWriter final : public TextWriter {
 public:
  explicit SegmentedWriter(WriteText write) : write_(std::move(write)) {}
  void add(const TextRecord& record) override {
    std::string out;
    const auto spans = record.spans.value_or(std::vector<LabelledSpan>());
    std::size_t k = 0;
    for (std::size_t t = 0; t < record.length(); ++t) {
      const bool inside = k < spans.size() && spans[k].begin < t;
      if (t > 0 && !inside) out += ' ';
      out += record.cells[t * record.columns];
      if (k < spans.size() && spans[k].end == t + 1) ++k;
    }
    write_(out + "\n");
  }

 private:
  WriteText write_;
};

}  // namespace

std::unique_ptr<TextReader> open_segmented(LineReader lines, const TextReading& reading) {
  return std::make_unique<SegmentedReader>(std::move(lines), reading);
}
std::unique_ptr<TextWriter> open_segmented(const TextWriting&, WriteText write) {
  return std::make_unique<SegmentedWriter>(std::move(write));
}

}  // namespace croft
