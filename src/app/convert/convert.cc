#include "app/convert/convert.h"

#include <algorithm>
#include <set>
#include <vector>

#include "app/file_checks.h"
#include "core/files.h"
#include "core/json.h"
#include "core/unicode.h"
#include "core/words/closest_name.h"
#include "croft/core/error.h"
#include "data/checks.h"
#include "model/foreign/foreign_chain.h"
#include "model/kinds/chain_model.h"
#include "model/kinds/model_file.h"

namespace croft {

ContainerWriter with_kind(const Container& container, std::string_view kind) {
  ContainerWriter out;
  for (const Container::Entry& entry : container.entries()) {
    if (entry.name == "meta") {
      Json meta = parse_json(container.text("meta"));
      meta["kind"] = kind;
      out.add("meta", meta.dump(1, InvalidUtf8::replace));
      continue;
    }
    const std::span<const std::byte> bytes = container.section(entry.name);
    using Kind = ContainerWriter::Kind;
    out.add(entry.name, {bytes.begin(), bytes.end()},
            entry.required ? Kind::required
            : entry.bulk   ? Kind::bulk
                           : Kind::small);
  }
  return out;
}

namespace {

const KindRow& conversion_of(const SequenceModel& model, std::string_view to) {
  const KindRow& row = kind_of(model);
  if (row.conversion.make != nullptr && (to.empty() || to == row.conversion.to)) return row;
  std::string all;
  for (const KindRow& each : kind_rows()) {
    if (each.conversion.make == nullptr) continue;
    all += (all.empty() ? "" : ", ") + std::string(each.name) + " to " +
           std::string(each.conversion.to);
  }
  if (row.conversion.to.empty() && !row.conversion.what.empty()) {
    throw UsageError(model.container().name() + ": a model of kind " + model.kind() + " " +
                     std::string(row.conversion.what) +
                     ", and there is nothing to convert it to; the conversions are: " + all);
  }
  for (const ForeignFormat& format : foreign_formats()) {
    if (!format.name.empty()) all += ", chains to " + std::string(format.name);
  }
  throw UsageError(model.container().name() + ": no conversion from a model of kind " +
                   model.kind() + (to.empty() ? "" : " to " + std::string(to)) +
                   "; there are: " + all);
}

void write_bytes(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace

std::string convert_model(const std::string& input, std::string_view to,
                          const std::string& output) {
  if (same_file(input, output)) {
    throw UsageError("--output ", output, " would replace the input; give it another name");
  }
  const ForeignFormat* const from = foreign_format_of_file(input);
  const auto model = read_model(read_model_file(input));
  const std::string kind = "a model of kind " + model->kind();
  const std::string origin =
      from == nullptr ? kind
                      : "a model of " + std::string(from->program) + " of kind " + model->kind();
  if (const ForeignFormat* const format = foreign_format_named(to)) {
    write_bytes(output, format->write(foreign_chain(*model), input));
    return "a model of " + std::string(format->program) + ", from " + origin;
  }
  if (from != nullptr && (to.empty() || to == model->kind())) {
    const std::span<const std::byte> bytes = model->container().bytes();
    write_bytes(output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return kind + ", from " + origin;
  }
  if (model->calibrator()) {
    throw UsageError(input +
                     " is calibrated, and a conversion keeps the probabilities of a model "
                     "that is not; convert the model that it was made from, and calibrate that");
  }
  const KindRow& row = conversion_of(*model, to);
  row.conversion.make(*model).write(output);
  return "a model of kind " + std::string(row.conversion.to) + ", from one of kind " +
         model->kind();
}

std::vector<std::string_view> conversion_targets() {
  std::vector<std::string_view> names;
  for (const TextOutput& each : text_outputs()) names.push_back(each.name);
  // The kinds that files of other programs are, and those of conversions.
  for (const ChainKind kind : {ChainKind::chain, ChainKind::maxent, ChainKind::memm}) {
    names.push_back(name_of(kind));
  }
  for (const KindRow& row : kind_rows()) {
    if (row.conversion.make == nullptr) continue;
    if (std::ranges::find(names, row.conversion.to) == names.end()) {
      names.push_back(row.conversion.to);
    }
  }
  for (const ForeignFormat& format : foreign_formats()) {
    if (!format.name.empty()) names.push_back(format.name);
  }
  return names;
}

namespace {

// The tokens of rows, and their labels as spans.
std::string line_of(const ColumnSequence& rows, ChunkScheme scheme, bool unlabelled) {
  SpanSequence out;
  out.columns = rows.columns(0) - (unlabelled ? 0 : 1);
  std::vector<std::string_view> labels;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    for (std::size_t c = 0; c < out.columns; ++c) out.cells.emplace_back(rows.cell(t, c));
    if (!unlabelled) labels.push_back(rows.cell(t, out.columns));
  }
  if (!unlabelled) out.spans = spans_of_labels(labels, scheme);
  return span_line(out);
}

// JSON is UTF-8.
void check_utf8(const ColumnSequence& rows, const std::string& name) {
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    if (is_valid_utf8(rows.line(t))) continue;
    throw InputError({name, rows.line_of(t)}, "a row that is not UTF-8, as JSON is", rows.line(t),
                     "convert the file to UTF-8 first");
  }
}

ChunkScheme scheme_of(const std::vector<ColumnSequence>& all) {
  std::set<std::string, std::less<>> labels;
  for (const ColumnSequence& rows : all) {
    for (std::size_t t = 0; t < rows.rows(); ++t) {
      labels.emplace(rows.cell(t, rows.columns(t) - 1));
    }
  }
  return span_scheme(std::vector<std::string_view>(labels.begin(), labels.end()));
}

[[noreturn]] void fail_no_chunks(const std::string& name) {
  throw UsageError(name,
                   ": the last column has labels that spell no chunks (B-X, I-X, O and the like); "
                   "--label-scheme raw makes each but O a span of one token, --unlabelled takes "
                   "all columns for cells of tokens");
}

void check_cells(const ColumnSequence& rows, const std::string& name) {
  if (rows.rows() == 0) {
    throw InputError({name, rows.first_line}, "a sequence without a token", "",
                     "leave it out: columns have no empty sequences");
  }
  if (const auto cell = unplain_cell(rows)) {
    throw InputError({name, rows.first_line}, "a token or label that cannot be a column", *cell,
                     "write another character for its blanks, such as _");
  }
}

}  // namespace

void columns_to_spans(const std::string& path, ChunkScheme scheme, bool unlabelled,
                      const WriteText& write) {
  if (scheme == ChunkScheme::none) fail_no_chunks(path);
  ColumnsReader reader{LineReader(path)};
  std::vector<ColumnSequence> held;
  ColumnSequence rows;
  const bool hold = !unlabelled && scheme == ChunkScheme::automatic;
  bool any = false;
  while (reader.next(rows)) {
    any = true;
    if (!unlabelled) require_labels(rows, reader.name());
    check_utf8(rows, reader.name());
    if (hold) {
      held.push_back(rows);
    } else {
      write(line_of(rows, scheme, unlabelled));
    }
  }
  if (!any && path != "-") fail_no_sequences(reader.name());  // a stream may have nothing to say
  if (!any || !hold) return;
  scheme = scheme_of(held);
  if (scheme == ChunkScheme::none) fail_no_chunks(reader.name());
  for (const ColumnSequence& each : held) write(line_of(each, scheme, false));
}

void spans_to_columns(const std::string& path, ChunkScheme scheme, const WriteText& write) {
  if (scheme == ChunkScheme::automatic) scheme = ChunkScheme::bio;
  RowReader reader(LineReader(path), scheme, 0, true);
  ColumnSequence rows;
  std::string line, out;
  std::size_t first = 0;  // line, from 1
  bool labelled = false;
  while (reader.next(rows, line)) {
    check_cells(rows, reader.name());
    if (first == 0) {
      first = rows.first_line;
      labelled = reader.labelled();
    } else if (labelled != reader.labelled()) {
      throw InputError({reader.name(), rows.first_line},
                       std::string(labelled ? "a line without" : "a line with") +
                           " \"spans\", unlike line " + std::to_string(first),
                       line, "columns have a label everywhere or nowhere");
    }
    out.clear();
    for (std::size_t t = 0; t < rows.rows(); ++t) out.append(rows.line(t)) += '\n';
    write(out += '\n');
  }
  if (first == 0 && path != "-") fail_no_sequences(reader.name());
}

ChangedSpans convert_data(const std::string& path, const TextConversion& conversion,
                          const WriteText& write) {
  const std::string_view to = conversion.to;
  if (find_text_output(to) == nullptr) {
    std::string names;
    std::vector<std::string_view> all;
    for (const TextOutput& each : text_outputs()) {
      names += (names.empty() ? "" : ", ") + std::string(each.name);
      all.push_back(each.name);
    }
    throw UsageError(to.empty() ? Message("--from needs --to: a format of data")
                                : Message("--to ", in_quotes(to), " is no format of data",
                                          did_you_mean(to, all)),
                     "; there are ", names);
  }
  if (!conversion.from.empty()) return convert_texts(path, conversion, write);
  const ChunkScheme scheme = conversion.writing.scheme;
  const bool unlabelled = conversion.reading.unlabelled;
  if (unlabelled && (to != "spans" || scheme != ChunkScheme::automatic)) {
    throw UsageError(to == "spans"
                         ? Message("--unlabelled says that there are no labels: leave out "
                                   "--label-scheme")
                         : "--unlabelled goes with --to spans: lines say themselves whether they "
                           "have spans");
  }
  if (to == "spans") {
    columns_to_spans(path, scheme, unlabelled, write);
    return {};
  }
  if (to == "columns") {
    spans_to_columns(path, scheme, write);
    return {};
  }
  TextConversion of_spans = conversion;
  of_spans.from = kSpanFormat;
  return convert_texts(path, of_spans, write);
}

}  // namespace croft
