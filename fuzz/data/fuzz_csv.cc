// Any bytes as a table, whose first byte says how it is read: an InputError, or records that read
// back equal when written again; and rows by columns that were found in the same bytes, with an
// attribute for every cell that is not missing.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "data/csv.h"
#include "data/csv_table.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_csv {

namespace {

// Every cell in quotes.
std::string rewritten(std::string_view text, char delimiter) {
  croft::CsvRecordReader reader(croft::LineReader(text, "fuzz"), delimiter);
  croft::CsvRecord record;
  std::string out;
  while (reader.next(record)) {
    require(record.size() > 0 && record.line() > 0, "a record without cells");
    for (std::size_t k = 0; k < record.size(); ++k) {
      if (k > 0) out += delimiter;
      out += '"';
      for (const char c : record[k]) out.append(c == '"' ? 2 : 1, c);
      out += '"';
    }
    out += '\n';
  }
  return out;
}

// Those of columns that are attributes, and that are not missing.
std::size_t cells_that_say_something(std::string_view text, const croft::CsvOptions& options,
                                     const croft::CsvColumns& columns) {
  croft::CsvRecordReader reader(croft::LineReader(text, "fuzz"), options.delimiter);
  croft::CsvRecord header, record;
  std::size_t count = 0;
  if (!reader.next(header)) return 0;
  while (reader.next(record)) {
    for (std::size_t k = 0; k < record.size(); ++k) {
      std::string_view cell = record[k];
      cell.remove_prefix(std::min(cell.find_first_not_of(" \t"), cell.size()));
      while (cell.ends_with(' ') || cell.ends_with('\t')) cell.remove_suffix(1);
      const bool missing = cell.empty() || std::ranges::count(options.missing, cell) > 0;
      count += header[k] != columns.label && !missing;
    }
  }
  return count;
}

void read_table(std::string_view text, const croft::CsvOptions& options) {
  croft::CsvColumnFinder finder(options);
  finder.read(croft::LineReader(text, "fuzz"));
  const croft::CsvColumns columns = finder.columns();
  croft::CsvReader reader(croft::LineReader(text, "fuzz"), columns);
  croft::TextSequence row;
  std::size_t items = 0;
  while (reader.next(row)) {
    items += row.node.items();
    require(row.length() == 1 && row.has_labels(), "a row that is no labelled position");
    require(row.node.items() <= columns.columns.size(), "more attributes than columns");
    for (std::size_t k = 0; k < row.node.items(); ++k) {
      require(!row.node.item(k).empty(), "an attribute without a name");
    }
  }
  require(items == cells_that_say_something(text, options, columns), "a cell is lost");
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_csv) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  croft::CsvOptions options;
  options.delimiter = ",\t;"[data[0] % 3];
  options.standardise = (data[0] & 4) != 0;
  if ((data[0] & 8) != 0) options.missing = {"NA", "?"};
  std::string once;
  bool read = true;
  try {
    once = rewritten(text, options.delimiter);
  } catch (const croft::InputError&) {
    read = false;
  }
  if (read) require(rewritten(once, options.delimiter) == once, "not the same again");
  try {
    read_table(text, options);
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_csv
