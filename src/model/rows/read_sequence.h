// A sequence as it was read, for models that score it without the strings of its attributes.
#pragma once
#include <optional>
#include <string>

#include "data/attributes.h"
#include "data/columns.h"
#include "model/rows/attribute_rows.h"
#include "model/rows/template_rows.h"

namespace croft {

// One of these; a view.
struct ReadSequence {
  const FoundRows* found = nullptr;  // of node attributes, all looked up
  const ColumnSequence* rows = nullptr;
  const AttributeLines* lines = nullptr;
  const std::string* file = nullptr;  // of the lines, for messages
};

// What one thread remembers of one model.
struct ReadScratch {
  std::optional<TemplateRows> node, edge;
  std::optional<AttributeRows> lines;
};

}  // namespace croft
