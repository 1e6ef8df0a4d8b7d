// What draws from a posterior say of each number: a table of means, quantiles and errors.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "bugs/sampling.h"

namespace croft {
class Json;
}

namespace croft::bugs {

inline constexpr std::array<double, 5> kSummaryShares = {0.025, 0.25, 0.5, 0.75, 0.975};

// Summary of one number.  NaN: not known, as in diagnostics.h; mean, deviation and quantiles are
// not known where some values are no number.
struct NodeSummary {
  std::string name;
  double mean = 0, sd = 0;
  double error = 0;  // the Monte Carlo standard error of the mean, of its own effective samples
  std::array<double, 5> quantiles = {};  // of kSummaryShares, between draws linearly (R's type 7)
  std::array<double, 2> narrowest = {};  // the narrowest interval of 95 % of the draws (HPD)
  double effective = 0, tail_effective = 0;  // of the bulk, of the tails
  double r_hat = 0;
  double no_number = 0;   // share of the draws, or probability, of NaN
  std::size_t draws = 0;  // of all chains
  bool exact = false;     // of probabilities that are known: no error, no draws
};

NodeSummary summarise(const Trace& trace);
NodeSummary summarise(const ExactMarginal& marginal);
// Of all traces, then of all exact marginals; on threads (0: one for each processor).
std::vector<NodeSummary> summaries(const BugsResult& result, std::size_t threads = 1);

std::string summary_text(const std::vector<NodeSummary>& nodes);  // a table
std::string summary_csv(const std::vector<NodeSummary>& nodes);
Json to_json(const NodeSummary& node);
// The whole of an answer: nodes, samplers, deviance, what the run was.
//   nodes : summaries(result)
Json to_json(const BugsResult& result, const std::vector<NodeSummary>& nodes,
             const BugsOptions& options);

}  // namespace croft::bugs
