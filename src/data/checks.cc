#include "data/checks.h"

#include "croft/core/error.h"

namespace croft {

void fail_no_sequences(const std::string& name) {
  throw InputError({name}, "no data: the input is empty or has only empty lines", "",
                   "check that this is the file that was meant, and that what wrote it succeeded");
}

void require_labels(const TextSequence& sequence, const std::string& name) {
  if (sequence.has_labels()) return;
  throw InputError({name, sequence.first_line}, "a sequence without labels", "",
                   "give every item its label: training cannot use unlabelled data");
}

void require_labels(const ColumnSequence& sequence, const std::string& name) {
  if (sequence.rows() == 0 || sequence.columns(0) >= 2) return;
  throw InputError({name, sequence.first_line}, "a row of one column has no label",
                   sequence.line(0),
                   "add the label as the last column: training cannot use unlabelled data");
}

}  // namespace croft
