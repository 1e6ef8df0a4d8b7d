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
};

// Each stands in the file of its name.
extern const Verb kTrain, kPredict, kEvaluate, kInspect, kExplain, kConvert, kStack, kInfer,
    kMaximumEntropy, kCalibrate, kSearch, kCluster;

}  // namespace croft::cli
