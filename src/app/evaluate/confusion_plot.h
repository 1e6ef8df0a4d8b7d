// Which label was predicted in the place of which, as a picture.
#pragma once
#include <string>
#include <string_view>

#include "app/evaluate/evaluation.h"

namespace croft {

// An SVG document of its own, without scripts or outside references: a square of labels, a row for
// each label of the data and a column for each that was predicted, and below it, where the labels
// spell chunks, one of types of chunks.  A cell is as dark as its share of its row, and has the
// count.  More than 60 labels are too many to read: of these the rarest are one row and column.
// Requires summary.confusion.
//   title : what was evaluated; any text, escaped here
std::string confusion_svg(const EvaluationSummary& summary, std::string_view title);

}  // namespace croft
