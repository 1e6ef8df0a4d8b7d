// Rows of sequences from data of columns or of spans (data/span_lines.h): spans become the labels
// of a last column, in a scheme of chunks, so that whatever is made of columns is made of spans.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/label/chunks.h"
#include "data/columns.h"
#include "data/span_lines.h"
#include "model/kinds/sequence_model.h"

namespace croft {

class RowReader {
 public:
  //   spans            : the scheme that spans are spelled in: bio, bio1, ioe or bioes; none: the
  //                      data is of columns
  //   expected_columns : as ColumnsReader has it, that of the label included
  //   allow_unlabelled : of columns, all sequences may be without labels; of spans, each may
  //   more_columns     : of columns, rows may have more, each its own number
  //   form             : of columns.  Throws UsageError for a column of labels beside more_columns,
  //                      where rows without labels would not be told from others
  explicit RowReader(LineReader lines, std::optional<ChunkScheme> spans = std::nullopt,
                     std::size_t expected_columns = 0, bool allow_unlabelled = false,
                     bool more_columns = false, const ColumnsForm& form = {});

  // The next sequence, or false at the end.
  //   line : of spans, the line as it was read, otherwise empty
  // Throws InputError as ColumnsReader and SpanReader do, for a line without spans where every
  // sequence needs its labels, and for a span without a label where labels could not be read back:
  // beside spans that have one, and in other schemes than bio.
  bool next(ColumnSequence& rows, std::string& line);

  std::size_t columns() const;  // of labelled rows, that of the label included; 0: not known yet
  // Whether the sequence last read has labels.
  bool labelled() const { return labelled_; }
  const std::string& name() const;
  // Of columns, as LineReader has it; of spans nothing is kept.
  void take_given(std::size_t rows, GivenLines& out);

 private:
  bool next_spans(SpanReader& reader, ColumnSequence& rows, std::string& line);
  void check_labels(const std::string& file, std::span<const LabelledSpan> spans);
  std::variant<ColumnsReader, SpanReader> reader_;
  ChunkScheme scheme_ = ChunkScheme::none;
  SpanSequence sequence_;
  std::size_t expected_;
  bool allow_unlabelled_, labelled_ = false;
  bool named_ = false, unnamed_ = false;  // spans so far
};

// The labels of a sequence that has these spans.  scheme: bio, bio1, ioe or bioes.
std::vector<std::string> labels_of_spans(std::span<const LabelledSpan> spans, std::size_t length,
                                         ChunkScheme scheme);
// The spans that labels spell, as chunks_of() reads them.
std::vector<LabelledSpan> spans_of_labels(std::span<const std::string_view> labels,
                                          ChunkScheme scheme);

// The first `columns` cells of a row, parted as its line has them: what stands before its label.
std::string cells_before_label(const ColumnSequence& rows, std::size_t t, std::size_t columns);

// The first cell that columns could not hold: one with a blank or a line end, or an empty one.
std::optional<std::string_view> unplain_cell(const ColumnSequence& rows);

// The scheme that labels spell spans in: detect_scheme(), and bio where they are B, I and O without
// a type, or O alone; none where they are no labels of chunks.
ChunkScheme span_scheme(std::span<const std::string_view> labels);

// What SequenceSource is to be told of data for this model: the scheme of spans, or none where the
// data is what the extractor says.
//   format : as --format names it; empty: what the model was trained on
//   chunks : how the model's labels spell chunks; automatic: as in training, or span_scheme()
// Throws UsageError for data that the model does not read.
std::optional<ChunkScheme> spans_for(const SequenceModel& model, std::string_view format = {},
                                     ChunkScheme chunks = ChunkScheme::automatic);

// How the model's labels spell chunks where nothing is said of it (automatic): as training did, of
// spans, whose labels without types look like chunks to nobody else; of others it stays automatic.
ChunkScheme scheme_in_training(const SequenceModel& model, ChunkScheme asked);

// The name of spans among the formats of data; in the training record of a model that was trained
// on such, the field that has their scheme.
inline constexpr const char* kSpanFormat = "spans";

}  // namespace croft
