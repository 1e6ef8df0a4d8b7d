// croft search
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "app/label/row_reader.h"
#include "app/search/search.h"
#include "app/train/requests.h"
#include "cli/common.h"
#include "cli/help/option_text.h"
#include "cli/passed_options.h"
#include "cli/verb.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parse_number.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "sql/train/search_graph.h"

#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kSearchFooter = R"(
All other options are those of `croft train`, and hold for every setting; see croft train --help=all.

Example:
  croft search train.conll --range l2=0.01:100:log --metric chunk-f1
  croft search train.tsv --format text --model maxent --range l2=0.01:10:log --values ngrams=1,1-2
  croft search train.conll --values l2=0.3,1,3 --values min-count=1,2 --plot s.svg -o best.croft
  croft search --model graph --spec s.toml --database d.sqlite --range l2=0.01:10:log
  croft search big.conll --range l1=0.1:10:log --state s.json     # then: the same, and --resume

Many settings are tried on a little of the data, and the best 1/eta of them go on with eta times as
much, by cross-validation each time (successive halving).  docs/search.md explains it.)";

std::span<const OptionRow> own_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("DATA", "", "Labelled data, as for train (required, but for --model graph)")
          .repeated()
          .unnamed(),
      words("range", "NAME=LOW:HIGH[:log|int]",
            "Try values of this option of train from LOW to HIGH: evenly, on a logarithmic scale, "
            "or whole numbers; may be repeated")
          .repeated(),
      words("values", "NAME=A,B,C", "Try these values of this option; may be repeated").repeated(),
      file("dev", "FILE", "Score settings on this labelled file, and not on folds of the data")
          .without("folds"),
      words("group-by", "MARKER|COLUMN|KEY|blank-lines",
            "No fold divides a group: a document that begins with this cell (-DOCSTART-), the same "
            "value of a column (columns: its number from 0, csv: its name) or of a key of JSON "
            "lines, or what blank lines part"),
  });
  return kRows;
}

std::span<const OptionRow> output_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      words("prefer", "NAME[:smallest]",
            "Of the settings within one standard error of the best, choose that with the largest "
            "value of this option, such as l2 (:smallest: the smallest)"),
      file("plot", "FILE", "Draw the scores as an SVG picture in this file")
          .written_as("the picture "),
      file("output", "MODEL", "Train the best setting on all of the data, to this file")
          .written_as("")
          .short_as('o'),
      flag("json", "One JSON document instead of a table"),
  });
  return kRows;
}

struct SearchCommand {
  explicit SearchCommand(const OptionValues& given) : values(given) {}

  const OptionValues& values;
  SearchRequest request{};
  std::string plot{}, output{};
  bool quiet = false;
};

bool is_graph(const OptionValues& values) { return values.text("model") == "graph"; }

// Before the first training: what one would refuse, all that come after it would be for nothing.
void check_values(const SearchParameter& p, const OptionRow& row) {
  std::vector<std::string> values = p.values;
  const bool whole = p.scale == SearchParameter::Scale::integer;
  for (const double end : {p.low, p.high}) {
    if (p.values.empty())
      values.push_back(whole ? fmt::format("{:.0f}", end) : fmt::format("{}", end));
  }
  for (const std::string& value : values) OptionValues({std::span(&row, 1)}).set(row.name, value);
}

void check_parameters(const SearchCommand& c) {
  std::optional<KindChoice> kind;  // none: it is searched over, too
  if (std::ranges::find(c.request.parameters, "model", &SearchParameter::option) ==
      c.request.parameters.end()) {
    kind = chosen_kind(c.values);
  }
  for (const SearchParameter& p : c.request.parameters) {
    const auto known = std::ranges::find(passed_options(), p.option, &OptionRow::name);
    if (known == passed_options().end() || !takes_value(*known)) {
      throw UsageError(in_quotes(p.option), " is no option of train with a value to search over",
                       did_you_mean_passed(p.option));
    }
    if (c.values.given(p.option)) {
      throw UsageError(Message::option(p.option), " is searched over: leave it out");
    }
    check_values(p, *known);
    if (kind) check_meaning(*known, kind->bit, kind->shown);
  }
  const bool graph = is_graph(c.values);
  if (!graph && !c.values.given("DATA")) throw OptionError(c.values.row("DATA"), " is required");
  if (graph && c.values.given("DATA")) {
    throw UsageError("a model of kind graph learns from --database: leave out ",
                     c.values.list("DATA").front());
  }
}

