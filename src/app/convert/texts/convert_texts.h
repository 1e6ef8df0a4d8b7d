// Data from any format that can be read to any that can be written.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/convert/texts/text_readers.h"
#include "app/convert/texts/text_writers.h"

namespace croft {

struct TextConversion {
  std::string_view from, to;  // of text_formats(), text_outputs()
  TextReading reading{};
  // The scheme is that in which columns spell spans; to other formats that of the labels of tokens
  // which become spans.  automatic: labels as they look, for which all of the data is held in
  // memory; columns keep labels of tokens, and spell spans as bio.
  TextWriting writing{};
  bool may_be_empty = false;  // a file without any sequence is none that is to be refused
  // Called with each sequence once it has been handed on; may be null.
  std::function<void(const TextRecord&)> written{};
};

// Hands on the output piece by piece.  Throws InputError for bad data and a file without any
// sequence (a stream may have none); UsageError for a format that there is not, an option that a
// format does not take, and labels that spell no spans where they are to be read as such. Returns
// the spans that were widened or dropped, as Misaligned says.
ChangedSpans convert_texts(const std::string& path, const TextConversion& conversion,
                           const WriteText& write);

// The lines of a file of another program as this one reads them: columns where tokens are labelled,
// of csv LABEL TAB TEXT, or the text where there are no labels, else spans.  They have the numbers
// of the lines that they were made from.  A sequence is read when its lines are asked for.
LineReader foreign_lines(const std::string& path, std::string_view format, TextReading reading);

// The same of a format that is written, such as columns.
LineReader converted_lines(const std::string& path, std::string_view from, std::string_view to,
                           TextReading reading);

// True if the file begins with a line that croft suggest wrote.
bool is_suggested(const std::string& path);

// A list of objects: tokens, and where the format has them text, offsets, spans, labels of tokens,
// the label of the text, and whatever else stood there.
Json read_texts(const std::string& path, std::string_view format, const TextReading& reading);

}  // namespace croft
