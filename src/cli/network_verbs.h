// predict and evaluate for Bayesian networks and tables of cases.
#pragma once
#include <span>

#include "core/option_row.h"
#include "core/option_values.h"

namespace croft::cli {

inline constexpr const char* kNetworkGroup = "Bayesian networks (-m net.bif)";

std::span<const OptionRow> network_options();
int run_network_prediction(const OptionValues& values);
int run_network_evaluation(const OptionValues& values);

}  // namespace croft::cli