// Before the first training.
void check_prefer(const SearchCommand& c) {
  if (!c.values.given("prefer")) return;
  const std::string_view text = c.values.text("prefer");
  const std::string_view name = text.substr(0, text.find(':'));
  const auto known = std::ranges::find(c.request.parameters, name, &SearchParameter::option);
  if (known == c.request.parameters.end() ||
      (name != text && text.substr(name.size()) != ":smallest")) {
    throw UsageError("--prefer ", in_quotes(text),
                     " is no option that is searched over, or one with :smallest behind it");
  }
  for (const std::string& value : known->values) {
    double number = 0;
    if (parse_number(value, number) == NumberKind::finite) continue;
    throw UsageError("--prefer ", in_quotes(name),
                     ": its values are no numbers: ", in_quotes(value));
  }
}

// A hold-out that nothing asks for would be read, and ignored.
void check_holdout(const SearchCommand& c) {
  if (is_graph(c.values)) return;  // a graph's search says it itself
  std::vector<std::string> varied;
  for (const SearchParameter& p : c.request.parameters) varied.push_back(p.option);
  check_passed_holdout(c.values, "a search scores settings on its folds", varied);
}

// Standard input can be read once: as data, which is then dealt out.
void check_standard_input(const SearchCommand& c) {
  if (std::ranges::count(c.request.data, "-") > 1) {
    throw UsageError("standard input (-) is named twice; it can be read only once");
  }
  const auto look = [](const OptionRow& row, const std::vector<std::string>& values) {
    // Those of words may be files, too: a rule, a cost, a list of weights.
    const bool file = row.type == OptionType::file || row.type == OptionType::words;
    if (!file || std::ranges::find(values, "-") == values.end()) return;
    throw UsageError(Message::option(row.name),
                     " -: every training of a search reads this file, and standard input can be "
                     "read only once: name a file");
  };
  for (const OptionRow& row : passed_options()) {
    look(row, c.values.list(row.name));
    for (const SearchParameter& p : c.request.parameters) {
      if (p.option == row.name) look(row, p.values);
    }
  }
}

std::string best_command(const SearchCommand& c, const SearchCandidate& best,
                         const std::string& output) {
  std::vector<std::string> words = {"croft", "train", "-o", output};
  for (const std::string& each : train_arguments(c.request, best.values)) words.push_back(each);
  if (c.request.resource == SearchResource::iterations) {
    words.push_back(fmt::format("--max-iterations={}", c.request.iterations));
  }
  if (c.request.seed != 1) words.push_back(fmt::format("--seed={}", c.request.seed));
  words.insert(words.end(), c.request.data.begin(), c.request.data.end());
  return shell_words(words);
}

int train_best(const SearchCommand& c, const SearchCandidate& best) {
  std::vector<std::string> arguments = train_arguments(c.request, best.values);
  if (c.request.resource == SearchResource::iterations) {
    arguments.push_back(fmt::format("--max-iterations={}", c.request.iterations));
  }
  arguments.push_back("--output=" + c.output);
  arguments.push_back(fmt::format("--threads={}", c.request.threads));
  arguments.push_back(fmt::format("--seed={}", c.request.seed));
  if (c.quiet) arguments.emplace_back("--quiet");
  arguments.insert(arguments.end(), c.request.data.begin(), c.request.data.end());
  return train_with(arguments);
}

// An obstacle to writing is known before the work.
void check_outputs(const SearchCommand& c) {
  for (const std::string& path : {c.output, c.plot}) {
    if (!path.empty()) AtomicFile{path};
  }
}

// Settings are scored on a file: there are no folds.
void read_dev(SearchCommand& c) {
  SearchRequest& r = c.request;
  if (is_graph(c.values)) {
    throw UsageError("--dev is a file of sequences, and a model of kind graph has a database");
  }
  for (const char* option : {"contiguous", "group-by", "prefer"}) {
    if (!c.values.given(option)) continue;
    throw UsageError(Message::option(option), " is about folds, and with --dev there are none");
  }
  if (r.dev == "-") throw UsageError("--dev is read again and again: give a file");
  const LineReader there(r.dev);
  r.folds = 1;
  r.elsewhere = true;
}

