// croft train --model boosted-chain, boosted-maxent, boosted-segment: their options, and the call.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/train/train_boosted.h"

namespace croft::cli {

struct BoostedCommand {
  BoostingOptions options;
};

// The options that only these kinds have.
void add_boosted_options(CLI::App& verb, BoostedCommand& command);

// Of all options of the verb, those that these kinds take notice of, and those that no other kind
// has: names without dashes.
std::span<const std::string_view> boosted_option_names(std::string_view kind);
std::span<const std::string_view> boosted_only_option_names();

// Trains; `shared` has what the kinds have in common, `segments` what boosted-segment has beside
// it.  Returns the exit status.
int run_boosted(const std::string& kind, const BoostedCommand& command,
                const SegmentRequest& segments, const TrainRequest& shared, const std::string& log,
                bool quiet);

}  // namespace croft::cli
