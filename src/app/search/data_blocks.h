// Labelled data as pieces of text, one a sequence, without knowing what is in them: for who deals
// the same data out in other ways.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "features/extraction.h"

namespace croft {

struct DataBlocks {
  std::string header;               // of csv: the line of names, which every part begins with
  std::vector<std::string> blocks;  // each a sequence, as lines
  bool blank_lines = false;         // between sequences
  // Where they came from: the line of each line of each block in its file, and the number of the
  // first block of each file.
  std::vector<std::size_t> lines;
  std::vector<std::pair<std::size_t, std::string>> files;

  // Of a line of text(which), counted from 1, where it was read: a blank line is where the block
  // above it ends.
  Location origin(std::span<const std::size_t> which, std::size_t line) const;
  // A file of some of them.
  std::string text(std::span<const std::size_t> which) const;
};

// Where sequences begin and end as the readers of the format have it: between blank lines (columns,
// attributes), at every line (text), record (csv) or row (svmlight; rows of one qid together).  "-"
// is standard input.  Whether lines are sound is for the readers to say.  Throws Error where there
// is no sequence, and for csv files whose names differ.
DataBlocks read_blocks(std::span<const std::string> files, InputFormat format);
// Appends those of one file; returns how many.
std::size_t append_blocks(LineReader& lines, InputFormat format, DataBlocks& data);

}  // namespace croft
