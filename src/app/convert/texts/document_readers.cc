// Documents: BRAT's texts with annotations beside them, and tables with a column of texts.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "app/convert/texts/text_readers.h"
#include "core/unicode.h"
#include "croft/core/error.h"
#include "data/checks.h"
#include "data/csv.h"

namespace croft {
namespace {

namespace fs = std::filesystem;

// --- BRAT

bool is_blank_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter c = decode(text, at);
    if (!is_blank_character(c.value)) return false;
    at += c.size;
  }
  return true;
}

// FILE.txt or FILE.ann: both; a folder: all of its pairs, by their names.
std::vector<fs::path> documents_of(const std::string& path) {
  if (path == "-") throw UsageError("brat: a text and its annotations are files: give their name");
  std::vector<fs::path> out;
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    for (fs::directory_iterator entry(path, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      if (entry->path().extension() == ".txt") out.push_back(entry->path());
    }
    if (failure) throw Error(path, ": cannot read this folder: ", failure.message());
    std::ranges::sort(out);
    if (out.empty()) throw Error(path, ": there is no .txt in this folder");
    return out;
  }
  fs::path text = path;
  if (text.extension() != ".txt" && text.extension() != ".ann") {
    if (failure) throw Error(path, ": cannot open: ", failure.message());
    throw UsageError(path, ": brat has a text FILE.txt and its annotations FILE.ann");
  }
  out.push_back(text.replace_extension(".txt"));
  return out;
}

// Of one text.
class BratDocument final : public TextReader {
 public:
  BratDocument(LineReader text, LineReader annotations, const TextReading& reading)
      : name_(text.name()), reading_(reading) {
    read_text(text);
    read_annotations(annotations);
  }

  bool next(TextRecord& record) override {
    while (at_ < text_.size()) {
      const std::size_t begin = at_, end = std::min(text_.find('\n', at_), text_.size());
      at_ = end + 1;
      ++line_;
      if (read_line(begin, end, record)) return true;
    }
    return false;
  }

 private:
  void read_text(LineReader& lines) {
    std::string_view line;
    while (lines.next(line)) {
      require_plain_utf8(line, lines);
      text_.append(line) += '\n';
    }
  }

  bool read_line(std::size_t begin, std::size_t end, TextRecord& record) {
    record = TextRecord();
    record.where = {name_, line_};
    record.text = text_.substr(begin, end - begin);
    cut(*reading_.tokenizer, record);
    if (record.places.empty()) return false;
    while (counted_ < begin) {
      counted_ += decode(text_, counted_).size;
      ++characters_;
    }
    record.rest["document"] = fs::path(name_).stem().string();
    record.rest["start"] = characters_;
    std::vector<CharacterSpan> spans;
    for (; next_ < annotations_.size() && annotations_[next_].begin < end; ++next_) {
      const CharacterSpan& each = annotations_[next_];
      spans.push_back({each.begin - begin, each.end - begin, each.label});
    }
    set_spans(std::move(spans), reading_.misaligned, changed_, record);
    return true;
  }

  void read_annotations(LineReader& lines) {
    const CharacterPlaces places(text_);
    std::string_view line;
    while (lines.next(line)) {
      if (!line.starts_with('T')) continue;  // relations, events, attributes, notes
      require_plain_utf8(line, lines);
      annotations_.push_back(read_annotation(lines, line, places));
    }
    std::ranges::stable_sort(annotations_, {}, &CharacterSpan::begin);
  }

  // T1 TAB LABEL BEGIN END TAB TEXT
  CharacterSpan read_annotation(const LineReader& lines, std::string_view line,
                                const CharacterPlaces& places) const {
    const auto fail = [&](std::string_view problem, std::string_view remedy) {
      throw InputError(lines.location(), Message(std::string(problem)), line,
                       Message(std::string(remedy)));
    };
    constexpr std::string_view kForm = "an annotation is T1 TAB LABEL BEGIN END TAB TEXT";
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (first == line.npos || second == line.npos) fail("a line that is no annotation", kForm);
    const std::string_view middle = line.substr(first + 1, second - first - 1);
    const std::size_t blank = middle.find(' '), last = middle.find(' ', blank + 1);
    if (blank == middle.npos || last == middle.npos || blank == 0) {
      fail("a line that is no annotation", kForm);
    }
    if (middle.find(';', blank) != middle.npos) {
      fail("an annotation in several pieces", "a span is one piece: leave it out or join it");
    }
    std::size_t begin = 0, end = 0;
    const auto number = [&](std::string_view text, std::size_t& out) {
      const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
      if (fault != std::errc() || stop != text.data() + text.size()) {
        fail("an annotation whose offsets are no numbers", kForm);
      }
    };
    number(middle.substr(blank + 1, last - blank - 1), begin);
    number(middle.substr(last + 1), end);
    if (begin >= end || end > places.size()) {
      fail("an annotation that is empty or lies behind its text", "correct its offsets");
    }
    CharacterSpan span{places.byte(begin), places.byte(end), std::string(middle.substr(0, blank))};
    std::string shown = text_.substr(span.begin, span.end - span.begin);
    if (shown.find('\n') != shown.npos) {
      fail("an annotation that goes over a line end",
           "a sequence is a line of the text: put it into one line");
    }
    if (is_blank_text(shown)) fail("an annotation of blanks alone", "leave it out");
    if (shown != line.substr(second + 1)) {
      fail("an annotation whose text is not what stands at its offsets, " + in_quotes(shown),
           "offsets count characters, and a line end is one of them");
    }
    return span;
  }

