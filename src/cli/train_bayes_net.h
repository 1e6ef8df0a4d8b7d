// croft train --model bayes-net
#pragma once
#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

#include "app/train/train_bayes_net.h"
#include "croft/app/train.h"

namespace croft::cli {

inline constexpr std::string_view kBayesNet = "bayes-net";

struct BayesNetCommand {
  std::string structure;
};

void add_bayes_net_options(CLI::App& verb, BayesNetCommand& command);
std::span<const std::string_view> bayes_net_option_names();       // all that it looks at
std::span<const std::string_view> bayes_net_only_option_names();  // those of no other kind
//   verb : for the options that other kinds have, too
int run_bayes_net(const CLI::App& verb, const BayesNetCommand& command, const TrainRequest& shared,
                  const std::string& log, bool quiet);

}  // namespace croft::cli
