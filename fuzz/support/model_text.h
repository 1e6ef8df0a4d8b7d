// What the targets for models that label have them label.
#pragma once
#include <initializer_list>
#include <span>
#include <stdexcept>

#include "app/label/tagger.h"

namespace croft::fuzz {

// A position for each attribute; that of the second has another value than 1.
inline TextSequence text_of(std::initializer_list<const char*> attributes, double second = 1) {
  TextSequence text;
  for (const char* attribute : attributes) {
    text.node.append(attribute, text.node.items() == 1 ? second : 1.0);
    text.node.end_list();
  }
  text.first_line = 1;
  return text;
}

// Rows of as many equal cells as the model reads, as it reads them.
inline TextSequence text_of_rows(const Extractor& extractor,
                                 std::initializer_list<const char*> words) {
  ColumnSequence rows;
  for (const char* word : words) {
    for (std::size_t c = 0; c < extractor.config().columns; ++c) rows.append_cell(word);
    rows.end_row();
  }
  Extractor::Scratch scratch;
  TextSequence text;
  extractor.extract(rows, false, scratch, text);
  return text;
}

inline void check_labels(std::span<const Label> y, std::size_t labels) {
  for (const Label each : y) {
    if (each >= labels) throw std::logic_error("a label that is none");
  }
}

}  // namespace croft::fuzz
