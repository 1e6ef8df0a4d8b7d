// croft train --model pool: its options, and the call.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/train/train_pool.h"
#include "cli/common.h"

namespace croft::cli {

struct PoolCommand {
  std::vector<std::string> train, models;  // --experts, --expert
  std::string weights = "free";
  std::optional<double> alpha;
};

// The options that only pools have.
void add_pool_options(CLI::App& verb, PoolCommand& command);

// Of all options of the verb, those that a pool takes notice of, and those that only it does: names
// without dashes.
std::span<const std::string_view> pool_option_names();
std::span<const std::string_view> pool_only_option_names();

// Trains; `shared` has what the kinds have in common.  Returns the exit status.
int run_pool(const CLI::App& verb, const PoolCommand& command, const std::string& label_classes,
             const TrainRequest& shared, const std::string& log, bool quiet);

}  // namespace croft::cli
