// croft convert
#include <fmt/format.h>

#include "app/convert/convert.h"
#include "app/convert/texts/convert_texts.h"
#include "app/convert/texts/text_readers.h"
#include "app/file_checks.h"
#include "app/label/data_form.h"
#include "app/label/model_tokenizer.h"
#include "cli/common.h"
#include "cli/verb.h"
#include "core/files.h"
#include "croft/core/error.h"
#include "data/comma_list.h"
#include "model/foreign/foreign_chain.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kConvertFooter = R"(
Example:
  croft convert hmm.croft -o chain.croft
  croft convert model.crfsuite -o model.croft
  croft convert chain.croft --to wapiti -o chain.wapiti
  croft predict -m chain.croft --marginals new.conll
  croft convert --to spans train.conll > train.jsonl
  croft convert --to columns --label-scheme bioes -o train.conll train.jsonl
  croft convert --from doccano --to spans annotated.jsonl > train.jsonl
  croft convert --from conllu --to columns en-ud-train.conllu > train.conll
  croft convert --from csv --text-column review --label-column stars --to text reviews.csv > train.tsv
  croft convert --from spans --to html -o page.html labelled.jsonl

docs/hmm.md says what a conversion of models keeps exactly, docs/other_models.md what of the files of
CRFsuite, Wapiti and CRF++, docs/formats.md what columns and spans are.)";

std::vector<std::string_view> names_of_formats() {
  std::vector<std::string_view> names;
  for (const TextFormat& each : text_formats()) names.push_back(each.name);
  return names;
}

std::span<const OptionRow> convert_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("INPUT", "FILE", "Model, or data (- is standard input), to read").needed().unnamed(),
      file("output", "FILE",
           "File to write (required of models; of data, without: standard output)")
          .written_as("")
          .short_as('o'),
      choice("from", "FORMAT", names_of_formats(), "Of data: what it is; see below")
          .elsewhere(other_format_names()),
      choice("to", "FORMAT|KIND|PROGRAM", conversion_targets(),
             "Of data its format, see below; of models the kind, where there are several, or "
             "crfsuite, wapiti or crfpp: a file that this program reads")
          .elsewhere(other_format_names()),
      words(
          "tokenizer", "TOKENIZER=words",
          "How texts become tokens: words, blanks, characters, regex:EXPRESSION, or model:FILE, a "
          "segmenter (train --format segmented)")
          .beside("from"),
      misaligned_row().beside("from"),
      words("text-column", "NAME", "Of csv: the column that has the texts").beside("from"),
      delimiter_row("DELIMITER",
                    "Of csv: what is between cells: comma, tab or semicolon; without: tab of a "
                    ".tsv, else comma")
          .beside("from"),
      words("label-column", "COLUMN",
            "Of csv the name of the column with the labels of the texts; of conllu that of the "
            "words (upos without it); of columns its number, from 1 on")
          .beside("from"),
      words("cells", "NAME,NAME", "Of conllu: the columns that a token keeps (form without it)")
          .beside("from"),
      words("ignore-lines", "EXPRESSION",
            "Of columns: lines that match the regular expression are skipped, such as ^#")
          .beside("from"),
      file("label-names", "FILE",
           "Of huggingface: what the numbers of tags stand for, a name a line, from 0 on")
          .beside("from"),
      words("label-scheme", "SCHEME=auto",
            "How labels spell spans: bio, bio1, ioe, bioes; to spans also raw (each but O is one); "
            "auto: as they look; columns keep labels of tokens, and spell spans as bio")
          .at_first("auto"),
      flag("unlabelled", "Of columns: the last one is no label, but a cell of the token"),
  });
  return kRows;
}

struct ConvertCommand {
  const OptionValues& values;
  const std::string input{values.text("INPUT")}, output{values.text("output")},
      to{values.text("to")}, scheme{values.text("label-scheme")}, from{values.text("from")};
  const bool unlabelled = values.flag("unlabelled");
};

