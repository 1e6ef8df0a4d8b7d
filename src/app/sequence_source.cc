#include "croft/app/sequence_source.h"

#include "croft/data/checks.h"

namespace croft {

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
  }
}

}  // namespace croft
