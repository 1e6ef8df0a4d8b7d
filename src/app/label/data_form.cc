#include "app/label/data_form.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "app/convert/texts/convert_texts.h"
#include "app/label/model_tokenizer.h"
#include "app/label/row_reader.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "data/checks.h"
#include "features/extraction.h"
#include "model/kinds/sequence_model.h"
#include "train/options/training_options.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 6> kOwnFormats{"columns", "spans",    "attributes",
                                                      "text",    "svmlight", "csv"};

// Another program's format; its name is enough to read it.
bool is_of_another_program(const TextFormat& format) {
  return format.trains || format.name == "raw";
}

// Those whose texts are cut into tokens: "raw, prodigy, …".
std::string cut_formats() {
  std::string names;
  for (const TextFormat& each : text_formats()) {
    if (!each.cuts || !is_of_another_program(each)) continue;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names;
}

// The formats that take the option: "prodigy, doccano, …".
std::string formats_with(std::string_view option) {
  std::string names;
  for (const TextFormat& each : text_formats()) {
    if (takes(each, option)) names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names;
}

const TextFormat* find_foreign(std::string_view name) {
  const TextFormat* const found = find_text_format(name);
  return found != nullptr && is_of_another_program(*found) ? found : nullptr;
}

}  // namespace

bool is_read_as_spans(std::string_view format) {
  const TextFormat* const foreign = find_foreign(format);
  return format == kSpanFormat || (foreign != nullptr && !foreign->labels_tokens);
}

OptionRow data_format_row() {
  std::vector<std::string_view> names{kOwnFormats.begin(), kOwnFormats.end()};
  for (const TextFormat& each : text_formats()) {
    if (is_of_another_program(each)) names.push_back(each.name);
  }
  return option::choice(
             "format", "FORMAT", std::move(names),
             "How DATA is written: for a model of columns, columns, spans (JSON lines), raw (text, "
             "a sequence a line), conllu, or what prodigy, doccano and brat write, segmented "
             "(words "
             "with blanks between); for one of texts, text or csv (--text-column); otherwise "
             "as the model has it; without: as it was trained")
      .elsewhere(other_format_names());
}

OptionRow tokenizer_row() {
  static const std::string kHelp = "Of texts (" + cut_formats() +
                                   "): words, blanks, characters, regex:EXPRESSION, or "
                                   "model:FILE; without: the model's, or words";
  return option::words("tokenizer", "TOKENIZER", kHelp);
}

OptionRow data_label_row() {
  return label_column_row(
      "The one with the labels: of columns its number, from 1 on, of conllu its name; without: "
      "that of training");
}

OptionRow data_misaligned_row() { return misaligned_row("WHAT"); }

OptionRow data_text_column_row() {
  return option::words("text-column", "COLUMN",
                       "Of csv, for a model of texts: the column that has them; without: that of "
                       "training");
}

void read_columns_form(const OptionValues& values, std::string_view format, ColumnsForm& form,
                       std::string& field) {
  const TextFormat* const foreign = find_foreign(format);
  const bool columns = format == "columns", fields = foreign != nullptr && foreign->labels_tokens;
  for (const std::string_view name : {"label-column", "ignore-lines"}) {
    if (!values.given(name) || columns || (fields && name == "label-column")) continue;
    throw UsageError(Message::option(name),
                     " is of rows of columns, and the data is of another "
                     "format");
  }
  if (fields) {
    values.read("label-column", field);
  } else if (values.given("label-column")) {
    form.label_column = column_number(values.text("label-column"));
  }
  values.read("ignore-lines", form.ignored);
  form.validate();
}

void read_misaligned(const OptionValues& values, std::string_view format, Misaligned& out) {
  if (!values.given("misaligned")) return;
  const TextFormat* const known = find_text_format(format);
  if (known == nullptr || !takes(*known, "misaligned")) {
    throw UsageError("--misaligned is of spans that other programs place in texts, as ",
                     formats_with("misaligned"), " have them",
                     format.empty() ? "" : ", and not of format " + std::string(format));
  }
  values.choose("misaligned", {Misaligned::refuse, Misaligned::widen, Misaligned::drop}, out);
}

void read_tokenizer(const OptionValues& values, std::string_view format,
                    std::shared_ptr<const TextTokenizer>& out) {
  if (!values.given("tokenizer")) return;
  const TextFormat* const foreign = find_foreign(format);
  if (foreign == nullptr || !foreign->cuts) {
    throw UsageError("--tokenizer cuts texts into tokens: --format ", cut_formats());
  }
  out = text_tokenizer(values.text("tokenizer"));
}

namespace {

// What an object has under this name, where it has a text.
std::string text_at(const Json& object, std::string_view name) {
  const Json* const found = object.get_if(name);
  return found != nullptr && found->is_string() ? found->string() : std::string();
}

OptionValues none_given() {
  static const auto kRows =
      std::to_array<OptionRow>({data_format_row(), tokenizer_row(), data_label_row(),
                                ignore_lines_row(), data_text_column_row(), data_misaligned_row()});
  return OptionValues({std::span(kRows)});
}

// Of a table with a column of texts, as its training's options had it.
TextReading table_reading(const OptionValues& values, const Json& training) {
  const Json trained = training.value("options", Json::object());
  TextReading reading;
  reading.text_column = values.given("text-column") ? std::string(values.text("text-column"))
                                                    : text_at(trained, "text-column");
  if (reading.text_column.empty()) {
    throw UsageError("--format csv: ", Message::option("text-column"),
                     " names the column that has the texts");
  }
  reading.label_column = text_at(trained, "label");
  static const OptionRow kRow = delimiter_row();
  OptionValues delimiter({std::span(&kRow, 1)});
  if (trained.contains("delimiter")) delimiter.set("delimiter", text_at(trained, "delimiter"));
  read_delimiter(delimiter, reading.delimiter);
  return reading;
}

}  // namespace

DataForm::DataForm(const SequenceModel& model) : DataForm(none_given(), model) {}

DataForm::DataForm(const OptionValues& values, const SequenceModel& model, ChunkScheme chunks) {
  const Json training = model.meta().value("training", Json::object());
  const ExtractionConfig& config = model.extractor().config();
  const std::string named =
      values.given("format") ? std::string(values.text("format")) : text_at(training, "format");
  const TextFormat* const foreign = find_foreign(named);
  const bool table = named == "csv" && config.format == InputFormat::text;
  if (foreign != nullptr || table) format_ = named;
  read_tokenizer(values, named, reading_.tokenizer);
  read_misaligned(values, named, reading_.misaligned);
  says_misaligned_ = values.given("misaligned");
  if (values.given("text-column") && !table) {
    throw UsageError(Message::option("text-column"),
                     " is of --format csv, where the model was trained on texts");
  }
  if (table) reading_ = table_reading(values, training);
  if (foreign != nullptr && foreign->cuts && reading_.tokenizer == nullptr) {
    reading_.tokenizer = tokenizer_of(model);
  }
  utf8_ = training.value("utf8", Json(true)) != Json(false);
  const std::string_view read = table                    ? "text"
                                : foreign == nullptr     ? named
                                : foreign->labels_tokens ? "columns"
                                                         : std::string_view(kSpanFormat);
  spans_ = spans_for(model, read, chunks);
  const bool columns = config.format == InputFormat::columns && !spans_ && format_.empty();
  if (columns) columns_ = config.form;
  if (foreign != nullptr && foreign->labels_tokens) {
    reading_.label_column = text_at(training.value("options", Json::object()), "label-column");
  }
  read_columns_form(values, columns ? "columns" : format_, columns_, reading_.label_column);
}

LineReader DataForm::lines(const std::string& path, bool labelled,
                           const std::function<void(const std::string&)>& warn) const {
  TextReading reading = reading_;
  reading.labels = labelled ? TableLabels::needed : TableLabels::if_there;
  if (!labelled && !says_misaligned_) reading.misaligned = Misaligned::unlabel;
  reading.warn = warn;
  LineReader lines =
      format_.empty() ? LineReader(path) : foreign_lines(path, format_, std::move(reading));
  if (utf8_ && warn) {
    lines.when_not_utf8([warn](const Location& at) { warn(not_utf8_warning(at)); });
  }
  return lines;
}

}  // namespace croft
