// A verb of the command line: its options as a table, its text of help, what it does.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_row.h"
#include "core/option_values.h"

namespace croft::cli {

using OptionTables = std::vector<std::span<const OptionRow>>;

OptionTables tables(const auto&... each) { return {each...}; }

struct Verb {
  std::string_view name, summary;
  OptionTables (*options)();
  std::string (*footer)();
  int (*run)(const OptionValues& values);  // the exit status
  // What to do where memory does not suffice.
  std::string_view need_of_memory = "use less data at a time, or a larger machine";
  // Which options may stand together is looked at by run(), where it depends on the kind of model.
  bool own_company = false;
  // A verb with these has a short --help, of the options that are upfront() for some kinds of
  // model, and --help=all lists all: these kinds, from what else the command line says, and the
  // footer.
  KindSet (*kinds)(const OptionValues& values) = nullptr;
  std::string (*brief_footer)(const OptionValues& values) = nullptr;
  bool gives_up = false;           // at Ctrl-C, between two tasks: it has nothing to keep
  bool several_processes = false;  // that MPI has started share out the work
};

// Each stands in the file of its name.
extern const Verb kTrain, kPredict, kEvaluate, kInspect, kExplain, kConvert, kStack, kInfer,
    kMaximumEntropy, kCalibrate, kSearch, kCluster, kLogic, kBugs, kServe, kSuggest, kCompare,
    kErrors, kCheck, kCard, kLearningCurve, kCompletion, kManual;
std::span<const Verb* const> all_verbs();  // in the order of help

// Trains as the command line with these options would; returns the exit status.  croft search calls
// it, too.
int run_train(const OptionValues& values);

// Runs the verb that the command line names, or writes help or the version; returns the exit
// status.  CLI11 stays behind it.
//   verbs  : in the order of help
//   footer : of `croft --help`
// Throws UsageError for what is wrong with the command line, and whatever the verb throws.
int run_command_line(std::span<const Verb* const> verbs, const char* footer, int argc, char** argv);

}  // namespace croft::cli
