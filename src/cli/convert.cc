// croft convert
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/convert/convert_data.h"
#include "cli/common.h"
#include "core/atomic_file.h"
#include "croft/app/convert.h"
#include "croft/core/error.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft convert hmm.croft -o chain.croft
  croft predict -m chain.croft --marginals new.conll
  croft convert --to spans train.conll > train.jsonl
  croft convert --to columns --label-scheme bioes -o train.conll train.jsonl

docs/hmm.md says what a conversion of models keeps exactly, docs/formats.md what columns and spans
are.)";

struct ConvertCommand {
  std::string input, output, to, scheme = "auto";
  bool unlabelled = false;
  CommonOptions common;
};

std::string conversion_help() {
  std::string text =
      "\nData: --to spans makes JSON lines of tokens and spans of columns, --to columns the "
      "reverse.\nModels, and what a conversion keeps:\n";
  for (const Conversion& each : conversions()) {
    text += fmt::format("  {:<32}{}\n", fmt::format("{} to {}", each.from, each.to), each.what);
  }
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
    throw UsageError(c.to == "spans"
                         ? "--unlabelled says that there are no labels: leave out --label-scheme"
                         : "--unlabelled goes with --to spans: lines say themselves whether they "
                           "have spans");
  }
  if (c.output.empty()) {
    convert_data(c, write_result);
    return kDone;
  }
  std::error_code none;
  if (c.input == c.output || std::filesystem::equivalent(c.input, c.output, none)) {
    throw UsageError("--output " + c.output + " would replace the input; give another name");
  }
  AtomicFile file(c.output);
  convert_data(c, [&](std::string_view text) { file.write(text); });
  file.commit();
  return kDone;
}

int run(const ConvertCommand& c) {
  if (is_data(c)) return run_data(c);
  if (c.output.empty()) throw CLI::RequiredError("--output");
  if (c.unlabelled || c.scheme != "auto") {
    throw UsageError(
        "--label-scheme and --unlabelled are of data: they go with --to spans and --to columns");
  }
  const Conversion& taken = convert_model(c.input, c.to, c.output);
  std::fprintf(
      stderr, "%s",
      fmt::format("{}: a model of kind {}, from one of kind {}\n", c.output, taken.to, taken.from)
          .c_str());
  return kDone;
}

}  // namespace

void add_convert(Program& program) {
  CLI::App* verb = program.app.add_subcommand(
      "convert", "Turn a model into one of another kind, or data into another format");
  auto c = std::make_shared<ConvertCommand>();
  verb->add_option("INPUT", c->input, "Model, or data (- is standard input), to read")->required();
  verb->add_option("-o,--output", c->output,
                   "File to write (required of models; of data, without: standard output)");
  verb->add_option("--to", c->to, "spans or columns; of models the kind, where there are several")
      ->option_text("spans|columns|KIND");
  verb->add_option("--label-scheme", c->scheme,
                   "How labels spell spans: bio, bio1, ioe, bioes; to spans also raw (each but O "
                   "is one); auto: as they look, to columns bio")
      ->option_text("SCHEME=auto");
  verb->add_flag("--unlabelled", c->unlabelled,
                 "With --to spans: the last column is no label, but a cell of the token");
  add_common(*verb, c->common);
  verb->footer(conversion_help() + kFooter);
  verb->callback([c, &program] { program.status = run(*c); });
}

}  // namespace croft::cli
