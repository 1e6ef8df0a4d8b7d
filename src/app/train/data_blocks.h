// Labelled data as pieces of text, one a sequence, without knowing what is in them: for who deals
// the same data out in other ways.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "features/extraction.h"

namespace croft {

// What says where sequences begin and end, and which belong together.
struct BlockForm {
  InputFormat format = InputFormat::columns;
  bool spans = false;                         // of format text: a line is a JSON object
  char delimiter = CsvRecordReader::kByName;  // of csv
  std::string ignored{};                      // of columns: as ColumnsForm has it
};

struct DataBlocks {
  struct File {
    std::size_t first;  // block
    std::string name;
    std::string header = {};  // of csv: the line of names
  };
  std::vector<std::string> blocks;  // each a sequence, as lines
  bool blank_lines = false;         // between sequences
  // Where they came from: the line of each line of each block in its file, and the files.
  std::vector<std::size_t> lines;
  std::vector<File> files;
  // Lines of columns that were left out, each before the block `next`: marks of documents may be
  // among them.
  struct Ignored {
    std::size_t next;
    Location where;
    std::string line;
  };
  std::vector<Ignored> ignored;

  const std::string& header() const { return files.front().header; }
  const File& file_of(std::size_t block) const;
  std::vector<std::size_t> line_begin() const;   // [blocks + 1] of each one's lines, in `lines`
  Location first_line(std::size_t block) const;  // cost O(blocks): for messages
  // Of a line of text(which), counted from 1, where it was read: a blank line is where the block
  // above it ends.
  Location origin(std::span<const std::size_t> which, std::size_t line) const;
  // A file of some of them, below the first file's header.
  std::string text(std::span<const std::size_t> which) const;
};

// Where sequences begin and end as the readers of the format have it: between blank lines (columns,
// attributes), at every line (text, spans), record (csv) or row (svmlight; rows of one qid
// together).  "-" is standard input.  Whether lines are sound is for the readers to say.  Throws
// Error where there is no sequence, and for csv files whose headers differ.
DataBlocks read_blocks(std::span<const std::string> files, const BlockForm& form);
// Whether a line stands between sequences and belongs to none of them: blank, or a comment.
bool is_gap(std::string_view line, InputFormat format);
// The qid of a row of svmlight; empty: it has none.
std::string_view group_of_row(std::string_view row);
// Appends those of one file, whatever its header; returns how many.
std::size_t append_blocks(LineReader& lines, const BlockForm& form, DataBlocks& data);

}  // namespace croft
