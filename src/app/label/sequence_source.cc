#include "app/label/sequence_source.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "app/label/documents.h"
#include "croft/core/error.h"
#include "data/checks.h"

namespace croft {

SequenceSource::SequenceSource(LineReader lines, const Extractor& extractor, Labels labels,
                               std::optional<ChunkScheme> spans,
                               const std::optional<ColumnsForm>& form)
    : extractor_(extractor),
      labels_(labels),
      keeps_given_(lines.keeps_given()),
      before_waiting_(std::make_shared<std::function<void()>>()),
      reader_(open(std::move(lines), spans, form)) {}

SequenceSource::SequenceSource(LineReader lines, const SequenceModel& model, Labels labels,
                               std::optional<ChunkScheme> spans,
                               const std::optional<ColumnsForm>& form)
    : SequenceSource(std::move(lines), model.extractor(), labels, spans, form) {
  if (model.first_pass() == nullptr) return;
  look_at_documents(*model.first_pass(), *model.extractor().config().documents);
}

SequenceSource::Reader SequenceSource::open(LineReader lines, std::optional<ChunkScheme> spans,
                                            const std::optional<ColumnsForm>& form) const {
  lines.before_waiting([ready = before_waiting_] {
    if (*ready) (*ready)();
  });
  const ExtractionConfig& config = extractor_.config();
  const bool optional = labels_ == Labels::optional;
  switch (config.format) {
    case InputFormat::columns:
      return RowReader(std::move(lines), spans, config.columns + 1, optional, config.more_columns,
                       spans ? ColumnsForm() : form.value_or(config.form));
    case InputFormat::attributes:
      return AttributesReader(std::move(lines), optional);
    case InputFormat::text:
      return LabelledTextReader(std::move(lines), optional);
    case InputFormat::svmlight:
      return SvmlightReader(std::move(lines), optional);
    case InputFormat::csv:
      return CsvReader(std::move(lines), config.csv, optional);
  }
  throw std::logic_error("no such format");
}

const std::string& SequenceSource::name() const {
  return std::visit([](const auto& reader) -> const std::string& { return reader.name(); },
                    reader_);
}

bool SequenceSource::labelled() const { return labelled_; }

// Where cells are attributes, only those who ask for labels know that the last one is a label.
bool SequenceSource::has_label_cells(const ColumnSequence& rows) const {
  const ExtractionConfig& config = extractor_.config();
  if (rows.rows() == 0) return false;
  if (!config.more_columns) return rows.columns(0) == config.columns + 1;
  if (config.cell_attributes != CellAttributes::none && labels_ == Labels::optional) return false;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    if (rows.columns(t) <= config.columns) return false;
  }
  return true;
}

// Sets out.single and labelled_, too.
bool SequenceSource::read(InputSequence& out) {
  out.single = false;
  if (auto* const rows = std::get_if<RowReader>(&reader_)) {
    if (!rows->next(out.rows, out.line)) return false;
    const bool more = extractor_.config().more_columns;
    labelled_ = more ? has_label_cells(out.rows) : rows->labelled();
    return true;
  }
  if (auto* const texts = std::get_if<LabelledTextReader>(&reader_)) {
    out.single = true;
    if (!texts->next(out.document)) return false;
    labelled_ = texts->labelled();
    out.text.clear();
    out.text.node.end_list();
    return true;
  }
  bool found = false;
  if (auto* const rows = std::get_if<SvmlightReader>(&reader_)) {
    found = rows->next(out.text);
    out.single = !rows->has_groups();
  } else if (auto* const table = std::get_if<CsvReader>(&reader_)) {
    found = table->next(out.text);
    out.single = true;
  } else {
    found = std::get<AttributesReader>(reader_).next(out.text, out.lines);
  }
  labelled_ = out.text.has_labels();
  return found;
}

void SequenceSource::take_given(InputSequence& out) {
  if (auto* const rows = std::get_if<RowReader>(&reader_)) {
    rows->take_given(out.rows.rows(), out.given);
  } else if (auto* const texts = std::get_if<LabelledTextReader>(&reader_)) {
    texts->take_given(out.given);
  } else if (auto* const table = std::get_if<CsvReader>(&reader_)) {
    table->take_given(out.given);
    out.header = first_;
    if (first_ && header_ != nullptr) check_header(out);
  }
  first_ = false;
}

