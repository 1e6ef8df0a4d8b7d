// croft train --model hmm: its options, and the call.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/train/train_hmm.h"
#include "cli/common.h"

namespace croft::cli {

struct HmmCommand {
  HmmOptions options;
  std::optional<double> transition_smoothing;  // default: as the other
  std::optional<std::size_t> rare;             // default: as --suffix needs it
  std::vector<std::string> unlabelled;
};

// The options that only this kind has.
void add_hmm_options(CLI::App& verb, HmmCommand& command);

// Of all options of the verb, those that this kind takes notice of, and those that no other kind
// has: names without dashes.
std::span<const std::string_view> hmm_option_names();
std::span<const std::string_view> hmm_only_option_names();

// Trains; `shared` has what the kinds have in common: data, output, format, partial labels,
// boundaries, tolerance, seed and threads.  Returns the exit status.
//   verb : tells which options were given
int run_hmm(const CLI::App& verb, const HmmCommand& command, const TrainRequest& shared,
            const std::string& log, bool quiet);

}  // namespace croft::cli
