// Data of columns as spans (data/span_lines.h), and of spans as columns.
#pragma once
#include <string>

#include "app/label/row_reader.h"
#include "app/view.h"

namespace croft {

// One line for each sequence; all columns but the last are the cells of its tokens.  What labels
// would not spell is read as conlleval reads it (structure/chunk_label.h).
//   path       : "-" is standard input
//   scheme     : of the labels; automatic: span_scheme() of all of them, for which all of the data
//                is held in memory
//   unlabelled : there is no column of labels: lines without spans
// Throws InputError for bad data, UsageError where labels are no chunk labels.
void columns_to_spans(const std::string& path, ChunkScheme scheme, bool unlabelled,
                      const WriteText& write);

// Rows of cells with a space between; the last one is the label, where lines have spans.
//   scheme : that spans are spelled in; automatic: bio
// Throws InputError for bad data: for a cell that is empty or has a blank, for lines of which only
// some have spans, and for a sequence without a token, which columns cannot say; UsageError for
// schemes that spell no spans.
void spans_to_columns(const std::string& path, ChunkScheme scheme, const WriteText& write);

}  // namespace croft
