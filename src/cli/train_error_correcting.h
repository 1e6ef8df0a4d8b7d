// croft train --model error-correcting: its options, and the call.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "app/train/train_error_correcting.h"
#include "cli/common.h"

namespace croft::cli {

struct CodeCommand {
  std::string code = "one-vs-rest", decoder = "product";
};

// The options that only error-correcting models have.
void add_code_options(CLI::App& verb, CodeCommand& command);

// Of all options of the verb, those that an error-correcting model takes notice of, and those that
// only it does: names without dashes.
std::span<const std::string_view> code_option_names();
std::span<const std::string_view> code_only_option_names();

// Trains; `shared` has what the kinds have in common.  Returns the exit status.
int run_error_correcting(const CodeCommand& command, const TrainRequest& shared,
                         const std::string& log, bool quiet);

}  // namespace croft::cli
