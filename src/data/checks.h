// What a front end asks of its data beyond the format: one clear error each.
#pragma once
#include <string>

#include "croft/data/text_sequence.h"
#include "data/columns.h"

namespace croft {

// For a front end whose reader met no sequence at all.  `name` is the reader's.
[[noreturn]] void fail_no_sequences(const std::string& name);

// For training: throws InputError where a sequence has no labels.
void require_labels(const TextSequence& sequence, const std::string& name);
// The same for columns, where the last column is the label: a row needs a column before it.
void require_labels(const ColumnSequence& sequence, const std::string& name);

}  // namespace croft
