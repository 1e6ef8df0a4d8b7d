// A sequence as the tagger sees it: its strings, and what is around them.
#pragma once
#include <cstddef>
#include <string_view>

#include "croft/data/text_sequence.h"
#include "data/columns.h"

namespace croft {

// A view.
struct TagInput {
  const TextSequence& text;
  const ColumnSequence* rows = nullptr;  // as read; required where something asks for their cells
  std::string_view file = {};            // for messages
  std::size_t index = 0;                 // in the whole input: seeds the sequence's samples
};

}  // namespace croft
