// croft card
#include <array>

#include "app/file_checks.h"
#include "app/inspect/model_card.h"
#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "croft/core/error.h"
#include "croft/data/line_reader.h"

namespace croft::cli {
namespace {

constexpr const char* kCardFooter = R"(
Example:
  croft card m.croft test.conll > m.md
  croft card m.croft test.conll --notes use.md -o m.html

What a colleague wants to know of a model: its labels, its scores, its mistakes, its strongest
features, how it was trained.  --notes adds what it is for, and what not.)";

std::span<const OptionRow> card_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("model", "FILE", "Model file").short_as('m').or_unnamed("MODEL").needed(),
      file("DATA", "FILE", "Labelled data that it was not trained on: adds scores and mistakes")
          .unnamed(),
      file("notes", "FILE", "Markdown to be put on the page"),
      choice("format", "FORMAT", {"markdown", "html"},
             "markdown or html; without: by the name of --output, or markdown"),
      whole("top", "N=5", "So many features of each label").at_first("5"),
      file("output", "FILE", "Where the page goes; without: standard output").short_as('o'),
      json_row("One JSON document instead"),
  });
  return kRows;
}

int run_card(const OptionValues& values) {
  const std::string model(values.text("model")), output(values.text("output"));
  CardRequest request;
  request.data = values.text("DATA");
  if (request.data == "-") throw UsageError("card reads DATA twice: give a file");
  values.read("top", request.top);
  request.threads = common_of(values).threads;
  if (values.given("notes")) {
    LineReader lines{std::string(values.text("notes"))};
    for (std::string_view line; lines.next(line);) request.notes.append(line) += '\n';
  }
  ResultFile file;
  if (!output.empty()) {
    check_not_read(std::array{model, request.data, std::string(values.text("notes"))}, "output",
                   output, "the page ");
    file.open(output);
  }
  const Json card = model_card(*open_model(model), model, request);
  CardFormat format = output.ends_with(".html") ? CardFormat::html : CardFormat::markdown;
  values.choose("format", {CardFormat::markdown, CardFormat::html}, format);
  write_answer(
      values.flag("json"), [&] { return card; }, [&] { return format_card(card, format); });
  file.commit();
  return kDone;
}

}  // namespace

const Verb kCard = {.name = "card",
                    .summary = "Write a page about a model: scores, mistakes, how it was trained",
                    .options = [] { return tables(card_options(), common_options()); },
                    .footer = [] { return std::string(kCardFooter); },
                    .run = run_card};

}  // namespace croft::cli
