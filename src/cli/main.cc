// croft: conditional random fields from the command line.  docs/tour.md starts here.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/common.h"
#include "croft/app/train.h"
#include "croft/core/error.h"
#include "croft/core/simd.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft train -o m.croft train.conll        learn a tagger from columns (last one: the label)
  croft predict -m m.croft new.conll        label new text
  croft evaluate -m m.croft test.conll      how good is it
  croft inspect -m m.croft --top 5          what has it learnt

`croft VERB --help` has the options of a verb and an example.
A file name of - is standard input.  Results go to stdout, progress and messages to stderr.
Exit status: 0 done, 1 bad input, 2 wrong usage, 130 stopped by Ctrl-C.)";

int fail(int status, const char* message) {
  std::fprintf(stderr, "croft: %s\n", message);
  return status;
}

int run(int argc, char** argv) {
  Program program;
  program.app.name("croft");
  program.app.description("Conditional random fields: train, predict, evaluate, inspect.");
  program.app.footer(kFooter);
  program.app.set_version_flag("--version", CROFT_VERSION);
  program.app.require_subcommand(1);
  program.app.get_formatter()->column_width(34);
  add_train(program);
  add_predict(program);
  add_evaluate(program);
  add_inspect(program);
  try {
    apply_simd_environment();
    program.app.parse(argc, argv);
    flush_result();
    return program.status;
  } catch (const CLI::Success& e) {  // --help, --version
    program.app.exit(e);
    return kDone;
  } catch (const CLI::ParseError& e) {
    const std::string message = std::string(e.what()) + "; see croft --help";
    return fail(kWrongUsage, message.c_str());
  } catch (const Interrupted& e) {
    return fail(kInterrupted, e.what());
  } catch (const UsageError& e) {
    return fail(kWrongUsage, e.what());
  } catch (const Error& e) {
    return fail(kBadInput, e.what());
  } catch (const std::bad_alloc&) {
    return fail(kBadInput, "out of memory; use less data, --features observed, or a larger machine");
  }
}

}  // namespace
}  // namespace croft::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is reported as a failed write
  return croft::cli::run(argc, argv);
}
