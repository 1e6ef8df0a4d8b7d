// A token a line: columns as CoNLL has them, and CoNLL-U.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "app/convert/texts/text_readers.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "data/checks.h"
#include "data/columns.h"

namespace croft {
namespace {

bool is_blank_line(std::string_view line) { return line.find_first_not_of(kBlanks) == line.npos; }

class ColumnRows final : public TextReader {
 public:
  ColumnRows(LineReader lines, const TextReading& reading)
      : lines_(std::move(lines)), unlabelled_(reading.unlabelled) {
    skip_lines(reading.ignore_lines, lines_);
    if (!reading.label_column.empty()) label_ = column_number(reading.label_column) - 1;
  }

  bool next(TextRecord& record) override {
    record = TextRecord();
    record.columns = 0;
    ColumnSequence row;
    std::string_view line;
    while (lines_.next(line)) {
      if (is_blank_line(line)) {
        if (record.columns > 0) return true;
        continue;
      }
      require_plain_utf8(line, lines_);
      row.clear();
      row.append_row(line);
      if (line.front() == ' ' || line.front() == '\t') {
        throw InputError(lines_.location(), "a row that starts with a blank", line,
                         "write a placeholder such as _ for an empty cell");
      }
      add_row(row, line, record);
    }
    return record.columns > 0;
  }

 private:
  void add_row(const ColumnSequence& row, std::string_view line, TextRecord& record) {
    const std::size_t cells = row.columns(0);
    if (width_ == 0) width_ = cells;
    const std::size_t label = label_.value_or(width_ - 1);
    if (cells != width_ || label >= cells || (!unlabelled_ && cells < 2)) {
      throw InputError(lines_.location(),
                       cells != width_  ? Message("a row with another number of columns")
                       : label >= cells ? Message("a row without the column of --label-column")
                                        : Message("a row with one column: there is no label"),
                       line, "give all rows the same columns, or say --unlabelled");
    }
    if (record.columns == 0) {
      record.where = lines_.location();
      record.columns = unlabelled_ ? cells : cells - 1;
      if (!unlabelled_) record.labels.emplace();
    }
    for (std::size_t k = 0; k < cells; ++k) {
      if (!unlabelled_ && k == label) {
        record.labels->emplace_back(row.cell(0, k));
      } else {
        record.cells.emplace_back(row.cell(0, k));
      }
    }
  }

  LineReader lines_;
  std::optional<std::size_t> label_;  // from 0; none: the last one
  bool unlabelled_;
  std::size_t width_ = 0;
};

// --- CoNLL-U

constexpr std::array<std::string_view, 10> kFields{"id",    "form", "lemma",  "upos", "xpos",
                                                   "feats", "head", "deprel", "deps", "misc"};
constexpr std::size_t kWordForm = 1, kUpos = 3, kHead = 6, kDeprel = 7;

// True if `_` in the column says that nobody has labelled the word.  In others it may also say that
// the word has none of what the column is about.
constexpr bool is_of_every_word(std::size_t field) {
  return field == kUpos || field == kHead || field == kDeprel;
}

std::size_t field_named(std::string_view option, std::string_view name) {
  const auto found = std::ranges::find(kFields, name);
  if (found != kFields.end() && found != kFields.begin()) {
    return static_cast<std::size_t>(found - kFields.begin());
  }
  std::string names;
  for (std::size_t k = 1; k < kFields.size(); ++k) {
    names += (names.empty() ? "" : ", ") + std::string(kFields[k]);
  }
  throw UsageError(Message::option(option), " ", in_quotes(name), ": CoNLL-U has the columns ",
                   names);
}

// Words: by default their forms, labelled by their part of speech.
class ConlluRows final : public TextReader {
 public:
  ConlluRows(LineReader lines, const TextReading& reading)
      : lines_(std::move(lines)),
        needs_labels_(reading.labels == TableLabels::needed),
        takes_any_(reading.labels == TableLabels::if_there) {
    if (!reading.label_column.empty()) label_ = field_named("label-column", reading.label_column);
    for (const std::string& each : reading.cells) cells_.push_back(field_named("cells", each));
    if (cells_.empty()) cells_.push_back(kWordForm);
  }

  bool next(TextRecord& record) override {
    record = TextRecord();
    words_ = 0;
    joined_ = Joined();
    unlabelled_.clear();
    std::string_view line;
    while (lines_.next(line)) {
      if (is_blank_line(line)) {
        end(record);
        if (words_ > 0) return true;
        continue;
      }
      require_plain_utf8(line, lines_);
      if (line.front() == '#') {
        read_comment(line, record);
        continue;
      }
      const auto fields = split(line);
      if (!is_word(fields[0], line)) continue;
      if (words_ == 0) start(record);
      ++words_;
      add(fields, record);
    }
    end(record);
    if (words_ == 0 && needs_labels_ && any_words_ && !any_value_) {
      throw InputError(
          {lines_.name()},
          "every word has _ as its " + std::string(kFields[label_]) + ", which says nothing", "",
          {Message::option("label-column"), " names the column of the labels"});
    }
    return words_ > 0;
  }

 private:
  // Several words that are written as one, such as 1-2.
  struct Joined {
    std::size_t first = 0, last = 0;  // their numbers
    Location where{};
    std::string line{};
  };

