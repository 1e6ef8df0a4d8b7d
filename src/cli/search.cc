// croft search
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/search/search.h"
#include "cli/common.h"
#include "cli/parse_message.h"
#include "core/atomic_file.h"
#include "croft/app/row_reader.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
All other options are those of `croft train`, and hold for every setting; see croft train --help.

Example:
  croft search train.conll --range l2=0.01:100:log --metric chunk-f1
  croft search train.tsv --format text --model maxent --range l2=0.01:10:log --values ngrams=1,1-2
  croft search train.conll --values l2=0.3,1,3 --values min-count=1,2 --plot s.svg -o best.croft
  croft search big.conll --range l1=0.1:10:log --state s.json     # then: the same, and --resume

Many settings are tried on a little of the data, and the best 1/eta of them go on with eta times as
much, by cross-validation each time (successive halving).  docs/search.md explains it.)";

// Options of train that search has itself, or that would not mean what they say for parts of the
// data.
constexpr std::string_view kOwn[] = {"help", "output", "threads", "seed", "resume", "json"};
constexpr std::string_view kRefused[] = {
    "checkpoint", "checkpoint-interval", "log", "quiet", "weights", "database"};

// Of the passed ones, those whose value is a file, which every training reads.
constexpr std::string_view kFiles[] = {
    "template", "kit",   "stop-words",     "class-weights", "constrain", "transition-groups",
    "cost",     "prior", "joint-template", "label-classes", "variances", "segment-template",
    "holdout",  "init",  "unlabelled",     "gazetteer",     "expert"};

struct PassedOption {
  std::string name;  // without dashes
  const CLI::Option* option;
};

struct SearchCommand {
  SearchRequest request;
  std::vector<std::string> ranges, values;
  std::string format = "columns", metric = "accuracy", resource = "data", plot, output;
  std::size_t candidates = 0;
  double budget = 0;
  bool json = false, quiet = false;
  CommonOptions common;
  std::vector<PassedOption> passed;
};

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? std::string() : option.get_lnames().front();
}

// `croft train` itself, to be called in this process.
struct TrainVerb {
  Program program;
  CLI::App* verb;
  TrainVerb() {
    program.app.name("croft");
    add_train(program);
    verb = program.app.get_subcommand("train");
  }
  int run(const std::vector<std::string>& arguments) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    reversed.emplace_back("train");
    try {
      program.app.parse(std::move(reversed));
    } catch (const CLI::ParseError& error) {
      throw UsageError(parse_message(error));
    }
    return program.status;
  }
};

// The options of train, on this verb: only whether they take a value matters here.
void add_passed_options(CLI::App& verb, SearchCommand& c) {
  TrainVerb train;
  for (const CLI::Option* option : train.verb->get_options()) {
    const std::string name = name_of(*option);
    const auto is = [&](std::string_view other) { return other == name; };
    if (name.empty() || std::ranges::any_of(kOwn, is) || std::ranges::any_of(kRefused, is) ||
        verb.get_option_no_throw("--" + name) != nullptr) {
      continue;
    }
    CLI::Option* own = nullptr;
    if (option->get_items_expected_max() == 0) {
      own = verb.add_flag("--" + name)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    } else {
      own = verb.add_option("--" + name)->expected(1);
    }
    own->group("");
    c.passed.push_back({name, own});
  }
}

// As they were given, for each of the trainings.
std::vector<std::string> passed_arguments(const SearchCommand& c) {
  std::vector<std::string> arguments;
  for (const PassedOption& each : c.passed) {
    if (each.option->count() == 0) continue;
    for (const std::string& value : each.option->results()) {
      const bool bare = each.option->get_items_expected_max() == 0 && value == "true";
      arguments.push_back("--" + each.name + (bare ? "" : "=" + value));
    }
  }
  return arguments;
}

void check_parameters(const SearchCommand& c) {
  for (const SearchParameter& p : c.request.parameters) {
    const auto known = std::ranges::find(c.passed, p.option, &PassedOption::name);
    if (known == c.passed.end() || known->option->get_items_expected_max() == 0) {
      throw UsageError(in_quotes(p.option) + " is no option of train with a value to search over");
    }
    if (known->option->count() > 0) {
      throw UsageError("--" + p.option + " is searched over: leave it out");
    }
  }
  const auto is_given = [&](std::string_view name) {
    const auto at = std::ranges::find(c.passed, name, &PassedOption::name);
    return at != c.passed.end() && at->option->count() > 0;
  };
  if (is_given("spec")) {
    throw UsageError(
        "a search deals out sequences of files, and a graph model learns from a database: "
        "compare its settings by --holdout of croft train");
  }
}

InputFormat input_format(const SearchCommand& c) {
  for (const PassedOption& each : c.passed) {
    if (each.name != "format" || each.option->count() == 0) continue;
    const std::string& name = each.option->results().front();
    if (name == kSpanFormat) return InputFormat::text;  // a line is a sequence
    const auto format = format_of(name);
    if (!format) {
      throw UsageError("--format " + each.option->results().front() +
                       " is none of columns, spans, attributes, text, svmlight and csv");
    }
    return *format;
  }
  return InputFormat::columns;
}