  std::string name_, text_;
  TextReading reading_;
  std::size_t at_ = 0, line_ = 0;
  std::size_t counted_ = 0, characters_ = 0;  // bytes, and how many characters they are
  std::vector<CharacterSpan> annotations_;    // bytes of the text
  std::size_t next_ = 0;                      // of these
};

class BratReader final : public TextReader {
 public:
  BratReader(const std::string& path, const TextReading& reading)
      : documents_(documents_of(path)), reading_(reading) {}

  bool next(TextRecord& record) override {
    for (;;) {
      if (document_ && document_->next(record)) return true;
      if (document_) changed_.add(document_->changed());
      if (at_ == documents_.size()) return false;
      const fs::path& path = documents_[at_++];
      document_ =
          open_brat(LineReader(path.string()),
                    LineReader(fs::path(path).replace_extension(".ann").string()), reading_);
    }
  }

 private:
  std::vector<fs::path> documents_;
  TextReading reading_;
  std::size_t at_ = 0;
  std::unique_ptr<TextReader> document_;
};

// --- a table with a column of texts

class CsvTexts final : public TextReader {
 public:
  CsvTexts(LineReader lines, const TextReading& reading)
      : records_(std::move(lines), reading.delimiter), reading_(reading) {
    if (reading.text_column.empty()) {
      throw UsageError("--from csv needs --text-column: the name of the column that has the texts");
    }
  }

  bool next(TextRecord& record) override {
    if (names_.empty() && !read_names()) return false;
    CsvRecord row;
    if (!records_.next(row)) return false;
    record = TextRecord();
    record.where = row.location(records_.name(), 0);
    if (row.size() != names_.size()) {
      throw InputError(
          record.where,
          std::to_string(row.size()) + " cells where the head has " + std::to_string(names_.size()),
          row[0], "give every row the same cells");
    }
    require_utf8(row);
    record.text = row[text_];
    cut(*reading_.tokenizer, record);
    if (label_ != names_.size()) record.label = std::string(row[label_]);
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (k != text_ && k != label_) record.rest[names_[k]] = std::string(row[k]);
    }
    return true;
  }

 private:
  void require_utf8(const CsvRecord& row) const {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (is_valid_utf8(row[k])) continue;
      throw InputError(row.location(records_.name(), k), "a cell that is not UTF-8", row[k],
                       "convert the file to UTF-8 first");
    }
  }
  bool read_names() {
    CsvRecord head;
    if (!records_.next(head)) return false;
    require_utf8(head);
    for (std::size_t k = 0; k < head.size(); ++k) {
      if (std::ranges::find(names_, head[k]) != names_.end()) {
        throw InputError(head.location(records_.name(), k), "a column that is there twice", head[k],
                         "give each column its own name");
      }
      names_.emplace_back(head[k]);
    }
    text_ = column("text-column", reading_.text_column);
    label_ = reading_.label_column.empty() ? names_.size()
                                           : column("label-column", reading_.label_column);
    return true;
  }
  std::size_t column(std::string_view option, const std::string& name) const {
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    std::string all;
    for (const std::string& each : names_) all += (all.empty() ? "" : ", ") + each;
    throw UsageError(Message::option(option), " ", in_quotes(name), ": ", records_.name(),
                     " has the columns ", all);
  }

  CsvRecordReader records_;
  TextReading reading_;
  std::vector<std::string> names_;
  std::size_t text_ = 0, label_ = 0;
};

}  // namespace

std::unique_ptr<TextReader> open_brat(const std::string& path, const TextReading& reading) {
  return std::make_unique<BratReader>(path, reading);
}
std::unique_ptr<TextReader> open_brat(LineReader text, LineReader annotations,
                                      const TextReading& reading) {
  return std::make_unique<BratDocument>(std::move(text), std::move(annotations), reading);
}
std::unique_ptr<TextReader> open_csv(LineReader lines, const TextReading& reading) {
  return std::make_unique<CsvTexts>(std::move(lines), reading);
}

}  // namespace croft