// Tables of one header become one table.
void SequenceSource::check_header(InputSequence& out) {
  GivenLines& given = out.given;
  if (given.marked.empty()) return;
  const std::size_t end = given.marked.front().end;
  const std::string own = given.text.substr(0, end);
  if (header_->empty()) {
    *header_ = own;
    return;
  }
  if (own != *header_) {
    throw InputError({name(), 1}, "a header that is not that of the first table", own,
                     "give tables of the same columns in the same order");
  }
  const std::size_t next = given.text.find('\n', end) + 1;
  given.text.erase(0, next);
  given.marked.erase(given.marked.begin());
  for (GivenLines::Line& each : given.marked) each.begin -= next, each.end -= next;
  out.header = false;
}

bool SequenceSource::read_next(InputSequence& out) {
  const bool found = read(out);
  if (keeps_given_) {
    if (!found) out.rows.clear();
    take_given(out);
    if (!found) rest_ = out.given.text;
  }
  if (!found) {
    if (!any_) fail_no_sequences(name());
    return false;
  }
  any_ = true;
  out.labelled = labelled_;
  if (labels_ == Labels::optional) return true;
  if (extractor_.config().format == InputFormat::columns) {
    require_labels(out.rows, name());
  } else if (extractor_.config().format != InputFormat::text) {  // whose reader did it
    require_labels(out.text, name());
  }
  return true;
}

// A document, and what comes behind it.
struct SequenceSource::ReadAhead {
  ReadAhead(const SequenceModel& first, const DocumentPass& pass)
      : context(first, pass), rule(pass.by) {}
  DocumentContext context;
  DocumentRule rule;
  ThreadPool alone{1};
  ThreadPool* pool = &alone;
  std::vector<InputSequence> document;
  std::size_t used = 0;  // sequences of it that have been handed on
  InputSequence behind;  // has been read
  bool begun = false;    // something has been read
  bool any = false;      // `behind` is a sequence
  bool begins = false;   // which begins a document
};

void SequenceSource::look_at_documents(const SequenceModel& first, const DocumentPass& pass) {
  ahead_ = std::make_shared<ReadAhead>(first, pass);
}

void SequenceSource::label_documents_on(ThreadPool& pool) {
  if (!ahead_) return;
  if (!pool.ranks().alone()) {
    throw UsageError(
        "the model looks at documents, and several processes would divide them: start croft "
        "without mpirun");
  }
  ahead_->pool = &pool;
}

void SequenceSource::read_ahead() {
  ReadAhead& a = *ahead_;
  a.any = read_next(a.behind);
  a.begins = a.any && a.rule.begins(a.behind.rows, a.behind.line, name());
}

// False at the end.
bool SequenceSource::read_document() {
  ReadAhead& a = *ahead_;
  a.document.clear();
  a.used = 0;
  if (!std::exchange(a.begun, true)) read_ahead();
  while (a.any && (a.document.empty() || !a.begins)) {
    a.document.push_back(std::move(a.behind));
    a.behind = {};
    read_ahead();
  }
  std::vector<ColumnSequence*> rows;
  for (InputSequence& each : a.document) {
    extractor_.check_cells(each.rows, name(), has_label_cells(each.rows));
    rows.push_back(&each.rows);
  }
  a.context.complete(rows, *a.pool);
  return !rows.empty();
}

bool SequenceSource::next(InputSequence& out) {
  if (!ahead_) return read_next(out);
  if (ahead_->used == ahead_->document.size() && !read_document()) return false;
  std::swap(out, ahead_->document[ahead_->used++]);
  labelled_ = out.labelled;
  return true;
}

void SequenceSource::parse(InputSequence& out) const {
  if (extractor_.config().format != InputFormat::attributes) return;
  parse_attributes(out.lines, name(), out.text.node);
}

void SequenceSource::extract_labels(InputSequence& out) const {
  if (extractor_.config().format == InputFormat::columns) {
    extractor_.extract_labels(out.rows, has_label_cells(out.rows), out.text);
  }
  check_sizes(out.text, name());
}

void SequenceSource::extract(InputSequence& out, Extractor::Scratch& scratch) const {
  switch (extractor_.config().format) {
    case InputFormat::columns:
      extractor_.extract(out.rows, has_label_cells(out.rows), scratch, out.text, name());
      return;
    case InputFormat::text:
      extractor_.extract(out.document, scratch, out.text, name());
      break;
    default:
      parse(out);
      extractor_.complete(out.text, scratch, name());
  }
  check_sizes(out.text, name());
}

}  // namespace croft
