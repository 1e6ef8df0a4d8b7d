#include "app/check/labelled_data.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "app/convert/texts/convert_texts.h"
#include "app/label/chunks.h"
#include "app/label/row_reader.h"
#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "data/attributes.h"
#include "data/labelled_text.h"
#include "data/svmlight.h"

namespace croft {
namespace {

std::string row_before_label(const ColumnSequence& rows, std::size_t t) {
  std::string row;
  for (std::size_t c = 0; c + 1 < rows.columns(t); ++c) {
    if (c > 0) row += ' ';
    row += rows.cell(t, c);
  }
  return row;
}

void read_rows(LineReader lines, std::optional<ChunkScheme> spans, const ColumnsForm& form,
               const VisitRows& visit) {
  RowReader reader(std::move(lines), spans, 0, false, false, form);
  ColumnSequence rows;
  std::string line;
  while (reader.next(rows, line)) {
    LabelledRows read{.line = rows.first_line, .lines = rows.lines};
    for (std::size_t t = 0; t < rows.rows(); ++t) {
      if (rows.columns(t) < 2) {
        throw InputError({reader.name(), rows.line_of(t)}, "a row without a label", rows.line(t),
                         "the last column is the label");
      }
      read.words.push_back(row_before_label(rows, t));
      read.labels.emplace_back(rows.cell(t, rows.columns(t) - 1));
    }
    visit(read);
  }
}

void read_attributes(const std::string& path, const VisitRows& visit) {
  AttributesReader reader{LineReader(path)};
  TextSequence sequence;
  AttributeLines lines;
  while (reader.next(sequence, lines)) {
    LabelledRows read{.line = sequence.first_line};
    parse_attributes(lines, path, read.values);
    std::size_t begin = 0;
    for (std::size_t t = 0; t < sequence.length(); ++t) {
      const std::size_t end = lines.text.find('\n', begin);
      const std::string line = lines.text.substr(begin, end - begin);
      const std::size_t tab = line.find('\t');
      read.words.push_back(tab == line.npos ? "" : line.substr(tab + 1));
      read.labels.emplace_back(sequence.labels.item(t));
      begin = end + 1;
    }
    visit(read);
  }
}

void read_texts(LineReader lines, const VisitRows& visit) {
  LabelledTextReader reader(std::move(lines));
  LabelledText text;
  while (reader.next(text)) {
    visit({.line = text.line, .words = {text.text}, .labels = {text.label}});
  }
}

LineReader lines_of(const std::string& path, const LabelledFormat& format) {
  return format.foreign.empty() ? LineReader(path)
                                : foreign_lines(path, format.foreign, format.reading);
}

// Sparse numbers, and rows of tables: there, what is no number is the name of a category.
template <class Reader, class IsNumber>
void read_values(Reader reader, const IsNumber& is_number, const VisitRows& visit) {
  TextSequence sequence;
  while (reader.next(sequence)) {
    LabelledRows read{.line = sequence.first_line};
    const StringLists& items = sequence.node;
    for (std::size_t t = 0; t < sequence.length(); ++t) {
      std::string row;
      for (std::size_t k = items.list_begin(t); k < items.list_end(t); ++k) {
        if (k > items.list_begin(t)) row += kBetweenCells;
        row += items.item(k);
        if (!is_number(items.item(k))) continue;
        row += fmt::format(":{}", items.value(k));
        read.values.append(items.item(k), items.value(k));
      }
      read.values.end_list();
      read.words.push_back(std::move(row));
      read.labels.emplace_back(sequence.labels.item(t));
    }
    visit(read);
  }
}

void read_table(const std::string& path, const CsvColumns& table, const VisitRows& visit) {
  std::set<std::string_view> numeric;
  for (const CsvColumn& column : table.columns) {
    if (column.kind == CsvKind::numeric) numeric.insert(column.name);
  }
  read_values(
      CsvReader(LineReader(path), table),
      [&](std::string_view name) { return numeric.contains(name); }, visit);
}

}  // namespace

void read_labelled(const std::string& path, const LabelledFormat& format, const VisitRows& visit) {
  const std::string& name = format.name;
  if (name == "columns") return read_rows(lines_of(path, format), std::nullopt, format.form, visit);
  if (name == kSpanFormat) return read_rows(lines_of(path, format), ChunkScheme::bio, {}, visit);
  if (name == "attributes") return read_attributes(path, visit);
  if (name == "text") return read_texts(lines_of(path, format), visit);
  if (name == "csv") return read_table(path, format.table, visit);
  if (name == "svmlight") {
    return read_values(
        SvmlightReader(LineReader(path)), [](std::string_view) { return true; }, visit);
  }
  throw std::logic_error("no such format");
}

}  // namespace croft
