// croft train --model hidden-chain: its options, and the call.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/train/train_hidden_chain.h"
#include "cli/common.h"

namespace croft::cli {

struct HiddenChainCommand {
  std::vector<std::string> states;  // K, or LABEL=K
  std::optional<double> start_deviation;
};

// The options that only hidden chains have.
void add_hidden_chain_options(CLI::App& verb, HiddenChainCommand& command);

// Of all options of the verb, those that a hidden chain takes notice of, and those that only it
// does: names without dashes.
std::span<const std::string_view> hidden_chain_option_names();
std::span<const std::string_view> hidden_chain_only_option_names();

// Trains; `shared` has what the kinds have in common.  Returns the exit status.
int run_hidden_chain(const CLI::App& verb, const HiddenChainCommand& command,
                     const TrainRequest& shared, const std::string& log, bool quiet);

}  // namespace croft::cli
