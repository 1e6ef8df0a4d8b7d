// Documents: BRAT's texts with annotations beside them, and tables with a column of texts.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <set>
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

// FILE.txt or FILE.ann: both; a folder: all of its pairs, by their names.
std::vector<fs::path> documents_of(const std::string& path) {
  if (path == "-") throw UsageError("brat: a text and its annotations are files: give their name");
  std::vector<fs::path> out;
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    for (fs::directory_iterator entry(path, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      const fs::path& file = entry->path();
      if (file.extension() == ".txt") out.push_back(file);
      std::error_code none;
      if (file.extension() != ".ann" ||
          fs::exists(fs::path(file).replace_extension(".txt"), none)) {
        continue;
      }
      throw Error(file.string(), ": annotations without their text, a .txt of the same name");
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
    while (line_ < lines_.size()) {
      const TextPlace& line = lines_[line_++];
      if (read_line(line, record)) return true;
    }
    return false;
  }

 private:
  // Characters [begin, end) of the text, as a line says.
  struct Annotation {
    std::size_t line_number = 0;
    std::string line, label, covered;
    std::size_t begin = 0, end = 0;
  };

  // The file as it stands: offsets are of its characters, those that end lines included.
  void read_text(LineReader& lines) {
    lines.keep_given();
    std::string_view line;
    while (lines.next(line)) {
      require_plain_utf8(line, lines);
      lines.mark_given();
    }
    GivenLines given;
    lines.take_given(std::numeric_limits<std::size_t>::max(), given);
    text_ = std::move(given.text);
    for (const GivenLines::Line& each : given.marked) lines_.push_back({each.begin, each.end});
  }

  bool read_line(const TextPlace& line, TextRecord& record) {
    record = TextRecord();
    record.where = {name_, line_};
    record.text = text_.substr(line.begin, line.end - line.begin);
    cut(*reading_.tokenizer, record);
    if (record.places.empty()) return false;
    while (counted_ < line.begin) {
      counted_ += decode(text_, counted_).size;
      ++characters_;
    }
    record.rest["document"] = fs::path(name_).stem().string();
    record.rest["start"] = characters_;
    std::vector<CharacterSpan> spans;
    for (; next_ < annotations_.size() && annotations_[next_].begin < line.end; ++next_) {
      const CharacterSpan& each = annotations_[next_];
      spans.push_back({each.begin - line.begin, each.end - line.begin, each.label});
    }
    set_spans(std::move(spans), reading_.misaligned, changed_, record);
    return true;
  }

  void read_annotations(LineReader& lines) {
    std::vector<Annotation> all;
    std::set<std::string> ids;
    std::string_view line;
    while (lines.next(line)) {
      require_plain_utf8(line, lines);
      if (line.find_first_not_of(kBlanks) == line.npos || line.front() == '#') continue;
      if (is_of_another_kind(line)) {
        changed_.leave_out("annotation that is no span (a relation, an event or the like)",
                           "annotations that are no spans (relations, events and the like)");
        continue;
      }
      all.push_back(read_annotation(lines, line));
      if (ids.insert(std::string(line.substr(0, line.find('\t')))).second) continue;
      throw InputError(lines.location(), "an annotation whose number was there before", line,
                       "give each its own number");
    }
    // As BRAT counts; as others do where that alone fits all of them.
    CharacterPlaces places(text_);
    const auto fit = [&](const CharacterPlaces& counted) {
      return std::ranges::all_of(all, [&](const Annotation& each) { return fits(each, counted); });
    };
    if (!fit(places)) {
      CharacterPlaces of_lines = CharacterPlaces::of_lines(text_);
      if (fit(of_lines)) places = std::move(of_lines);
    }
    for (const Annotation& each : all) add(each, places, {lines.name(), each.line_number});
    std::ranges::stable_sort(annotations_, {}, &CharacterSpan::begin);
  }

  // Relations, events, attributes (also M), references to other data, equivalences.
  static bool is_of_another_kind(std::string_view line) {
    const std::size_t end = line.find('\t');
    return std::string_view("REAMN*").find(line.front()) != std::string_view::npos &&
           end != line.npos && line.substr(0, end).find(' ') == std::string_view::npos;
  }

  // T1 TAB LABEL BEGIN END TAB TEXT
  static Annotation read_annotation(const LineReader& lines, std::string_view line) {
    const auto fail = [&](std::string_view problem, std::string_view remedy) {
      throw InputError(lines.location(), Message(std::string(problem)), line,
                       Message(std::string(remedy)));
    };
    constexpr std::string_view kForm =
        "one of a span is T1 TAB LABEL BEGIN END TAB TEXT; others begin with R, E, A, M, N, * or #";
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (line.front() != 'T' || first == line.npos || second == line.npos) {
      fail("a line that is no annotation", kForm);
    }
    const std::string_view middle = line.substr(first + 1, second - first - 1);
    const std::size_t blank = middle.find(' '), last = middle.find(' ', blank + 1);
    if (blank == middle.npos || last == middle.npos || blank == 0) {
      fail("a line that is no annotation", kForm);
    }
    if (middle.find(';', blank) != middle.npos) {
      fail("an annotation in several pieces", "a span is one piece: leave it out or join it");
    }
    Annotation out{lines.line_number(), std::string(line), std::string(middle.substr(0, blank)),
                   std::string(line.substr(second + 1))};
    const auto number = [&](std::string_view text, std::size_t& to) {
      const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), to);
      if (fault != std::errc() || stop != text.data() + text.size()) {
        fail("an annotation whose offsets are no numbers", kForm);
      }
    };
    number(middle.substr(blank + 1, last - blank - 1), out.begin);
    number(middle.substr(last + 1), out.end);
    return out;
  }

  std::string_view covered_by(const Annotation& one, const CharacterPlaces& places) const {
    const std::size_t begin = places.byte(one.begin);
    return std::string_view(text_).substr(begin, places.byte(one.end) - begin);
  }
  bool fits(const Annotation& one, const CharacterPlaces& places) const {
    return one.begin < one.end && one.end <= places.size() &&
           covered_by(one, places) == one.covered;
  }

  void add(const Annotation& one, const CharacterPlaces& places, const Location& where) {
    const auto fail = [&](const Message& problem, std::string_view remedy) {
      throw InputError(where, problem, one.line, Message(std::string(remedy)));
    };
    if (one.begin >= one.end || one.end > places.size()) {
      fail("an annotation that is empty or lies behind its text", "correct its offsets");
    }
    const std::string_view shown = covered_by(one, places);
    if (without_line_ends(std::string(shown)) != without_line_ends(one.covered)) {
      fail("an annotation whose text is not what stands at its offsets, " + in_quotes(shown),
           "offsets count the characters of the text as it stands: a carriage return and a "
           "newline are two, a byte order mark is one");
    }
    if (shown.find('\n') != shown.npos) {
      fail("an annotation that goes over a line end",
           "a sequence is a line of the text: put it into one line");
    }
    if (is_blank_text(shown)) {
      if (reading_.misaligned != Misaligned::drop) {
        fail("an annotation of blanks alone", "leave it out, or say --misaligned drop");
      }
      changed_.add(place_of(where) + ": " + one.covered + " (" + one.label + ")");
      return;
    }
    annotations_.push_back({places.byte(one.begin), places.byte(one.end), one.label});
  }

  std::string name_, text_;
  std::vector<TextPlace> lines_;  // of the text, without what ends them
  TextReading reading_;
  std::size_t line_ = 0;                      // of these, the next one
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
      LineReader text(path.string());  // first: what is wrong with it is said first
      document_ = open_brat(
          std::move(text), LineReader(fs::path(path).replace_extension(".ann").string()), reading_);
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
      throw UsageError("--from csv needs ", Message::option("text-column"),
                       ": the name of the column that has the texts");
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
    label_ = label_column();
    if (label_ == text_) {
      throw UsageError("the column ", in_quotes(names_[text_]),
                       " cannot be the texts and their labels");
    }
    return true;
  }
  // The place of a column, and the number of columns where there is none.
  std::size_t place_of(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  }
  std::size_t label_column() const {
    const std::string& name = reading_.label_column;
    if (reading_.labels == TableLabels::named) {
      return name.empty() ? names_.size() : column("label-column", name);
    }
    std::size_t place = name.empty() ? names_.size() : place_of(name);
    for (const std::string_view usual : {"label", "Label", "class", "Class"}) {
      if (name.empty() && place == names_.size()) place = place_of(usual);
    }
    if (place != names_.size() || reading_.labels == TableLabels::if_there) return place;
    if (!name.empty()) fail(Message("no column ", in_quotes(name), " of labels"));
    fail("no column is called label or class, and training was told of no other one by --label");
  }
  std::size_t column(std::string_view option, const std::string& name) const {
    const std::size_t place = place_of(name);
    if (place == names_.size()) fail(Message(Message::option(option), " ", in_quotes(name)));
    return place;
  }
  [[noreturn]] void fail(const Message& problem) const {
    std::string all;
    for (const std::string& each : names_) all += (all.empty() ? "" : ", ") + each;
    throw UsageError(problem, ": ", records_.name(),
                     names_.size() == 1
                         ? Message(" has one column, ", all,
                                   "; --delimiter of train and convert says what is between "
                                   "cells")
                         : Message(" has the columns ", all));
  }

  CsvRecordReader records_;
  TextReading reading_;
  std::vector<std::string> names_;
  std::size_t text_ = 0, label_ = 0;
};

}  // namespace

std::vector<std::string> files_of_brat(const std::string& path) {
  std::vector<std::string> files;
  for (fs::path each : documents_of(path)) {
    files.push_back(each.string());
    files.push_back(each.replace_extension(".ann").string());
  }
  return files;
}

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
