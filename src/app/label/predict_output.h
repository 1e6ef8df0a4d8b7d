// What is written of a labelled sequence: columns, labels, JSON or spans.  docs/formats.md says how
// it looks.
#pragma once
#include <string>
#include <string_view>

#include "app/label/sequence_source.h"
#include "app/label/tagger.h"

namespace croft {
class Json;

enum class OutputFormat {
  columns,  // the rows as read, and the label after a separator
  labels,   // one label a line, an empty line after each sequence that is not a line alone
  json,     // one object a sequence and line
  given,    // the input as it stands, with the label and its probability behind each row, text or
            // record: for a source that keeps it (LineReader::keep_given)
  spans     // the same as data of spans has it (data/span_lines.h): tokens, and what is found
};
enum class MarginalOutput { none, predicted, all };

struct PredictOptions {
  OutputFormat output = OutputFormat::columns;
  MarginalOutput marginals = MarginalOutput::none;
  TagOptions ask;  // its `marginals` follow from the field above

  TagOptions questions() const;
};

// In words, for a sequence without a labelling.
std::string_view why_none(const TagOutcome& outcome);

class PredictionFormatter {
 public:
  // Both are kept by reference.  Throws UsageError for answers that the output cannot hold, and for
  // columns of labels with spaces; for spans of a model that has no tokens, or whose labels spell
  // none.
  PredictionFormatter(const TagPlan& plan, const PredictOptions& options);

  // Throws Error where a token of spans cannot be one of columns.
  void append(const InputSequence& sequence, const Tagging& tagging, std::string& out) const;

 private:
  Json answers(const Tagging& tagging) const;
  void append_given(const InputSequence& sequence, const Tagging& tagging, std::string& out) const;
  void append_names(std::string_view header, std::string& out) const;
  void append_json(const Tagging& tagging, std::string& out) const;
  void append_spans(const InputSequence& sequence, const Tagging& tagging, std::string& out) const;
  void append_remarks(const Tagging& tagging, std::string& out) const;
  void append_block(const InputSequence& sequence, const Tagging& tagging, std::span<const Label> y,
                    std::string& out) const;
  char append_row(const InputSequence& sequence, std::size_t t, std::string& out) const;
  void append_marginals(const Tagging& tagging, std::size_t t, Label y, char separator,
                        std::string& out) const;

  const TagPlan& plan_;
  const PredictOptions& options_;
  ChunkScheme scheme_ = ChunkScheme::none;  // of spans
};

}  // namespace croft
