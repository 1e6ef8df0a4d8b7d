// The program as a function: its verbs, its help, and what becomes of an exception.
#include "cli/program.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "cli/common.h"
#include "cli/processes.h"
#include "cli/verb.h"
#include "core/simd.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr const char* kMainFooter = R"(
Example:
  croft train -o m.croft train.conll        learn a tagger from columns (last one: the label)
  croft predict -m m.croft new.conll        label new text
  croft evaluate -m m.croft test.conll      how good is it
  croft inspect -m m.croft --top 5          what has it learnt
  croft explain -m m.croft new.conll        why these labels
  croft convert hmm.croft -o chain.croft    the same as a model of another kind
  croft stack -m m.croft new.conll          its probabilities as features of another model
  croft infer sprinkler.bif --task marginals    inference on a given factor graph
  croft maximum-entropy die.csv             a distribution with given expectations
  croft calibrate -m m.croft held.conll -o c.croft   make its probabilities mean what they say
  croft search train.conll --range l2=0.01:10:log    choose settings by cross-validation
  croft cluster -o brown.txt text.txt       classes of words, for features
  croft logic friends.mln -e friends.db     probabilities of atoms in Markov logic
  croft bugs line.bug --data line-data.R    draws from the posterior of a BUGS model
  croft serve -m m.croft -m sprinkler.bif   answers over HTTP
  croft suggest -m m.croft new.conll        what is most worth labelling by hand
  croft compare -m a.croft -m b.croft test.conll  is one better, and where do they differ
  croft errors -m m.croft test.conll        where is it wrong
  croft check train.conll test.conll        what is strange in the data

`croft VERB --help` has the options of a verb and an example.
A file name of - is standard input.  Results go to stdout, progress and messages to stderr.
Exit status: 0 done, 1 bad input, 2 wrong usage, 130 stopped by Ctrl-C or SIGTERM;
141 (SIGPIPE), without a message, where the reader of the results left: croft ... | head.)";

Ending fail(int status, std::string message) {
  std::fprintf(stderr, "croft: %s\n", message.c_str());
  return {status, std::move(message)};
}

// As other programs of a pipeline end whose reader has left (`| head`): without a message, and with
// the status that shells pass over or show as 141.  The signal comes only now, after all
// destructors, so that no temporary file and no half of an output stays behind.
[[noreturn]] void end_by_sigpipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(128 + SIGPIPE);  // where the signal is blocked
}

}  // namespace

Ending run_program(int argc, char** argv) {
  try {
    apply_simd_environment();
    start_processes(&argc, &argv);
    return {run_command_line(all_verbs(), kMainFooter, argc, argv), {}};
  } catch (const ReaderLeft&) {
    end_by_sigpipe();
  } catch (const Interrupted& e) {
    return fail(kInterrupted, e.what());
  } catch (const UsageError& e) {
    return fail(kWrongUsage, e.what());
  } catch (const Error& e) {
    return fail(kBadInput, e.what());
  } catch (const std::bad_alloc&) {
    return fail(kBadInput, "out of memory");
  } catch (const std::system_error& e) {  // a folder that is not there, no more threads
    return fail(kBadInput, std::string("the system refuses: ") + e.what() +
                               "; see the limits of this shell (ulimit -a), and TMPDIR");
  } catch (const std::exception& e) {
    return fail(kBadInput, std::string("a fault of the program: ") + e.what() +
                               "; please report it (SECURITY.md)");
  }
}

std::span<const Verb* const> all_verbs() {
  static constexpr const Verb* kVerbs[] = {
      &kTrain, &kPredict, &kEvaluate,       &kInspect,    &kExplain, &kConvert,
      &kStack, &kInfer,   &kMaximumEntropy, &kCalibrate,  &kSearch,  &kCluster,
      &kLogic, &kBugs,    &kServe,          &kSuggest,    &kCompare, &kErrors,
      &kCheck, &kCard,    &kLearningCurve,  &kCompletion, &kManual,
  };
  return kVerbs;
}

}  // namespace croft::cli
