// A token a line: columns as CoNLL has them, and CoNLL-U.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "app/convert/texts/text_readers.h"
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
    if (reading.label_column.empty()) return;
    std::uint64_t number = 0;
    const auto& text = reading.label_column;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size() || number == 0) {
      throw UsageError("--label-column ", in_quotes(text),
                       ": of columns it is a number, from 1 on");
    }
    label_ = number - 1;
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
constexpr std::size_t kWordForm = 1, kUpos = 3;

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
  ConlluRows(LineReader lines, const TextReading& reading) : lines_(std::move(lines)) {
    if (!reading.label_column.empty()) label_ = field_named("label-column", reading.label_column);
    for (const std::string& each : reading.cells) cells_.push_back(field_named("cells", each));
    if (cells_.empty()) cells_.push_back(kWordForm);
  }

  bool next(TextRecord& record) override {
    record = TextRecord();
    bool any = false;
    std::string_view line;
    while (lines_.next(line)) {
      if (is_blank_line(line)) {
        if (any) return true;
        continue;
      }
      require_plain_utf8(line, lines_);
      if (line.front() == '#') {
        read_comment(line, record);
        continue;
      }
      const auto fields = split(line);
      // Words that are written as one (1-2) tell how; words that are not written (8.1) are none.
      if (fields[0].find('.') != std::string_view::npos) continue;
      if (fields[0].find('-') != std::string_view::npos) continue;
      if (!any) start(record);
      any = true;
      add(fields, record);
    }
    return any;
  }

 private:
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
  void add(const std::array<std::string_view, 10>& fields, TextRecord& record) const {
    for (const std::size_t k : cells_) record.cells.emplace_back(fields[k]);
    record.labels->emplace_back(fields[label_]);
    record.lines.push_back(static_cast<std::uint32_t>(lines_.line_number()));
  }

  LineReader lines_;
  std::vector<std::size_t> cells_;
  std::size_t label_ = kUpos;
};

}  // namespace

std::unique_ptr<TextReader> open_columns(LineReader lines, const TextReading& reading) {
  return std::make_unique<ColumnRows>(std::move(lines), reading);
}
std::unique_ptr<TextReader> open_conllu(LineReader lines, const TextReading& reading) {
  return std::make_unique<ConlluRows>(std::move(lines), reading);
}

}  // namespace croft
