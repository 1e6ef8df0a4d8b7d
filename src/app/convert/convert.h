// From a model of one kind to a model of another with the same answers, and from and to the files
// of other programs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/convert/texts/convert_texts.h"
#include "app/kinds.h"
#include "app/label/row_reader.h"
#include "app/view.h"

namespace croft {

// The same sections under another kind.
ContainerWriter with_kind(const Container& container, std::string_view kind);

// Reads the model, looks at every checksum (a conversion would carry damage on into a file that
// looks sound), converts it and writes the result (temporary, sync, rename).
//   to : a kind, or another program whose file it is to be (foreign_formats()); empty: of a file of
//        another program the kind that it is, of Croft's the one that the model's converts to
// Throws UsageError where there is no such conversion, listing those that there are, and for what
// the other program's file cannot say.
// Returns what was made from what, for people.
std::string convert_model(const std::string& input, std::string_view to, const std::string& output);

// What that or data can be turned into: formats of data, kinds of models, other programs.
std::vector<std::string_view> conversion_targets();

// Data of columns as spans (data/span_lines.h), and of spans as columns.

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

// What `croft convert` does with data.
//   conversion.from : empty: columns where `to` is spans, and otherwise spans
// Throws as the above, or as convert_texts(), and UsageError for an output that there is not.
// Returns the spans that were widened or dropped.
ChangedSpans convert_data(const std::string& path, const TextConversion& conversion,
                          const WriteText& write);

}  // namespace croft
