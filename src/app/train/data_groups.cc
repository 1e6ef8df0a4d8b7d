#include "app/train/data_groups.h"

#include <algorithm>
#include <functional>
#include <map>

#include "app/label/documents.h"
#include "core/json.h"
#include "data/csv.h"

namespace croft {
namespace {

constexpr std::string_view kBetweenCells = " \t";

std::string_view first_line(std::string_view block) {
  std::string_view line = block.substr(0, block.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Cell `column` of the first row; none: the row is shorter.
std::optional<std::string_view> cell_of(std::string_view block, std::size_t column) {
  std::string_view row = first_line(block);
  for (std::size_t k = 0;; ++k) {
    row.remove_prefix(std::min(row.find_first_not_of(kBetweenCells), row.size()));
    const std::string_view cell = row.substr(0, row.find_first_of(kBetweenCells));
    if (cell.empty()) return {};
    if (k == column) return cell;
    row.remove_prefix(cell.size());
  }
}

// Blocks of the same value are a group.
std::vector<std::size_t> group_by_value(
    const DataBlocks& data, const std::function<std::string(std::size_t block)>& value) {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> groups;
  for (std::size_t k = 0; k < data.blocks.size(); ++k) {
    groups.push_back(known.try_emplace(value(k), known.size()).first->second);
  }
  return groups;
}

// A group goes on until a block begins the next one, or a file does.
std::vector<std::size_t> group_by_start(const DataBlocks& data,
                                        const std::function<bool(std::size_t block)>& begins) {
  std::vector<std::size_t> groups;
  auto file = data.files.begin();
  for (std::size_t k = 0; k < data.blocks.size(); ++k) {
    const bool first = file != data.files.end() && file->first == k;
    if (first) ++file;
    groups.push_back(k == 0 ? 0 : groups.back() + (first || begins(k) ? 1 : 0));
  }
  return groups;
}

std::vector<std::size_t> group_by_blank_lines(const DataBlocks& data) {
  const std::vector<std::size_t> first = data.line_begin();
  const std::size_t between = data.blank_lines ? 1 : 0;      // sequences of one group
  std::vector<std::size_t> skipped(data.blocks.size() + 1);  // lines before each, which are no gap
  for (const DataBlocks::Ignored& each : data.ignored) {
    if (each.next > 0 && each.where.line > data.lines[first[each.next] - 1]) ++skipped[each.next];
  }
  return group_by_start(data, [&](std::size_t k) {
    return data.lines[first[k]] - data.lines[first[k] - 1] > between + 1 + skipped[k];
  });
}

std::vector<std::size_t> group_by_column(const DataBlocks& data, std::size_t column) {
  return group_by_value(data, [&](std::size_t k) {
    const std::optional<std::string_view> cell = cell_of(data.blocks[k], column);
    if (cell) return std::string(*cell);
    throw InputError(data.first_line(k),
                     Message("--group-by ", column, ": no column of this number"),
                     first_line(data.blocks[k]), "columns are counted from 0");
  });
}

// The mark may stand in a sequence of its own, or in a line that is left out.
std::vector<std::size_t> group_by_marker(const DataBlocks& data, const std::string& marker) {
  std::vector<bool> marked(data.blocks.size() + 1);
  for (const DataBlocks::Ignored& each : data.ignored) {
    if (begins_with_cells(each.line, marker)) marked[each.next] = true;
  }
  for (std::size_t k = 0; k < data.blocks.size(); ++k) {
    if (cell_of(data.blocks[k], 0) == marker) marked[k] = true;
  }
  if (std::ranges::find(marked, true) == marked.end()) {
    throw UsageError("--group-by ", marker,
                     ": no sequence of the data begins with this cell; give the mark of its "
                     "documents, in one piece, the number of a column, or blank-lines");
  }
  return group_by_start(data, [&](std::size_t k) { return marked[k]; });
}

CsvRecord record_of(const std::string& text, char delimiter, const std::string& file) {
  CsvRecordReader reader(LineReader(text, file), delimiter);
  CsvRecord record;
  reader.next(record);
  return record;
}

std::size_t column_named(const std::string& name, const DataBlocks::File& file, char delimiter) {
  const CsvRecord names = record_of(file.header, delimiter, file.name);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == name) return k;
  }
  throw UsageError("--group-by ", name, ": the table has no column of this name");
}

std::vector<std::size_t> group_by_cell(const DataBlocks& data, const std::string& name,
                                       char delimiter) {
  std::vector<std::size_t> column;  // [blocks] files may have their columns in other orders
  for (std::size_t f = 0; f < data.files.size(); ++f) {
    const bool last = f + 1 == data.files.size();
    const std::size_t end = last ? data.blocks.size() : data.files[f + 1].first;
    if (end > column.size()) column.resize(end, column_named(name, data.files[f], delimiter));
  }
  return group_by_value(data, [&](std::size_t k) {
    const CsvRecord record = record_of(data.blocks[k], delimiter, data.file_of(k).name);
    if (column[k] < record.size()) return std::string(record[column[k]]);
    throw InputError(data.first_line(k), Message("--group-by ", name, ": the row has no such cell"),
                     first_line(data.blocks[k]), "give a row as many cells as there are names");
  });
}

std::vector<std::size_t> group_by_key(const DataBlocks& data, const std::string& key) {
  return group_by_value(data, [&](std::size_t k) {
    const Json line = parse_json_or_null(first_line(data.blocks[k]));
    const Json* const value = line.is_object() ? line.get_if(key) : nullptr;
    if (value != nullptr) return value->dump(-1, InvalidUtf8::replace);
    throw InputError(data.first_line(k), Message("--group-by ", key, ": the line has no such key"),
                     first_line(data.blocks[k]),
                     "give every line the key, or leave --group-by out");
  });
}

}  // namespace

std::vector<std::size_t> group_by(const std::string& by, const DataBlocks& data,
                                  const BlockForm& form) {
  if (by.empty()) return {};
  if (by == kBlankLines && !form.spans && (form.format == InputFormat::text || data.blank_lines)) {
    return group_by_blank_lines(data);
  }
  if (form.spans) return group_by_key(data, by);
  if (form.format == InputFormat::csv) return group_by_cell(data, by, form.delimiter);
  if (form.format == InputFormat::columns) {
    const std::optional<std::size_t> column = DocumentRule(by).column();
    return column ? group_by_column(data, *column) : group_by_marker(data, by);
  }
  if (form.format == InputFormat::svmlight) {
    throw UsageError("--group-by ", by,
                     ": rows of one qid are one sequence already; this format has no other groups");
  }
  throw UsageError("--group-by ", by, ": this format has no groups but those of blank-lines");
}

std::vector<std::vector<std::size_t>> members_of(std::span<const std::size_t> groups,
                                                 std::size_t sequences) {
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t n = 0; n < sequences; ++n) {
    const std::size_t group = groups.empty() ? n : groups[n];
    if (group >= members.size()) members.resize(group + 1);
    members[group].push_back(n);
  }
  return members;
}

std::optional<Location> document_mark(const DataBlocks& data) {
  for (const DataBlocks::Ignored& each : data.ignored) {
    if (cell_of(each.line, 0) == kDocumentMark) return each.where;
  }
  for (std::size_t k = 0; k < data.blocks.size(); ++k) {
    if (cell_of(data.blocks[k], 0) == kDocumentMark) return data.first_line(k);
  }
  return std::nullopt;
}

std::string ungrouped_warning(const Location& mark, std::string_view apart) {
  return Message(place_of(mark), ": a mark of documents, ", kDocumentMark,
                 ": sentences of one document may be ", apart,
                 ", and scores are then too good; --group-by ", kDocumentMark,
                 " keeps documents whole")
      .text();
}

}  // namespace croft
