// croft card
#include <optional>
#include <utility>

#include "app/inspect/model_card.h"
#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "model/kinds/model_file.h"

namespace croft::cli {
namespace {

constexpr const char* kCardFooter = R"(
Example:
  croft card -m m.croft test.conll > m.md
  croft card -m m.croft test.conll --notes use.md -o m.html

What a colleague wants to know of a model: its labels, its scores, its mistakes, its strongest
features, how it was trained.  --notes adds what it is for, and what not.)";

std::span<const OptionRow> card_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row(),
      file("DATA", "FILE",
           "Labelled data that it was not trained on, in the form of its training data: adds "
           "scores and mistakes")
          .unnamed(),
      file("notes", "FILE",
           "Markdown to be put on the page; of it HTML has headings, paragraphs, lists, code, "
           "emphasis and links"),
      choice("format", "FORMAT", {"markdown", "html"},
             "markdown or html; without: by the name of --output (.html, .htm; .json: as --json), "
             "or markdown"),
      whole("top", "N=5", "So many features of each label").at_first("5"),
      file("output", "FILE", "Where the page goes; without: standard output")
          .written_as("the page ")
          .short_as('o'),
      json_row("One JSON document instead").without("format"),
  });
  return kRows;
}

enum class PageForm { markdown, html, json };

// As the options or else the name of the file say it.  Throws UsageError where these differ.
PageForm form_of_page(const OptionValues& values, std::string_view output) {
  std::optional<PageForm> named, asked;
  static constexpr auto kEnds =
      std::to_array<std::pair<std::string_view, PageForm>>({{".md", PageForm::markdown},
                                                            {".html", PageForm::html},
                                                            {".htm", PageForm::html},
                                                            {".json", PageForm::json}});
  for (const auto& [end, form] : kEnds) {
    if (output.ends_with(end)) named = form;
  }
  values.choose("format", {std::optional(PageForm::markdown), std::optional(PageForm::html)},
                asked);
  if (values.flag("json")) asked = PageForm::json;
  if (asked && named && *asked != *named) {
    throw UsageError("--output ", output, " has the name of another form than ",
                     values.flag("json") ? Message("--json") : Message("--format"),
                     " asks for: rename the file, or leave the option out");
  }
  return asked.value_or(named.value_or(PageForm::markdown));
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
  const PageForm form = form_of_page(values, output);
  ResultFile file;
  if (!output.empty()) file.open(output);
  const Json card = model_card(*open_model(model), model, request);
  const CardFormat format = form == PageForm::html ? CardFormat::html : CardFormat::markdown;
  write_answer(
      form == PageForm::json, [&] { return card; }, [&] { return format_card(card, format); });
  file.commit();
  return kDone;
}

}  // namespace

const Verb kCard = {.name = "card",
                    .summary = "Write a page about a model: scores, mistakes, how it was trained",
                    .options = [] { return tables(card_options(), common_options()); },
                    .footer = [] { return std::string(kCardFooter); },
                    .run = run_card,
                    .gives_up = true};

}  // namespace croft::cli
