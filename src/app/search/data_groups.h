// Which sequences belong together: sentences of one document, rows of one customer.  A model that
// has seen one of them knows the others too well to be scored on them.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/search/data_blocks.h"
#include "app/search/search.h"

namespace croft {

// [blocks] the number of each one's group, from 0 in the order of the first of each.  `by` is
//   blank-lines  groups end at a blank line (text), or at two (columns, attributes)
//   a number     columns: the cell of this column, counted from 0, of the first row
//   a marker     columns: a group begins at each sequence whose first cell is the marker
//   a name       csv: the cell of this column; JSON lines: the value of this key
// A file begins a group where the place decides, and not a value.  Empty: no groups, an empty list.
// Throws UsageError for what the format or the data does not have, and Error for a line that does
// not have it.
struct BlockForm {
  InputFormat format = InputFormat::columns;
  bool spans = false;    // of format text: a line is a JSON object
  char delimiter = ',';  // of csv
};
std::vector<std::size_t> group_by(const std::string& by, const DataBlocks& data,
                                  const BlockForm& form);

// Where the first of these files, of columns, has a mark of documents among its first lines, as
// FILE:LINE; empty: nowhere, or it is standard input.
std::string document_mark(std::span<const std::string> files);
// What it is.
inline constexpr std::string_view kDocumentMark = "-DOCSTART-";

// Where the data has marks of documents: what to do about them.  Empty otherwise.
std::string ungrouped_warning(const DataBlocks& data, const SearchRequest& request);

}  // namespace croft