std::string conversion_help() {
  std::string text = "\nFormats of data that --from reads:\n";
  for (const TextFormat& each : text_formats()) {
    text += fmt::format("  {:<14}{}\n", each.name, each.help);
  }
  text +=
      "Formats of data that --to writes (without --from: spans from columns, others from spans):\n";
  for (const TextOutput& each : text_outputs()) {
    text += fmt::format("  {:<14}{}\n", each.name, each.help);
  }
  text += "Models, and what a conversion keeps:\n";
  for (const KindRow& kind : kind_rows()) {
    if (kind.conversion.make == nullptr) continue;
    text += fmt::format("  {:<32}{}\n", fmt::format("{} to {}", kind.name, kind.conversion.to),
                        kind.conversion.what);
  }
  for (const ForeignFormat& format : foreign_formats()) {
    if (format.name.empty()) continue;
    text += fmt::format("  {:<32}all that such a file can say, else an error that says what not\n",
                        fmt::format("chain, maxent, memm to {}", format.name));
  }
  text += fmt::format("  {:<32}everything\n", "from files of these programs");
  return text;
}

bool is_data(const ConvertCommand& c) {
  return !c.from.empty() || find_text_output(c.to) != nullptr;
}

TextReading reading_of(const ConvertCommand& c) {
  TextReading reading;
  const OptionValues& values = c.values;
  if (values.given("tokenizer")) reading.tokenizer = text_tokenizer(values.text("tokenizer"));
  read_misaligned(values, c.from, reading.misaligned);
  reading.text_column = values.text("text-column");
  reading.label_column = values.text("label-column");
  reading.ignore_lines = values.text("ignore-lines");
  if (values.given("cells")) {
    for (const std::string_view each : between_commas(values.text("cells"))) {
      reading.cells.emplace_back(each);
    }
  }
  reading.unlabelled = c.unlabelled;
  read_delimiter(values, reading.delimiter);
  if (values.given("label-names")) {
    LineReader lines{std::string(values.text("label-names"))};
    for (std::string_view line; lines.next(line);) reading.label_names.emplace_back(line);
  }
  return reading;
}

void write_data(const ConvertCommand& c, const WriteText& write) {
  TextConversion conversion{.from = c.from, .to = c.to, .reading = reading_of(c)};
  conversion.writing.scheme = chunk_scheme_from_name(c.scheme);
  conversion.writing.title = c.input == "-" ? "Labelled text" : c.input;
  const ChangedSpans changed = convert_data(c.input, conversion, write);
  const std::string text = changed.text(conversion.reading.misaligned);
  if (!text.empty()) note("note: " + text);
}

int run_data(const ConvertCommand& c) {
  if (c.output.empty()) {
    write_data(c, write_result);
    return kDone;
  }
  if (!c.from.empty()) check_not_read(files_of_texts(c.input, c.from), "output", c.output);
  AtomicFile file(c.output);
  write_data(c, [&](std::string_view text) { file.write(text); });
  file.commit();
  return kDone;
}

int run_convert(const OptionValues& values) {
  const ConvertCommand c{values};
  if (is_data(c)) return run_data(c);
  if (c.output.empty()) {
    throw UsageError(
        c.to.empty()
            ? Message("of data --to is required, the format to write, and of models --output")
            : Message("--to ", in_quotes(c.to),
                      " is no format of data: of models --output is required"),
        "; see croft convert --help");
  }
  if (c.unlabelled || c.scheme != "auto") {
    throw UsageError(
        "--label-scheme and --unlabelled are of data: they go with --to spans and --to columns");
  }
  const std::string made = convert_model(c.input, c.to, c.output);
  note(c.output + ": " + made);
  return kDone;
}

}  // namespace

const Verb kConvert = {
    .name = "convert",
    .summary = "Turn a model into one of another kind, or data into another format",
    .options = [] { return tables(convert_options(), common_options()); },
    .footer = [] { return conversion_help() + kConvertFooter; },
    .run = run_convert,
    .gives_up = true};

}  // namespace croft::cli
