#include "app/label/row_reader.h"

#include <algorithm>
#include <utility>

#include "core/json.h"
#include "croft/core/error.h"

namespace croft {
namespace {

bool is_spelled(ChunkScheme scheme) {
  return scheme == ChunkScheme::bio || scheme == ChunkScheme::bio1 || scheme == ChunkScheme::ioe ||
         scheme == ChunkScheme::bioes;
}

std::variant<ColumnsReader, SpanReader> open(LineReader lines, bool spans,
                                             std::size_t expected_columns, bool allow_unlabelled,
                                             bool more_columns, const ColumnsForm& form) {
  if (!spans && more_columns) {
    if (form.label_column > 0) {
      throw UsageError(Message::option("label-column"),
                       ": the model takes rows of any number of columns, whose label is the last "
                       "one");
    }
    const bool one_fewer = allow_unlabelled && expected_columns > 1;
    return ColumnsReader(std::move(lines), expected_columns - (one_fewer ? 1 : 0),
                         RowWidth::or_more, form);
  }
  if (!spans) {
    return ColumnsReader(std::move(lines), expected_columns,
                         allow_unlabelled ? RowWidth::or_one_fewer : RowWidth::as_expected, form);
  }
  return SpanReader(std::move(lines), expected_columns > 0 ? expected_columns - 1 : 0);
}

}  // namespace

RowReader::RowReader(LineReader lines, std::optional<ChunkScheme> spans,
                     std::size_t expected_columns, bool allow_unlabelled, bool more_columns,
                     const ColumnsForm& form)
    : reader_(open(std::move(lines), spans.has_value(), expected_columns, allow_unlabelled,
                   more_columns, form)),
      scheme_(spans.value_or(ChunkScheme::none)),
      expected_(expected_columns),
      allow_unlabelled_(allow_unlabelled) {}

bool RowReader::next(ColumnSequence& rows, std::string& line) {
  if (auto* const spans = std::get_if<SpanReader>(&reader_)) return next_spans(*spans, rows, line);
  line.clear();
  auto& columns = std::get<ColumnsReader>(reader_);
  if (!columns.next(rows)) return false;
  labelled_ = expected_ == 0 || columns.columns() == expected_;
  return true;
}

bool RowReader::next_spans(SpanReader& reader, ColumnSequence& rows, std::string& line) {
  if (!reader.next(sequence_)) return false;
  const auto& spans = sequence_.reference();
  if (!spans && !allow_unlabelled_) {
    throw InputError(
        {reader.name(), sequence_.line_number}, "a sequence without \"spans\"", sequence_.line,
        "give every sequence its spans, \"spans\": [] where there are none; other forms "
        "of JSON lines are --format prodigy or doccano, or croft convert reads them");
  }
  if (spans) check_labels(reader.name(), *spans);
  std::vector<std::string> labels;
  if (spans) labels = labels_of_spans(*spans, sequence_.length(), scheme_);
  labelled_ = spans.has_value();
  rows.clear();
  rows.first_line = rows.last_line = sequence_.line_number;
  rows.lines.assign(sequence_.length(), static_cast<std::uint32_t>(sequence_.line_number));
  for (std::size_t t = 0; t < sequence_.length(); ++t) {
    for (std::size_t c = 0; c < sequence_.columns; ++c) rows.append_cell(sequence_.cell(t, c));
    if (spans) rows.append_cell(labels[t]);
    rows.end_row();
  }
  line = sequence_.line;
  return true;
}

void RowReader::check_labels(const std::string& file, std::span<const LabelledSpan> spans) {
  for (const LabelledSpan& span : spans) {
    (span.label.empty() ? unnamed_ : named_) = true;
    if (!unnamed_ || (!named_ && scheme_ == ChunkScheme::bio)) continue;
    throw InputError({file, sequence_.line_number},
                     named_ ? Message("spans with a label beside spans without one")
                            : "a span without a label, which only the scheme bio can spell",
                     sequence_.line, "give each span a label, such as \"X\"");
  }
}

std::size_t RowReader::columns() const {
  if (const auto* const spans = std::get_if<SpanReader>(&reader_)) {
    return spans->columns() == 0 ? 0 : spans->columns() + 1;
  }
  return std::get<ColumnsReader>(reader_).columns();
}

const std::string& RowReader::name() const {
  return std::visit([](const auto& reader) -> const std::string& { return reader.name(); },
                    reader_);
}

void RowReader::take_given(std::size_t rows, GivenLines& out) {
  if (auto* const columns = std::get_if<ColumnsReader>(&reader_)) columns->take_given(rows, out);
}

std::vector<std::string> labels_of_spans(std::span<const LabelledSpan> spans, std::size_t length,
                                         ChunkScheme scheme) {
  std::vector<Chunk> chunks;
  for (const LabelledSpan& span : spans) chunks.push_back({span.begin, span.end, span.label});
  return spell_chunks(chunks, length, scheme);
}

std::vector<LabelledSpan> spans_of_labels(std::span<const std::string_view> labels,
                                          ChunkScheme scheme) {
  std::vector<LabelledSpan> spans;
  for (const Chunk& chunk : chunks_of(labels, scheme)) {
    spans.push_back({chunk.begin, chunk.end, std::string(chunk.type)});
  }
  return spans;
}

std::string cells_before_label(const ColumnSequence& rows, std::size_t t, std::size_t columns) {
  const char gap = rows.line(t).find('\t') != std::string_view::npos ? '\t' : ' ';
  std::string row;
  for (std::size_t c = 0; c < columns; ++c) {
    if (c > 0) row += gap;
    row += rows.cell(t, c);
  }
  return row;
}

std::optional<std::string_view> unplain_cell(const ColumnSequence& rows) {
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    for (std::size_t c = 0; c < rows.columns(t); ++c) {
      const std::string_view cell = rows.cell(t, c);
      if (cell.empty() || cell.find_first_of(" \t\r\n") != cell.npos) return cell;
    }
  }
  return std::nullopt;
}

