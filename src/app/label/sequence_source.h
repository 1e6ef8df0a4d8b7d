// Sequences of a file in any format, made ready for a model.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "app/label/data_form.h"
#include "app/label/row_reader.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "data/attributes.h"
#include "data/csv_table.h"
#include "data/labelled_text.h"
#include "data/svmlight.h"
#include "features/extraction.h"

namespace croft {

// A sequence as read (rows, for columns; lines, for attributes; document, for text) and as strings
// (text, after extract).
struct InputSequence {
  ColumnSequence rows;
  AttributeLines lines;
  LabelledText document;
  TextSequence text;    // before extract its length is that of the sequence, but for columns, and
                        // attribute lines have no attributes yet
  bool single = false;  // the format has no sequences: a line or row alone
  std::string line;     // of spans: as it was read
  // Where it is kept (LineReader::keep_given), what stands in the input from behind the sequence
  // before to the end of this one; marked are its rows, its line or its record.
  GivenLines given;
  bool header = false;    // the first one marked is the header of a table
  bool labelled = false;  // has gold labels
};

enum class Labels { required, optional };

// Sequences one after the other, read with one thread; extract() may run on others.
class SequenceStream {
 public:
  virtual ~SequenceStream() = default;
  // The next sequence as read.  False at the end.
  virtual bool next(InputSequence& out) = 0;
  // Fills out.text.  Thread-safe.
  virtual void extract(InputSequence& out, Extractor::Scratch& scratch) const = 0;
  virtual const std::string& name() const = 0;  // for messages
};

// Those of a file.
class SequenceSource final : public SequenceStream {
 public:
  // path "-" is standard input.  Throws InputError as the readers do, and where the rows do not
  // have the columns that the extractor was made for.
  //   spans : of columns, the data is of spans, spelled in this scheme (app/row_reader.h)
  //   form  : of columns; none: as the extractor has it
  SequenceSource(const std::string& path, const Extractor& extractor, Labels labels,
                 std::optional<ChunkScheme> spans = std::nullopt)
      : SequenceSource(LineReader(path), extractor, labels, spans) {}
  SequenceSource(LineReader lines, const Extractor& extractor, Labels labels,
                 std::optional<ChunkScheme> spans = std::nullopt,
                 const std::optional<ColumnsForm>& form = std::nullopt);
  // Those of a file for a model, as it was trained on: of one that looks at documents each is read
  // to its end before its first sequence is handed on.
  SequenceSource(const std::string& path, const SequenceModel& model, Labels labels)
      : SequenceSource(path, DataForm(model), model, labels) {}
  // Those of a file as the form has it.
  SequenceSource(const std::string& path, const DataForm& form, const SequenceModel& model,
                 Labels labels)
      : SequenceSource(form.lines(path, labels == Labels::required), model, labels, form.spans(),
                       form.columns()) {}
  SequenceSource(LineReader lines, const SequenceModel& model, Labels labels,
                 std::optional<ChunkScheme> spans,
                 const std::optional<ColumnsForm>& form = std::nullopt);
  // The same for a model that is not there yet; both must outlive the source.
  //   first : of its first pass
  void look_at_documents(const SequenceModel& first, const DocumentPass& pass);
  // The threads that label them in the first pass, from here on; without: the caller alone.  Throws
  // UsageError where several processes share out the data, which would divide documents.
  void label_documents_on(ThreadPool& pool);

  // Throws InputError for an input without any.
  bool next(InputSequence& out) override;
  void allow_none() { any_ = true; }  // from here on such an input is fine
  // Throws as check_sizes().
  void extract(InputSequence& out, Extractor::Scratch& scratch) const override;

  // The same without what the extractor makes of it: the attributes that its lines are.
  void parse(InputSequence& out) const;

  // The same without attributes, for a model that scores what was read.
  void extract_labels(InputSequence& out) const;

  // What is kept of the input behind its last sequence, once next() has been false.
  const std::string& rest() const { return rest_; }
  // Of tables whose input is kept: the header of the first of several, which others leave out.
  // next() writes it where it is empty, and throws InputError where a table has another one.
  // Kept by reference.
  void share_header(std::string& header) { header_ = &header; }

  bool labelled() const;  // whether the sequence last read has gold labels
  // As LineReader has it; an empty function: nothing is called any more.
  void before_waiting(std::function<void()> ready) { *before_waiting_ = std::move(ready); }
  const std::string& name() const override;

 private:
  using Reader =
      std::variant<RowReader, AttributesReader, LabelledTextReader, SvmlightReader, CsvReader>;
  Reader open(LineReader lines, std::optional<ChunkScheme> spans,
              const std::optional<ColumnsForm>& form) const;
  void take_given(InputSequence& out);
  void check_header(InputSequence& out);
  bool read(InputSequence& out);
  bool read_next(InputSequence& out);
  bool read_document();
  void read_ahead();
  bool has_label_cells(const ColumnSequence& rows) const;

  const Extractor& extractor_;
  Labels labels_;
  bool keeps_given_;
  std::shared_ptr<std::function<void()>> before_waiting_;  // the reader of lines has it, too
  Reader reader_;
  bool any_ = false, labelled_ = false;
  std::string rest_;
  std::string* header_ = nullptr;
  bool first_ = true;  // no sequence has been read
  struct ReadAhead;
  std::shared_ptr<ReadAhead> ahead_;  // of documents; otherwise null
};

// Reads, extracts and hands on sequence after sequence, in order: visit(sequence).
template <class Visit>
void for_each_sequence(SequenceSource& source, const Visit& visit) {
  InputSequence sequence;
  Extractor::Scratch scratch;
  while (source.next(sequence)) {
    if (interruption) throw Interrupted(source.name() + ": interrupted");
    source.extract(sequence, scratch);
    visit(sequence);
  }
}

}  // namespace croft
