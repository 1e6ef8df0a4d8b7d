// Labelled data of each format that training reads, as what croft check looks at: the words of each
// position, its label, its values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/convert/texts/text_readers.h"
#include "croft/data/string_lists.h"
#include "data/columns.h"
#include "data/csv_table.h"

namespace croft {

struct LabelledRows {
  std::size_t line = 0;                        // of the first position
  std::vector<std::uint32_t> lines{};          // [T]; empty: the others follow it
  std::vector<std::string> words{}, labels{};  // what stands at each position beside its label
  // Of attributes, sparse numbers and columns of numbers: the names and values of each position.
  StringLists values{};

  std::size_t line_of(std::size_t t) const { return lines.empty() ? line + t : lines[t]; }
};
// What stands in `words` between the cells of a row of a table, or between sparse numbers: nothing
// that a cell may hold.
inline constexpr char kBetweenCells = '\x1f';
using VisitRows = std::function<void(const LabelledRows&)>;

// What a format needs beside its name.
struct LabelledFormat {
  std::string name = "columns";  // columns, spans, attributes, text, svmlight or csv
  ColumnsForm form{};            // of columns
  CsvColumns table{};            // of csv
  // The format of another program (app/convert/texts) that `name` is made of, and how.
  std::string foreign{};
  TextReading reading{};
};

// Hands on each sequence of a file.  Throws InputError for data that cannot be read, and for a
// position without a label.
void read_labelled(const std::string& path, const LabelledFormat& format, const VisitRows& visit);

}  // namespace croft
