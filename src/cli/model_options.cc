#include "cli/model_options.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/convert/texts/convert_texts.h"
#include "app/label/model_tokenizer.h"
#include "app/label/row_reader.h"
#include "app/train/requests.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "data/checks.h"
#include "features/extraction.h"
#include "model/kinds/error_correcting_model.h"
#include "model/kinds/model_file.h"

namespace croft::cli {

OptionRow model_row() { return option::file("model", "FILE", "Model file").short_as('m').needed(); }

OptionRow data_row(std::string_view help) {
  return option::file("DATA", "FILE=- ...", help).at_first("-").repeated().unnamed();
}

namespace {

constexpr std::array<std::string_view, 6> kOwnFormats{"columns", "spans",    "attributes",
                                                      "text",    "svmlight", "csv"};

// Of another program, and all that has to be told of it is its name.
bool is_foreign(const TextFormat& format) {
  return (format.trains || format.takes.empty()) &&
         std::ranges::find(kOwnFormats, format.name) == kOwnFormats.end();
}

// Those whose texts are cut into tokens: "raw, prodigy, …".
std::string cut_formats() {
  std::string names;
  for (const TextFormat& each : text_formats()) {
    if (!each.cuts || !is_foreign(each)) continue;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names;
}

const TextFormat* find_foreign(std::string_view name) {
  const TextFormat* const found = find_text_format(name);
  return found != nullptr && is_foreign(*found) ? found : nullptr;
}

}  // namespace

bool is_read_as_spans(std::string_view format) {
  const TextFormat* const foreign = find_foreign(format);
  return format == kSpanFormat || (foreign != nullptr && !foreign->labels_tokens);
}

OptionRow data_format_row() {
  std::vector<std::string_view> names{kOwnFormats.begin(), kOwnFormats.end()};
  for (const TextFormat& each : text_formats()) {
    if (is_foreign(each)) names.push_back(each.name);
  }
  return option::choice(
      "format", "FORMAT", std::move(names),
      "How DATA is written: for a model of columns, columns, spans (JSON lines), raw (text, a "
      "sequence a line), conllu, or what prodigy, doccano and brat write, segmented (words "
      "with blanks between); otherwise "
      "as the model has it; without: as it was trained");
}

OptionRow tokenizer_row() {
  static const std::string kHelp = "Of texts (" + cut_formats() +
                                   "): words, blanks, characters, regex:EXPRESSION, or "
                                   "model:FILE; without: the model's, or words";
  return option::words("tokenizer", "TOKENIZER", kHelp);
}

OptionRow data_label_row() {
  return label_column_row(
      "Of columns: the one with the labels, from 1 on; without: that of training");
}

OptionRow chunks_row(std::string_view help) {
  return option::choice("chunks", "SCHEME=auto",
                        {"auto", "bio", "bio1", "ioe", "bioes", "raw", "none"}, help)
      .at_first("auto");
}

OptionRow decoder_row() {
  return option::choice(
      "decoder", "DECODER", {"product", "marginal", "distance", "bits"},
      "Of a model of kind error-correcting: product (of the bits' chains, a chain over labels), "
      "marginal, distance or bits; default: what it was trained with");
}

std::span<const OptionRow> decision_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("costs", "FILE",
           "Lines GOLD PREDICTED COST: choose the label of least expected cost under the marginals")
          .without("threshold")
          .of(kModelFiles),
      words("threshold", "LABEL=P ...",
            "Choose LABEL where its probability reaches P, and otherwise the most probable label "
            "without a threshold; may be given several times")
          .repeated()
          .of(kModelFiles),
  });
  return kRows;
}

ChoiceRequest read_decision(const OptionValues& values) {
  ChoiceRequest request;
  values.read("threshold", request.thresholds);
  if (!values.given("costs")) return request;
  LineReader lines{std::string(values.text("costs"))};
  request.costs = read_cost_file(lines);
  return request;
}

OptionRow json_row(std::string_view help) { return option::flag("json", help); }

std::string data_format(const OptionValues& values) { return std::string(values.text("format")); }

namespace {

// What the training record has under this name, where it has a text.
std::string recorded(const SequenceModel& model, std::string_view name) {
  const Json* const training = model.meta().get_if("training");
  const Json* const found = training == nullptr ? nullptr : training->get_if(name);
  return found != nullptr && found->is_string() ? found->string() : std::string();
}

bool is_of_utf8(const SequenceModel& model) {
  const Json* const training = model.meta().get_if("training");
  return training == nullptr || training->value("utf8", Json(true)) != Json(false);
}

}  // namespace

DataForm::DataForm(const OptionValues& values, const SequenceModel& model, ChunkScheme chunks) {
  const std::string named =
      values.given("format") ? data_format(values) : recorded(model, "format");
  const TextFormat* const foreign = find_foreign(named);
  if (foreign != nullptr) format_ = named;
  if (values.given("tokenizer") && (format_.empty() || !foreign->cuts)) {
    throw UsageError("--tokenizer cuts texts into tokens: --format ", cut_formats());
  }
  if (foreign != nullptr && foreign->cuts) {
    tokenizer_ =
        values.given("tokenizer") ? text_tokenizer(values.text("tokenizer")) : tokenizer_of(model);
  }
  utf8_ = is_of_utf8(model);
  const std::string_view read = foreign == nullptr       ? named
                                : foreign->labels_tokens ? "columns"
                                                         : std::string_view(kSpanFormat);
  spans_ = spans_for(model, read, chunks);
  const ExtractionConfig& config = model.extractor().config();
  const bool columns = config.format == InputFormat::columns && !spans_ && format_.empty();
  if (columns) columns_ = config.form;
  read_columns_form(values, columns, columns_);
}

LineReader DataForm::lines(const std::string& path) const {
  LineReader lines = format_.empty() ? LineReader(path) : foreign_lines(path, format_, tokenizer_);
  if (utf8_) {
    lines.when_not_utf8([](const Location& at) {
      std::fprintf(stderr, "warning: %s\n", not_utf8_warning(at).c_str());
    });
  }
  return lines;
}

ChunkScheme chunk_scheme(const OptionValues& values) {
  return chunk_scheme_from_name(values.text("chunks"));
}

std::shared_ptr<const SequenceModel> open_with_decoder(const OptionValues& values) {
  const std::string path(values.text("model"));
  auto model = open_model(path);
  if (!values.given("decoder")) return model;
  if (model->kind() != ErrorCorrectingModel::kKind) {
    throw UsageError("--decoder is of models of kind error-correcting, and ", path, " is of kind ",
                     model->kind());
  }
  return ErrorCorrectingModel::open(path, code_decoder_named(values.text("decoder")));
}

}  // namespace croft::cli
