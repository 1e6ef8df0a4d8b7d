#include "croft/app/sequence_source.h"

#include <fmt/format.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/data/checks.h"

namespace croft {

void check_sizes(const TextSequence& sequence, const std::string& file) {
  constexpr double kLargest = 1e15;
  const auto fail = [&](double number, const char* what) {
    throw InputError({file, sequence.first_line, 0},
                     std::string(what) + " of more than 1e15 in the sequence that begins here",
                     fmt::format("{}", number), "scale it down; values near 1 train best");
  };
  if (sequence.weight > kLargest) fail(sequence.weight, "a weight");
  if (sequence.node.all_values_are_one()) return;
  for (std::size_t k = 0; k < sequence.node.items(); ++k) {
    if (std::abs(sequence.node.value(k)) > kLargest) {
      fail(sequence.node.value(k), "an attribute value");
    }
  }
}

SequenceSource::SequenceSource(const std::string& path, const Extractor& extractor, Labels labels)
    : extractor_(extractor), labels_(labels) {
  const bool optional = labels == Labels::optional;
  if (extractor.config().format == InputFormat::attributes) {
    attributes_ = std::make_unique<AttributesReader>(LineReader(path), optional);
  } else {
    columns_ =
        std::make_unique<ColumnsReader>(LineReader(path), extractor.config().columns + 1, optional);
  }
}

const std::string& SequenceSource::name() const {
  return columns_ ? columns_->name() : attributes_->name();
}

bool SequenceSource::ready() const { return columns_ ? columns_->ready() : attributes_->ready(); }

bool SequenceSource::labelled() const { return labelled_; }

bool SequenceSource::next(InputSequence& out) {
  const bool found = columns_ ? columns_->next(out.rows) : attributes_->next(out.text);
  if (!found) {
    if (!any_) fail_no_sequences(name());
    return false;
  }
  any_ = true;
  labelled_ =
      columns_ ? columns_->columns() == extractor_.config().columns + 1 : out.text.has_labels();
  if (labels_ == Labels::required) {
    columns_ ? require_labels(out.rows, name()) : require_labels(out.text, name());
  }
  return true;
}

void SequenceSource::extract(InputSequence& out, Extractor::Scratch& scratch) const {
  if (columns_) {
    extractor_.extract(out.rows, labelled_, scratch, out.text);
  } else {
    extractor_.complete(out.text, scratch);
    check_sizes(out.text, name());
  }
}

}  // namespace croft
