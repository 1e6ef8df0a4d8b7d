// Which sequences belong together: sentences of one document, rows of one customer.  A model that
// has seen one of them knows the others too well to be scored on them.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/train/data_blocks.h"
#include "croft/core/error.h"

namespace croft {

// [blocks] the number of each one's group, from 0 in the order of the first of each.  `by` is
//   blank-lines  groups end at a blank line (text), or at two (columns, attributes)
//   a number     columns: the cell of this column, counted from 0, of the first row
//   a marker     columns: a group begins at each sequence whose first cell is the marker
//   a name       csv: the cell of this column; JSON lines: the value of this key
// A file begins a group where the place decides, and not a value.  Empty: no groups, an empty list.
// Throws UsageError for what the format or the data does not have, and Error for a line that does
// not have it.
std::vector<std::size_t> group_by(const std::string& by, const DataBlocks& data,
                                  const BlockForm& form);

// The sequences of each group, increasing; the groups by their numbers.
//   groups : [sequences] as group_by() numbers them; empty: each sequence is a group of its own
std::vector<std::vector<std::size_t>> members_of(std::span<const std::size_t> groups,
                                                 std::size_t sequences);

// The first cell of what stands before each document in well-known data.
inline constexpr std::string_view kDocumentMark = "-DOCSTART-";
// The first sequence, of columns, that is one; none: there is none.
std::optional<Location> document_mark(const DataBlocks& data);
// What to do about it.
//   apart : where sentences of one document may be, such as "in several folds"
std::string ungrouped_warning(const Location& mark, std::string_view apart);

}  // namespace croft
