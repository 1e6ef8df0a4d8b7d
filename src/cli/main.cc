// croft: conditional random fields from the command line.  docs/tour.md starts here.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <new>
#include <sstream>
#include <string_view>

#include "cli/common.h"
#include "cli/parse_message.h"
#include "core/simd.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

// Highway's library times the clock when it is loaded, for its benchmarks alone: that was 4 ms of
// the 6 that the program takes to start.  The loader finds this function first.
namespace hwy::platform {
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft train -o m.croft train.conll        learn a tagger from columns (last one: the label)
  croft predict -m m.croft new.conll        label new text
  croft evaluate -m m.croft test.conll      how good is it
  croft inspect -m m.croft --top 5          what has it learnt
  croft explain -m m.croft new.conll        why these labels
  croft convert hmm.croft -o chain.croft    the same as a model of another kind
  croft stack -m m.croft new.conll          its probabilities as features of another model
  croft infer asia.bif --task marginals     inference on a given factor graph
  croft maximum-entropy die.csv             a distribution with given expectations
  croft calibrate -m m.croft held.conll -o c.croft   make its probabilities mean what they say
  croft search train.conll --range l2=0.01:10:log    choose settings by cross-validation
  croft cluster -o brown.txt text.txt       classes of words, for features

`croft VERB --help` has the options of a verb and an example.
A file name of - is standard input.  Results go to stdout, progress and messages to stderr.
Exit status: 0 done, 1 bad input, 2 wrong usage, 130 stopped by Ctrl-C;
141 (SIGPIPE), without a message, where the reader of the results left: croft ... | head.)";

struct Verb {
  std::string_view name;
  void (*add)(Program&);
};
constexpr Verb kVerbs[] = {
    {"train", add_train},
    {"predict", add_predict},
    {"evaluate", add_evaluate},
    {"inspect", add_inspect},
    {"explain", add_explain},
    {"convert", add_convert},
    {"stack", add_stack},
    {"infer", add_infer},
    {"maximum-entropy", add_maximum_entropy},
    {"calibrate", add_calibrate},
    {"search", add_search},
    {"cluster", add_cluster},
};

// The verb that comes first alone: the options of all of them take a millisecond.
void add_verbs(Program& program, std::string_view first) {
  const Verb* named = std::ranges::find(kVerbs, first, &Verb::name);
  if (named != std::end(kVerbs)) {
    named->add(program);
  } else {
    for (const Verb& verb : kVerbs) verb.add(program);
  }
  const auto all = [](const CLI::App*) { return true; };
  for (CLI::App* verb : program.app.get_subcommands(all)) refuse_flag_values(*verb);
}

int fail(int status, const char* message) {
  std::fprintf(stderr, "croft: %s\n", message);
  return status;
}

// As other programs of a pipeline end whose reader has left (`| head`): without a message, and with
// the status that shells pass over or show as 141.  The signal comes only now, after all
// destructors, so that no temporary file and no half of an output stays behind.
[[noreturn]] void end_by_sigpipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(128 + SIGPIPE);  // where the signal is blocked
}

// What is wrong with the command line, and where to read more.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const auto verbs = app.get_subcommands();
  if (!verbs.empty()) {
    // CLI11 first looks for what is missing, which may be there behind a name that is misspelt.
    for (const std::string& rest : verbs.front()->remaining()) {
      if (rest.size() < 2 || !rest.starts_with("-")) continue;
      return "unknown option " + in_quotes(rest) + "; see croft " + verbs.front()->get_name() +
             " --help";
    }
    return parse_message(error) + "; see croft " + verbs.front()->get_name() + " --help";
  }
  std::string names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + verb->get_name();
  }
  const auto rest = app.remaining();
  const std::string what = rest.empty()               ? "a verb is missing"
                           : rest[0].starts_with("-") ? "unknown option " + in_quotes(rest[0])
                                                      : "unknown verb " + in_quotes(rest[0]);
  return what + "; verbs are " + names + "; see croft --help";
}

void parse_and_run(Program& program, int argc, char** argv) {
  try {
    program.app.parse(argc, argv);
  } catch (const CLI::Success& answer) {  // --help, --version: results as any other
    std::ostringstream text;
    program.app.exit(answer, text);
    write_result(text.str());
  }
  flush_result();
}

int run(int argc, char** argv) {
  Program program;
  program.app.name("croft");
  program.app.description("Conditional random fields: train, predict, evaluate, inspect, explain.");
  program.app.footer(kFooter);
  program.app.set_version_flag("--version", CROFT_VERSION);
  program.app.require_subcommand(1);
  program.app.get_formatter()->column_width(34);
  add_verbs(program, argc > 1 ? argv[1] : "");
  try {
    apply_simd_environment();
    parse_and_run(program, argc, argv);
    return program.status;
  } catch (const CLI::ParseError& e) {
    return fail(kWrongUsage, usage_message(program.app, e).c_str());
  } catch (const ReaderLeft&) {
    end_by_sigpipe();
  } catch (const Interrupted& e) {
    return fail(kInterrupted, e.what());
  } catch (const UsageError& e) {
    return fail(kWrongUsage, e.what());
  } catch (const Error& e) {
    return fail(kBadInput, e.what());
  } catch (const std::bad_alloc&) {
    return fail(kBadInput,
                "out of memory; use less data, a larger machine or, in training a model of kind "
                "chain, maxent or memm, fewer features: --features observed, --min-count");
  }
}

}  // namespace
}  // namespace croft::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write: ReaderLeft
  return croft::cli::run(argc, argv);
}
