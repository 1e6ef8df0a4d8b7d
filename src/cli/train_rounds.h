// The options of train by which features change on the way.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "croft/train/feature_rounds.h"

namespace croft::cli {

struct RoundOptions {
  bool induce = false;
  InductionOptions induction;
  UnsupportedOptions unsupported;
  std::string select;                      // l1:VALUE
  const CLI::Option* threshold = nullptr;  // --unsupported itself
};

void add_round_options(CLI::App& verb, RoundOptions& options);
// Throws UsageError for a --select that is none.
FeatureRounds feature_rounds(const RoundOptions& options);

}  // namespace croft::cli
