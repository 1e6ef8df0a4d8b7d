// croft stack
#include "app/convert/stack.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/passed_options.h"
#include "cli/verb.h"
#include "croft/core/error.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kStackFooter = R"(
Example:
  croft stack -m hmm.croft --jackknife 10 train.conll > train.attributes
  croft train --format attributes -o crf.croft train.attributes
  croft stack -m hmm.croft new.conll | croft predict -m crf.croft -
  croft stack -m m.croft --jackknife 5 --elsewhere --group-by -DOCSTART- train.conll > a.attributes

Writes attribute lines: the attributes that `croft train` would give the data, and KIND=LABEL with
the model's probability of LABEL as its value. On the data that the model was trained on take
--jackknife: there it is surer of itself than it is elsewhere, and who learns from it would trust it
too much.  The models of the parts are trained as -m was, as far as its file says how; options of
`croft train` beside --jackknife say the rest.  docs/features.md)";

// Options of train that the model itself answers, or that this verb has for something else.
constexpr std::string_view kOfModel[] = {
    "model", "format", "template", "kit", "init", "template-language", "prior"};

std::span<const OptionRow> options_of_parts() {
  static const std::vector<OptionRow> kRows = [] {
    std::vector<OptionRow> rows;
    for (const OptionRow& row : passed_options()) {
      if (std::ranges::find(kOfModel, row.name) == std::end(kOfModel)) rows.push_back(row);
    }
    return rows;
  }();
  return kRows;
}

std::span<const OptionRow> stack_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row(),
      data_row("Data in the form of the model's training data; without: standard input"),
      whole("jackknife", "K",
            "Cut the labelled data into K parts, each labelled by a model trained on the others as "
            "this one was")
          .from(2),
      flag("elsewhere",
           "Attributes of the labels that the model gives the same word elsewhere in its document; "
           "=COLUMN: where the words are, without: 0")
          .valued({}, "0"),
      words("group-by", "MARKER|COLUMN|KEY|blank-lines",
            "What makes sequences a document, which no part divides, as for croft search"),
      flag("contiguous", "Parts of --jackknife are runs of neighbouring sequences or documents"),
      file("template", "FILE",
           "Templates of the other attributes; without: the default features for words"),
      file("kit", "FILE", "Further features beside the other attributes (docs/features.md)"),
  });
  return kRows;
}

void read_parts(const OptionValues& values, StackRequest& request) {
  OptionValues passed({options_of_parts()});
  for (const OptionRow& row : options_of_parts()) {
    for (const std::string& value : values.list(row.name)) {
      if (request.jackknife == 0) {
        throw UsageError(Message::option(row.name),
                         " is for the models that --jackknife trains, and there are none: leave it "
                         "out");
      }
      passed.set(row.name, value);
    }
  }
  request.options = passed.arguments();
  if (values.given("seed")) {
    request.options.push_back(fmt::format("--seed={}", common_of(values).seed));
  }
}

int run_stack(const OptionValues& values) {
  StackRequest request;
  values.read("model", request.model);
  values.read("DATA", request.data);
  values.read("jackknife", request.jackknife);
  values.read("template", request.template_path);
  values.read("kit", request.kit);
  values.read("threads", request.threads);
  values.read("group-by", request.group_by);
  values.read("contiguous", request.contiguous);
  if (values.given("elsewhere")) {
    static const OptionRow kColumn = option::whole("elsewhere", "COLUMN", "");
    OptionValues column({std::span(&kColumn, 1)});
    column.set(kColumn.name, values.text("elsewhere"));
    column.read(kColumn.name, request.elsewhere);
  }
  if (!request.group_by.empty() && request.jackknife == 0 && !request.elsewhere) {
    throw UsageError(
        "--group-by is for --jackknife, whose parts divide no group, and --elsewhere; leave it "
        "out");
  }
  if (request.contiguous && request.jackknife == 0) {
    throw UsageError("--contiguous is of the parts of --jackknife; leave it out");
  }
  read_parts(values, request);
  handle_interrupts();
  const bool quiet = values.flag("quiet"), terminal = ::isatty(STDERR_FILENO) == 1;
  stack(request, {.write = write_result,
                  .warn = [](std::string_view text) { fmt::print(stderr, "warning: {}\n", text); },
                  .progress =
                      [&](std::size_t done, std::size_t parts) {
                        if (quiet || !terminal) return;
                        fmt::print(stderr, "\r\033[K{} of {} parts{}", done, parts,
                                   done < parts ? "" : "\n");
                      }});
  return kDone;
}

}  // namespace

const Verb kStack = {
    .name = "stack",
    .summary = "Write data with a model's label probabilities as attributes, for another model",
    .options = [] { return tables(stack_options(), common_options(), options_of_parts()); },
    .footer = [] { return std::string(kStackFooter); },
    .run = run_stack,
    .own_company = true};

}  // namespace croft::cli