// Standard input can be read once: as data, which is then dealt out.
void check_standard_input(const SearchCommand& c) {
  if (std::ranges::count(c.request.data, "-") > 1) {
    throw UsageError("standard input (-) is named twice; it can be read only once");
  }
  const auto refuse = [](const std::string& option) {
    throw UsageError("--" + option +
                     " -: every training of a search reads this file, and standard input can be "
                     "read only once: name a file");
  };
  const auto is_file = [](const std::string& name) {
    return std::ranges::find(kFiles, name) != std::end(kFiles);
  };
  for (const PassedOption& each : c.passed) {
    if (each.option->count() == 0 || !is_file(each.name)) continue;
    for (const std::string& value : each.option->results()) {
      if (value == "-") refuse(each.name);
    }
  }
  for (const SearchParameter& p : c.request.parameters) {
    if (is_file(p.option) && std::ranges::count(p.values, "-") > 0) refuse(p.option);
  }
}

// --max-iterations is the last rung's where iterations are the resource.
void take_iterations(std::vector<std::string>& options, SearchRequest& request) {
  constexpr std::string_view kOption = "--max-iterations=";
  if (request.resource != SearchResource::iterations) return;
  std::erase_if(options, [&](const std::string& each) {
    if (!each.starts_with(kOption)) return false;
    request.iterations = std::strtoull(each.c_str() + kOption.size(), nullptr, 10);
    return true;
  });
}

std::string command_of(const SearchCommand& c, const SearchCandidate& best,
                       const std::string& output) {
  std::vector<std::string> words = {"croft", "train", "-o", output};
  for (const std::string& each : train_arguments(c.request, best.values)) words.push_back(each);
  if (c.request.resource == SearchResource::iterations) {
    words.push_back(fmt::format("--max-iterations={}", c.request.iterations));
  }
  if (c.common.seed != 1) words.push_back(fmt::format("--seed={}", c.common.seed));
  words.insert(words.end(), c.request.data.begin(), c.request.data.end());
  return shell_words(words);
}

int train_best(const SearchCommand& c, const SearchCandidate& best) {
  std::vector<std::string> arguments = train_arguments(c.request, best.values);
  if (c.request.resource == SearchResource::iterations) {
    arguments.push_back(fmt::format("--max-iterations={}", c.request.iterations));
  }
  arguments.push_back("--output=" + c.output);
  arguments.push_back(fmt::format("--threads={}", c.common.threads));
  arguments.push_back(fmt::format("--seed={}", c.common.seed));
  if (c.quiet) arguments.emplace_back("--quiet");
  arguments.insert(arguments.end(), c.request.data.begin(), c.request.data.end());
  return TrainVerb().run(arguments);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return a == b || std::filesystem::equivalent(a, b, none) ||
         std::filesystem::weakly_canonical(a, none) == std::filesystem::weakly_canonical(b, none);
}

// No file that is written is another one that is, or is read.
void check_outputs(const SearchCommand& c) {
  const std::pair<const char*, const std::string&> outputs[] = {
      {"-o", c.output}, {"--plot", c.plot}, {"--state", c.request.state}};
  for (const auto& [option, path] : outputs) {
    if (path.empty()) continue;
    for (const std::string& input : c.request.data) {
      if (same_file(input, path)) {
        throw UsageError(path + " is the data: give another name to write to");
      }
    }
    for (const PassedOption& each : c.passed) {
      for (const std::string& value : each.option->results()) {
        std::error_code none;
        if (std::filesystem::is_regular_file(value, none) && same_file(value, path)) {
          throw UsageError(std::string(option) + " " + path + " is the file of --" + each.name +
                           ": give another name to write to");
        }
      }
    }
    for (const auto& [other, same] : outputs) {
      if (option == other) break;
      if (!same.empty() && same_file(same, path)) {
        throw UsageError(std::string(other) + " and " + option + " both write " + path +
                         ": give them different names");
      }
    }
    if (path != c.request.state) AtomicFile{path};
  }
}

void prepare(SearchCommand& c) {
  SearchRequest& r = c.request;
  for (const std::string& text : c.ranges) r.parameters.push_back(parse_search_range(text));
  for (const std::string& text : c.values) r.parameters.push_back(parse_search_values(text));
  check_parameters(c);
  check_standard_input(c);
  r.format = input_format(c);
  r.metric = c.metric == "accuracy"   ? SearchMetric::accuracy
             : c.metric == "chunk-f1" ? SearchMetric::chunk_f1
                                      : SearchMetric::log_loss;
  r.resource = c.resource == "data" ? SearchResource::data : SearchResource::iterations;
  r.options = passed_arguments(c);
  take_iterations(r.options, r);
  if (c.candidates > 0) r.candidates = c.candidates;
  if (c.budget > 0) r.budget = c.budget;
  r.seed = c.common.seed;
  r.threads = c.common.threads;
  if (std::ranges::find(r.data, "-") != r.data.end() && !c.output.empty()) {
    throw UsageError(
        "-o trains on the data once more, and standard input is read once: give a file");
  }
  r.validate();
  check_outputs(c);
}