ChunkScheme span_scheme(std::span<const std::string_view> labels) {
  const ChunkScheme found = detect_scheme(labels);
  if (found != ChunkScheme::none) return found;
  const auto is_untyped = [](std::string_view label) {
    return label == "B" || label == "I" || label == "O";
  };
  const auto has = [&](std::string_view label) {
    return std::ranges::find(labels, label) != labels.end();
  };
  const bool untyped = std::ranges::all_of(labels, is_untyped) && (has("B") || !has("I"));
  return untyped ? ChunkScheme::bio : ChunkScheme::none;
}

namespace {

// That the model was trained with, where it was trained on spans.
std::optional<ChunkScheme> trained_scheme(const SequenceModel& model) {
  const Json* const training = model.meta().get_if("training");
  if (training == nullptr) return std::nullopt;
  const Json* const name = training->get_if(kSpanFormat);
  if (name == nullptr || !name->is_string()) return std::nullopt;
  return chunk_scheme_from_name(name->string());
}

ChunkScheme scheme_of_labels(const SequenceModel& model) {
  std::vector<std::string_view> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  return span_scheme(labels);
}

}  // namespace

std::optional<ChunkScheme> spans_for(const SequenceModel& model, std::string_view format,
                                     ChunkScheme chunks) {
  const InputFormat known = model.extractor().config().format;
  const std::optional<ChunkScheme> trained = trained_scheme(model);
  if (format.empty() && !trained) return std::nullopt;
  if (!format.empty() && format != kSpanFormat) {
    if (format == format_name(known)) return std::nullopt;
    throw UsageError("--format ", format, ": the model was trained on ", format_name(known),
                     ", and reads no other data");
  }
  if (known != InputFormat::columns) {
    throw UsageError("--format spans: the model was trained on ", format_name(known),
                     ", and tokens with spans are for models of columns or spans");
  }
  if (chunks == ChunkScheme::automatic) chunks = trained ? *trained : scheme_of_labels(model);
  if (is_spelled(chunks)) return chunks;
  throw UsageError(
      "the data is of tokens with spans, and the labels of the model do not spell spans as bio, "
      "bio1, ioe or bioes have it; give columns");
}

ChunkScheme scheme_in_training(const SequenceModel& model, ChunkScheme asked) {
  return asked == ChunkScheme::automatic ? spans_for(model).value_or(asked) : asked;
}

}  // namespace croft