SearchCommand command_of(const OptionValues& values) {
  SearchCommand c(values);
  SearchRequest& r = c.request;
  values.read("DATA", r.data);
  for (const std::string& text : values.list("range")) {
    r.parameters.push_back(parse_search_range(text));
  }
  for (const std::string& text : values.list("values")) {
    r.parameters.push_back(parse_search_values(text));
  }
  check_parameters(c);
  check_prefer(c);
  check_holdout(c);
  check_standard_input(c);
  r.format = data_form_of(values.text("format"), "a search");
  r.spans = values.text("format") == kSpanFormat;
  values.choose("delimiter", {',', ',', '\t', ';', ';'}, r.delimiter);
  values.read("ignore-lines", r.ignored);
  values.read(values.given("group-by") ? "group-by" : "documents", r.group_by);
  if (is_graph(values) && !r.group_by.empty()) {
    throw UsageError(
        "--group-by has no meaning for --model graph, whose instances are in --database");
  }
  read_search_settings(values, r);
  r.dev = values.text("dev");
  if (!r.dev.empty() && !values.given("group-by")) r.group_by.clear();
  if (!r.dev.empty()) read_dev(c);
  values.read("plot", c.plot);
  values.read("output", c.output);
  c.quiet = values.flag("quiet");
  if (r.resource == SearchResource::iterations) values.read("max-iterations", r.iterations);
  // --max-iterations is the last rung's where iterations are the resource.
  r.options =
      passed_arguments(values, r.resource == SearchResource::iterations ? "max-iterations" : "");
  if (std::ranges::find(r.data, "-") != r.data.end() && !c.output.empty()) {
    throw UsageError(
        "-o trains on the data once more, and standard input is read once: give a file");
  }
  r.validate();
  check_outputs(c);
  return c;
}

// The best setting, or that of --prefer.
const SearchCandidate& chosen_of(const SearchCommand& c, const SearchedSettings& result) {
  if (!c.values.given("prefer") || !result.complete) return result.best();
  return result.candidates[within_one_error(result, c.values.text("prefer"))];
}

void report(const SearchCommand& c, const SearchedSettings& result) {
  if (!c.plot.empty() && !result.best().rungs.empty()) {
    AtomicFile file(c.plot);
    file.write(search_svg(result));
    file.commit();
  }
  const std::string command =
      best_command(c, chosen_of(c, result), c.output.empty() ? "MODEL" : c.output);
  if (c.values.flag("json")) {
    Json document = to_json(result);
    if (result.complete) document["command"] = command;
    if (c.values.given("prefer") && result.complete) {
      document["chosen"] = chosen_of(c, result).values;
    }
    write_json(document);
  } else {
    write_result(format_table(result));
    if (result.complete) write_result("\n" + command + "\n");
  }
  flush_result();
}

int run_search(const OptionValues& values) {
  const SearchCommand c = command_of(values);
  handle_interrupts();
  const std::vector<std::string> seed = {fmt::format("--seed={}", c.request.seed)};
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const SearchCalls calls{
      .train =
          [&](const std::vector<std::string>& arguments) {
            std::vector<std::string> all = seed;
            all.insert(all.end(), arguments.begin(), arguments.end());
            train_with(all);
          },
      .progress =
          [&](const SearchProgress& now) {
            if (c.quiet) return;
            std::fprintf(stderr,
                         "%s%zu of %zu trainings: rung %zu, candidate %zu, fold %zu: %.4f%s",
                         terminal ? "\r\033[K" : "", now.done, now.all, now.rung + 1,
                         now.candidate + 1, now.fold + 1, now.score, terminal ? "" : "\n");
          },
      .warn =
          [](const std::string& warning) {
            std::fprintf(stderr, "croft: warning: %s\n", warning.c_str());
          }};
  const SearchedSettings result = is_graph(values)
                                      ? search_graph_settings(c.request, calls.progress)
                                      : search_settings(c.request, calls);
  if (!c.quiet && terminal) std::fputs("\n", stderr);
  report(c, result);
  if (!result.failure.empty()) throw Error(result.failure);
  if (!result.complete) {
    std::fprintf(stderr, "croft: interrupted%s\n",
                 c.request.state.empty() ? "; with --state it could go on from here"
                                         : "; go on with the same command and --resume");
    return kInterrupted;
  }
  return c.output.empty() ? kDone : train_best(c, chosen_of(c, result));
}

OptionTables search_options() {
  return {own_options(), search_rows(), output_options(), common_options(), passed_options()};
}

}  // namespace

const Verb kSearch = {.name = "search",
                      .summary = "Choose settings of train by cross-validation",
                      .options = search_options,
                      .footer = [] { return std::string(kSearchFooter); },
                      .run = run_search,
                      .need_of_memory =
                          "use less data, a larger machine or, for a model of kind chain, maxent "
                          "or memm, fewer features: --features observed, --min-count"};

}  // namespace croft::cli
