#include "croft/app/data_blocks.h"

#include <algorithm>

#include "croft/core/error.h"
#include "croft/data/checks.h"

namespace croft {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

void append_line(std::string_view line, std::string& block) { block.append(line).append("\n"); }

// The second field of a row, where it is a qid.
std::string_view group_of(std::string_view row) {
  constexpr std::string_view kBlanks = " \t";
  for (int field = 0; field < 2; ++field) {
    row.remove_prefix(std::min(row.find_first_not_of(kBlanks), row.size()));
    const std::string_view text = row.substr(0, row.find_first_of(kBlanks));
    if (text.starts_with("qid:")) return text;
    row.remove_prefix(text.size());
  }
  return {};
}

// Sequences between blank lines; a directive is a part of the one below it.
void read_lists(LineReader& lines, bool blanks_end, std::vector<std::string>& blocks) {
  bool open = false;
  for (std::string_view line; lines.next(line);) {
    if (blanks_end ? is_blank(line) : line.empty()) {
      open = false;
      continue;
    }
    if (!open) blocks.emplace_back();
    append_line(line, blocks.back());
    open = true;
  }
}

void read_texts(LineReader& lines, std::vector<std::string>& blocks) {
  for (std::string_view line; lines.next(line);) {
    if (!is_blank(line)) append_line(line, blocks.emplace_back());
  }
}

void read_rows(LineReader& lines, std::vector<std::string>& blocks) {
  std::string group;
  for (std::string_view line; lines.next(line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '#') continue;
    const std::string_view own = group_of(line);
    if (own.empty() || own != group) blocks.emplace_back();
    append_line(line, blocks.back());
    group = own;
  }
}

// A record goes on over line ends while a quote is open.
void read_records(LineReader& lines, std::string& header, std::vector<std::string>& blocks) {
  std::string record;
  std::size_t quotes = 0;
  bool first = true;
  for (std::string_view line; lines.next(line);) {
    if (record.empty() && line.empty()) continue;
    append_line(line, record);
    quotes += static_cast<std::size_t>(std::ranges::count(line, '"'));
    if (quotes % 2 != 0) continue;
    if (!first) blocks.push_back(record);
    if (first && header.empty()) header = record;
    if (first && header != record) {
      throw InputError(lines.location(), "the names of the columns differ from the first file's",
                       record.substr(0, record.size() - 1), "give tables of the same columns");
    }
    first = false;
    record.clear();
    quotes = 0;
  }
  if (!record.empty()) blocks.push_back(record);  // the reader will say what is wrong with it
}

}  // namespace

std::string DataBlocks::text(std::span<const std::size_t> which) const {
  std::string out = header;
  for (const std::size_t k : which) {
    out += blocks[k];
    if (blank_lines) out += "\n";
  }
  return out;
}

std::size_t append_blocks(LineReader& lines, InputFormat format, DataBlocks& data) {
  const std::size_t before = data.blocks.size();
  data.blank_lines = format == InputFormat::columns || format == InputFormat::attributes;
  switch (format) {
    case InputFormat::columns:
    case InputFormat::attributes:
      read_lists(lines, format == InputFormat::columns, data.blocks);
      break;
    case InputFormat::text:
      read_texts(lines, data.blocks);
      break;
    case InputFormat::svmlight:
      read_rows(lines, data.blocks);
      break;
    case InputFormat::csv:
      read_records(lines, data.header, data.blocks);
      break;
  }
  return data.blocks.size() - before;
}

DataBlocks read_blocks(std::span<const std::string> files, InputFormat format) {
  DataBlocks data;
  for (const std::string& path : files) {
    LineReader lines(path);
    if (append_blocks(lines, format, data) == 0) fail_no_sequences(lines.name());
  }
  return data;
}

}  // namespace croft
