#include "app/train/data_blocks.h"

#include <algorithm>
#include <iterator>

#include "croft/core/error.h"
#include "data/checks.h"

namespace croft {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

// A reader takes one CR from the end of a line: one that still ends in CR gets it back.
void append_line(std::string_view line, std::string& block) {
  block.append(line).append(line.ends_with('\r') ? "\r\n" : "\n");
}

// To the last block, and where it stands.
void append_line(const LineReader& lines, std::string_view line, DataBlocks& data) {
  append_line(line, data.blocks.back());
  data.lines.push_back(lines.line_number());
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// Sequences between blank lines; a directive is a part of the one below it.
void read_lists(LineReader& lines, InputFormat format, DataBlocks& data) {
  bool open = false;
  for (std::string_view line; lines.next(line);) {
    if (is_gap(line, format)) {
      open = false;
      continue;
    }
    if (!open) data.blocks.emplace_back();
    append_line(lines, line, data);
    open = true;
  }
}

// Every line that has more than blanks.
void read_lines(LineReader& lines, std::string_view blanks, DataBlocks& data) {
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(blanks) == line.npos) continue;
    data.blocks.emplace_back();
    append_line(lines, line, data);
  }
}

void read_rows(LineReader& lines, DataBlocks& data) {
  std::string group;
  for (std::string_view line; lines.next(line);) {
    if (is_gap(line, InputFormat::svmlight)) continue;
    const std::string_view own = group_of_row(line);
    if (own.empty() || own != group) data.blocks.emplace_back();
    append_line(lines, line, data);
    group = own;
  }
}

// A record goes on over line ends while a quote is open.
void read_records(LineReader& lines, DataBlocks& data) {
  std::string& header = data.files.back().header;
  std::string record;
  std::vector<std::size_t> at;  // its lines
  std::size_t quotes = 0;
  for (std::string_view line; lines.next(line);) {
    if (record.empty() && line.empty()) continue;
    append_line(line, record);
    at.push_back(lines.line_number());
    quotes += static_cast<std::size_t>(std::ranges::count(line, '"'));
    if (quotes % 2 != 0) continue;
    if (header.empty()) {
      header = record;
    } else {
      data.blocks.push_back(record);
      data.lines.insert(data.lines.end(), at.begin(), at.end());
    }
    record.clear();
    at.clear();
    quotes = 0;
  }
  if (record.empty()) return;
  data.blocks.push_back(record);  // the reader will say what is wrong with it
  data.lines.insert(data.lines.end(), at.begin(), at.end());
}

}  // namespace

bool is_gap(std::string_view line, InputFormat format) {
  if (format == InputFormat::attributes) return line.empty();
  return is_blank(line) ||
         (format == InputFormat::svmlight && line[line.find_first_not_of(" \t")] == '#');
}

// The second field of a row, where it is a qid.
std::string_view group_of_row(std::string_view row) {
  constexpr std::string_view kBetweenFields = " \t";
  for (int field = 0; field < 2; ++field) {
    row.remove_prefix(std::min(row.find_first_not_of(kBetweenFields), row.size()));
    const std::string_view text = row.substr(0, row.find_first_of(kBetweenFields));
    if (text.starts_with("qid:")) return text.substr(0, text.find('#'));  // a comment
    row.remove_prefix(text.size());
  }
  return {};
}

const DataBlocks::File& DataBlocks::file_of(std::size_t block) const {
  return *std::prev(std::ranges::upper_bound(files, block, {}, &File::first));
}

std::vector<std::size_t> DataBlocks::line_begin() const {
  std::vector<std::size_t> begin(1, 0);
  for (const std::string& block : blocks) begin.push_back(begin.back() + count_lines(block));
  return begin;
}

Location DataBlocks::first_line(std::size_t block) const {
  return {file_of(block).name, lines[line_begin()[block]]};
}

std::string DataBlocks::text(std::span<const std::size_t> which) const {
  std::string out = header();
  for (const std::size_t k : which) {
    out += blocks[k];
    if (blank_lines) out += "\n";
  }
  return out;
}

Location DataBlocks::origin(std::span<const std::size_t> which, std::size_t line) const {
  const std::size_t names = count_lines(header());
  if (line <= names || which.empty()) return {files.front().name, line};
  const std::vector<std::size_t> first = line_begin();
  std::size_t before = names, block = which.front(), at = 0;
  for (const std::size_t k : which) {
    const std::size_t length = first[k + 1] - first[k];
    block = k;
    at = std::min(line - before, length);
    before += length + (blank_lines ? 1 : 0);
    if (line <= before) break;
  }
  return {file_of(block).name, lines[first[block] + at - 1]};
}

std::size_t append_blocks(LineReader& lines, const BlockForm& form, DataBlocks& data) {
  const std::size_t before = data.blocks.size();
  if (form.format == InputFormat::columns) {
    skip_lines(form.ignored, lines, [&](std::string_view line) {
      data.ignored.push_back(
          {data.blocks.size(), {lines.name(), lines.line_number()}, std::string(line)});
    });
  }
  data.files.push_back({before, lines.name()});
  data.blank_lines = form.format == InputFormat::columns || form.format == InputFormat::attributes;
  switch (form.format) {
    case InputFormat::columns:
    case InputFormat::attributes:
      read_lists(lines, form.format, data);
      break;
    case InputFormat::text:
      read_lines(lines, form.spans ? " \t\r" : " ", data);
      break;
    case InputFormat::svmlight:
      read_rows(lines, data);
      break;
    case InputFormat::csv:
      read_records(lines, data);
      break;
  }
  return data.blocks.size() - before;
}

DataBlocks read_blocks(std::span<const std::string> files, const BlockForm& form) {
  DataBlocks data;
  for (const std::string& path : files) {
    LineReader lines(path);
    if (append_blocks(lines, form, data) == 0) fail_no_sequences(lines.name());
    const std::string& header = data.files.back().header;
    if (header == data.header()) continue;
    throw InputError({lines.name()}, "the names of the columns differ from the first file's",
                     header.substr(0, header.size() - 1), "give tables of the same columns");
  }
  return data;
}

}  // namespace croft
