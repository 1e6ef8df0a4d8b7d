// croft convert
#include <fmt/format.h>

#include <array>

#include "app/convert/convert.h"
#include "app/file_checks.h"
#include "cli/common.h"
#include "cli/verb.h"
#include "core/files.h"
#include "croft/core/error.h"
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

docs/hmm.md says what a conversion of models keeps exactly, docs/other_models.md what of the files of
CRFsuite, Wapiti and CRF++, docs/formats.md what columns and spans are.)";

std::span<const OptionRow> convert_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("INPUT", "FILE", "Model, or data (- is standard input), to read").needed().unnamed(),
      file("output", "FILE",
           "File to write (required of models; of data, without: standard output)")
          .short_as('o'),
      words("to", "spans|columns|KIND|PROGRAM",
            "spans or columns; of models the kind, where there are several, or crfsuite, wapiti or "
            "crfpp: a file that this program reads"),
      words("label-scheme", "SCHEME=auto",
            "How labels spell spans: bio, bio1, ioe, bioes; to spans also raw (each but O is one); "
            "auto: as they look, to columns bio")
          .at_first("auto"),
      flag("unlabelled", "With --to spans: the last column is no label, but a cell of the token"),
  });
  return kRows;
}

struct ConvertCommand {
  const OptionValues& values;
  const std::string input{values.text("INPUT")}, output{values.text("output")},
      to{values.text("to")}, scheme{values.text("label-scheme")};
  const bool unlabelled = values.flag("unlabelled");
};

std::string conversion_help() {
  std::string text =
      "\nData: --to spans makes JSON lines of tokens and spans of columns, --to columns the "
      "reverse.\nModels, and what a conversion keeps:\n";
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

bool is_data(const ConvertCommand& c) { return c.to == "spans" || c.to == "columns"; }

void convert_data(const ConvertCommand& c, const WriteText& write) {
  const ChunkScheme scheme = chunk_scheme_from_name(c.scheme);
  if (c.to == "spans") {
    columns_to_spans(c.input, scheme, c.unlabelled, write);
  } else {
    spans_to_columns(c.input, scheme, write);
  }
}

int run_data(const ConvertCommand& c) {
  if (c.unlabelled && (c.to != "spans" || c.scheme != "auto")) {
    throw UsageError(
        c.to == "spans"
            ? Message("--unlabelled says that there are no labels: leave out --label-scheme")
            : "--unlabelled goes with --to spans: lines say themselves whether they "
              "have spans");
  }
  if (c.output.empty()) {
    convert_data(c, write_result);
    return kDone;
  }
  if (same_file(c.input, c.output)) {
    throw UsageError("--output ", c.output, " would replace the input; give another name");
  }
  AtomicFile file(c.output);
  convert_data(c, [&](std::string_view text) { file.write(text); });
  file.commit();
  return kDone;
}

int run_convert(const OptionValues& values) {
  const ConvertCommand c{values};
  if (is_data(c)) return run_data(c);
  if (c.output.empty()) throw UsageError("--output is required; see croft convert --help");
  if (c.unlabelled || c.scheme != "auto") {
    throw UsageError(
        "--label-scheme and --unlabelled are of data: they go with --to spans and --to columns");
  }
  const std::string made = convert_model(c.input, c.to, c.output);
  std::fprintf(stderr, "%s: %s\n", c.output.c_str(), made.c_str());
  return kDone;
}

}  // namespace

const Verb kConvert = {
    .name = "convert",
    .summary = "Turn a model into one of another kind, or data into another format",
    .options = [] { return tables(convert_options(), common_options()); },
    .footer = [] { return conversion_help() + kConvertFooter; },
    .run = run_convert};

}  // namespace croft::cli