void report(const SearchCommand& c, const SearchedSettings& result) {
  if (!c.plot.empty() && !result.best().rungs.empty()) {
    AtomicFile file(c.plot);
    file.write(search_svg(result));
    file.commit();
  }
  const std::string command = command_of(c, result.best(), c.output.empty() ? "MODEL" : c.output);
  if (c.json) {
    Json document = to_json(result);
    if (result.complete) document["command"] = command;
    write_json(document);
  } else {
    write_result(format_table(result));
    if (result.complete) write_result("\n" + command + "\n");
  }
  flush_result();
}

int run(SearchCommand& c) {
  prepare(c);
  handle_interrupts();
  const std::vector<std::string> seed = {fmt::format("--seed={}", c.common.seed)};
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const SearchCalls calls{
      .train =
          [&](const std::vector<std::string>& arguments) {
            std::vector<std::string> all = seed;
            all.insert(all.end(), arguments.begin(), arguments.end());
            TrainVerb().run(all);
          },
      .progress =
          [&](const SearchProgress& now) {
            if (c.quiet) return;
            std::fprintf(stderr,
                         "%s%zu of %zu trainings: rung %zu, candidate %zu, fold %zu: %.4f%s",
                         terminal ? "\r\033[K" : "", now.done, now.all, now.rung + 1,
                         now.candidate + 1, now.fold + 1, now.score, terminal ? "" : "\n");
          }};
  const SearchedSettings result = search_settings(c.request, calls);
  if (!c.quiet && terminal) std::fputs("\n", stderr);
  report(c, result);
  if (!result.failure.empty()) throw Error(result.failure);
  if (!result.complete) {
    std::fprintf(stderr, "croft: interrupted%s\n",
                 c.request.state.empty() ? "; with --state it could go on from here"
                                         : "; go on with the same command and --resume");
    return kInterrupted;
  }
  return c.output.empty() ? kDone : train_best(c, result.best());
}

void add_search_options(CLI::App& verb, SearchCommand& c) {
  SearchRequest& r = c.request;
  verb.add_option("DATA", r.data, "Labelled data, as for train")->required();
  verb.add_option("--range", c.ranges,
                  "Try values of this option of train from LOW to HIGH: evenly, on a logarithmic "
                  "scale, or whole numbers; may be repeated")
      ->allow_extra_args(false)
      ->option_text("NAME=LOW:HIGH[:log|int]");
  verb.add_option("--values", c.values, "Try these values of this option; may be repeated")
      ->allow_extra_args(false)
      ->option_text("NAME=A,B,C");
  verb.add_option("--metric", c.metric, "accuracy, chunk-f1 or log-loss")
      ->check(CLI::IsMember(std::vector<std::string>{"accuracy", "chunk-f1", "log-loss"}))
      ->option_text("METRIC=accuracy");
  verb.add_option("--folds", r.folds, "Parts of the data, each scored by the others")
      ->transform(whole_number(2))
      ->option_text("K=3");
  verb.add_option("--candidates", c.candidates,
                  "Settings at first; default: all of --values, 27 where there is a --range")
      ->transform(whole_number(1))
      ->option_text("N");
  verb.add_option("--eta", r.eta, "One setting in so many goes on, with so many times the data")
      ->transform(whole_number(2))
      ->option_text("N=3");
  verb.add_option("--smallest", r.smallest, "Share of the data that the first rung has at least")
      ->transform(finite_number(0))
      ->option_text("SHARE=0.03");
  verb.add_option("--budget", c.budget,
                  "Cross-validations on all of the data that all may cost together; without "
                  "--candidates there are as many as it allows")
      ->transform(finite_number(1))
      ->option_text("NUMBER");
  verb.add_option("--resource", c.resource,
                  "What grows from rung to rung: data, or iterations up to --max-iterations")
      ->check(CLI::IsMember(std::vector<std::string>{"data", "iterations"}))
      ->option_text("RESOURCE=data");
  verb.add_option("--state", r.state, "Keep what has been scored in this file")
      ->option_text("FILE");
  verb.add_flag("--resume", r.resume, "Go on from --state");
  verb.add_option("--plot", c.plot, "Draw the scores as an SVG picture in this file")
      ->option_text("FILE");
  verb.add_option("-o,--output", c.output,
                  "Train the best setting on all of the data, to this file")
      ->option_text("MODEL");
  verb.add_flag("--json", c.json, "One JSON document instead of a table");
  verb.add_flag("--quiet", c.quiet, "No progress on stderr");
}

}  // namespace

void add_search(Program& program) {
  CLI::App* verb =
      program.app.add_subcommand("search", "Choose settings of train by cross-validation");
  auto command = std::make_shared<SearchCommand>();
  add_search_options(*verb, *command);
  add_common(*verb, command->common);
  add_passed_options(*verb, *command);
  verb->footer(kFooter);
  verb->callback([command, &program] { program.status = run(*command); });
}

}  // namespace croft::cli
