// A sequence as it was read, for models that score it without the strings of its attributes.
#pragma once
#include <memory>
#include <string>

#include "data/attributes.h"
#include "data/columns.h"
#include "model/rows/found_rows.h"

namespace croft {

// One of these; a view.
struct ReadSequence {
  const FoundRows* found = nullptr;  // of node attributes, all looked up
  const ColumnSequence* rows = nullptr;
  const AttributeLines* lines = nullptr;
  const std::string* file = nullptr;  // of the lines, for messages
};

// What one thread remembers of one model (read_scratch.h).
struct ReadScratch;
struct FreeReadScratch {
  void operator()(ReadScratch* scratch) const;
};

}  // namespace croft
