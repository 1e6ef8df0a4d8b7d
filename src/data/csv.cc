#include "data/csv.h"

#include <algorithm>
#include <utility>

#include "data/checks.h"

namespace croft {

void CsvRecord::clear() {
  text_.clear();
  cells_.clear();
}

void CsvRecord::end_cell(std::size_t line, std::size_t column) {
  cells_.push_back({text_.size(), line, column});
}

std::string csv_cell(std::string_view text, char delimiter) {
  const auto special = [&](char c) { return c == delimiter || c == '"' || c == '\n' || c == '\r'; };
  const bool plain = std::ranges::none_of(text, special) && !text.starts_with(' ') &&
                     !text.ends_with(' ') && !text.starts_with('\t') && !text.ends_with('\t');
  if (plain) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + "\"";
}

CsvRecordReader::CsvRecordReader(LineReader lines, char delimiter)
    : lines_(std::move(lines)), delimiter_(delimiter) {
  if (delimiter == kByName) delimiter_ = delimiter_by_name();
}

char CsvRecordReader::delimiter_by_name() const { return name().ends_with(".tsv") ? '\t' : ','; }

void CsvRecordReader::split_by_name(CsvRecord& header) {
  const std::string text(header[0]);
  if (header.size() > 1 || text.find(delimiter_by_name()) == text.npos) return;
  delimiter_ = delimiter_by_name();
  header.clear();
  for (std::size_t at = 0; at <= text.size(); ++at) at = read_plain(text, at, header);
}

bool CsvRecordReader::next_line(std::string_view& line) {
  if (!lines_.next(line)) return false;
  require_plain_text(line, lines_);
  return true;
}

bool CsvRecordReader::next(CsvRecord& record) {
  record.clear();
  std::string_view line;
  do {
    if (!next_line(line)) return false;
  } while (line.empty() && !empty_lines_);
  for (std::size_t at = 0;; ++at) {
    const bool quoted = at < line.size() && line[at] == '"';
    at = quoted ? read_quoted(line, at, record) : read_plain(line, at, record);
    if (at < line.size()) continue;
    lines_.mark_given();
    return true;
  }
}

// Both return where the delimiter behind the cell is, or the end of the line.

std::size_t CsvRecordReader::read_plain(std::string_view line, std::size_t at,
                                        CsvRecord& record) const {
  const std::size_t end = std::min(line.find(delimiter_, at), line.size());
  const std::string_view cell = line.substr(at, end - at);
  if (const std::size_t quote = cell.find('"'); quote != cell.npos) {
    throw InputError(lines_.location(at + quote + 1), "a quote inside a cell without quotes", cell,
                     "put the whole cell in quotes, and write \"\" for a quote in it");
  }
  record.bytes() += cell;
  record.end_cell(lines_.line_number(), at + 1);
  return end;
}

// `line` becomes the one that the cell ends in.
std::size_t CsvRecordReader::read_quoted(std::string_view& line, std::size_t at,
                                         CsvRecord& record) {
  const Location begin = lines_.location(at + 1);
  const std::string first(line.substr(at));
  for (++at;;) {
    const std::size_t quote = line.find('"', at);
    record.bytes() += line.substr(at, quote == line.npos ? line.npos : quote - at);
    if (quote == line.npos) {
      record.bytes() += '\n';
      at = 0;
      if (next_line(line)) continue;
      throw InputError(begin, "a quote that is never closed", first,
                       "close it before the next cell, and write \"\" for a quote in a cell");
    }
    at = quote + 1;
    if (at == line.size() || line[at] == delimiter_) break;
    if (line[at] != '"') {
      throw InputError(lines_.location(at + 1), "text behind a closing quote", line.substr(quote),
                       "put the whole cell in quotes, and write \"\" for a quote in it");
    }
    record.bytes() += '"';
    ++at;
  }
  record.end_cell(begin.line, begin.column);
  return at;
}

}  // namespace croft
