// croft train --model naive-bayes: its options, and the call.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "app/train/train_naive_bayes.h"
#include "cli/common.h"

namespace croft::cli {

struct NaiveBayesCommand {
  NaiveBayesRequest request;  // its source is filled in by the run
};

// The options that only this kind has.
void add_naive_bayes_options(CLI::App& verb, NaiveBayesCommand& command);

// Of all options of the verb, those that this kind takes notice of, and those that no other kind
// has: names without dashes.
std::span<const std::string_view> naive_bayes_option_names();
std::span<const std::string_view> naive_bayes_only_option_names();

// Trains; `shared` has what the kinds have in common: data, output, how data becomes attributes,
// init, partial labels, weights and tolerance.  Returns the exit status.
//   em_iterations : where --em-iterations is given
int run_naive_bayes(const NaiveBayesCommand& command, const TrainRequest& shared,
                    std::optional<std::size_t> em_iterations, const std::string& log, bool quiet);

}  // namespace croft::cli