  // True if the ID is that of the next word.  Otherwise it is of words that are written as one
  // (1-2) or of a word that is not written (8.1), neither of which is a word.
  bool is_word(std::string_view id, std::string_view line) {
    const std::size_t sign = id.find_first_of("-.");
    const bool word = sign == id.npos;
    const std::size_t first = number(id.substr(0, sign), line);
    const std::size_t second = word ? 0 : number(id.substr(sign + 1), line);
    const std::size_t expected = words_ + (!word && id[sign] == '.' ? 0 : 1);
    if (first != expected) {
      throw InputError(
          lines_.location(),
          "the ID " + std::string(id) + " where " + std::to_string(expected) + " comes next", line,
          "the words of a sentence are numbered 1, 2, 3, and an empty line ends it");
    }
    if (word || id[sign] == '.') return word;
    if (second < first || first <= joined_.last) {
      throw InputError(lines_.location(),
                       second < first ? Message("a range of words that ends before it begins")
                                      : Message("two ranges of words that overlap"),
                       line, "write FIRST-LAST before the words that are written as one");
    }
    joined_ = {first, second, lines_.location(), std::string(line)};
    return false;
  }
  std::size_t number(std::string_view text, std::string_view line) const {
    std::size_t out = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (fault == std::errc() && end == text.data() + text.size()) return out;
    throw InputError(lines_.location(), "an ID that is no number", line,
                     "a word begins with its number in the sentence, 1-2 or 8.1; a line that names "
                     "the columns is to be left out");
  }
  // Looks at the whole of a sentence.
  void end(TextRecord& record) {
    if (joined_.last > words_) {
      throw InputError(joined_.where,
                       "a range of words up to " + std::to_string(joined_.last) +
                           " in a sentence of " + counted(words_, "word"),
                       joined_.line, "give the words of the range their own lines below it");
    }
    if (words_ == 0) return;
    if (takes_any_) {
      // Rows are as wide as those of the first sentence: _ stands where a label is not known.
      if (!gives_labels_) gives_labels_ = unlabelled_.size() < words_;
      if (!*gives_labels_) record.labels.reset();
      return;
    }
    if (unlabelled_.empty()) return;
    if (unlabelled_.size() == words_) {
      record.labels.reset();
      return;
    }
    throw InputError({lines_.name(), record.lines[unlabelled_.front()]},
                     "a word without " + std::string(kFields[label_]) +
                         ", in a sentence in which others have it",
                     record.cells[unlabelled_.front() * record.columns],
                     "_ says that nothing is known: label all words of a sentence, or none");
  }
  void start(TextRecord& record) const {
    record.where = lines_.location();
    record.columns = cells_.size();
    record.labels.emplace();
  }
  static void read_comment(std::string_view line, TextRecord& record) {
    const std::size_t equal = line.find(" = ");
    if (equal == line.npos) return;
    std::string_view key = line.substr(1, equal - 1);
    key.remove_prefix(std::min(key.find_first_not_of(' '), key.size()));
    if (key == "sent_id" || key == "newdoc id") {
      record.rest[key] = std::string(line.substr(equal + 3));
    }
  }
  std::array<std::string_view, 10> split(std::string_view line) const {
    std::array<std::string_view, 10> out;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t end = k + 1 < out.size() ? line.find('\t', begin) : line.size();
      if (end == line.npos || end == begin) {
        throw InputError(lines_.location(), "a line that is not one of CoNLL-U", line,
                         "a word has ten fields, with a TAB between them, none of them empty");
      }
      out[k] = line.substr(begin, end - begin);
      begin = end + 1;
    }
    if (out[9].find('\t') == std::string_view::npos) return out;
    throw InputError(lines_.location(), "a line with more than ten fields", line,
                     "CoNLL-U has ten, with a TAB between them");
  }
  void add(const std::array<std::string_view, 10>& fields, TextRecord& record) {
    for (const std::size_t k : cells_) record.cells.emplace_back(fields[k]);
    const bool value = fields[label_] != "_";
    any_words_ = true;
    any_value_ = any_value_ || value;
    if (!value && is_of_every_word(label_)) unlabelled_.push_back(words_ - 1);
    record.labels->emplace_back(fields[label_]);
    record.lines.push_back(static_cast<std::uint32_t>(lines_.line_number()));
  }

  LineReader lines_;
  std::vector<std::size_t> cells_;
  std::size_t label_ = kUpos;
  bool needs_labels_, takes_any_;
  std::optional<bool> gives_labels_;            // the first sentence decides, if takes_any_
  bool any_words_ = false, any_value_ = false;  // of the file: a word, a label that is not _
  std::size_t words_ = 0;                       // of the sentence
  Joined joined_;                               // the last ones
  std::vector<std::size_t> unlabelled_;         // words of the sentence, from 0
};

}  // namespace

std::unique_ptr<TextReader> open_columns(LineReader lines, const TextReading& reading) {
  return std::make_unique<ColumnRows>(std::move(lines), reading);
}
std::unique_ptr<TextReader> open_conllu(LineReader lines, const TextReading& reading) {
  return std::make_unique<ConlluRows>(std::move(lines), reading);
}

}  // namespace croft
