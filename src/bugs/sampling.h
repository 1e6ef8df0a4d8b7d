// Draws from the posterior of a BUGS model: what a front end asks for, and what it gets.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bugs/arrays.h"
#include "bugs/program.h"
#include "croft/core/error.h"

namespace croft::bugs {

struct Until {  // stop when all monitored values have reached both
  std::optional<double> r_hat = {}, effective_samples = {};
};

struct MonitorRequest {
  std::string name;      // alpha, theta, Y[1,2], p[1:3,]; "deviance"
  std::size_t thin = 0;  // 0: that of the options
  Location where = {};   // in a script; errors name it
};

struct BugsOptions {
  std::size_t chains = 4;
  std::size_t burn_in = 1000;   // iterations before the first that is kept; samplers adapt in them
  std::size_t samples = 10000;  // iterations after them, of each chain
  std::size_t thin = 1;         // of so many iterations the last is kept
  std::vector<MonitorRequest> monitors =
      {};                           // none: every unobserved stochastic node that has a name
  std::optional<Until> until = {};  // `samples` is then the most
  std::uint64_t seed = 1;
  std::size_t threads = 0;      // 0: one for each processor; does not change the result
  bool exact = true;            // answer an all-discrete model by the junction tree where it fits
  std::string checkpoint = {};  // a folder; empty: none
  bool resume = false;
  void validate() const;  // throws UsageError
};

// Kept values of one element, such as theta[2].
struct Trace {
  std::string name;
  std::size_t first = 1, thin = 1;          // iteration of the first value, counted from 1; steps
  std::vector<std::vector<double>> chains;  // [chains][values]
};

struct SamplerUse {
  std::string sampler;             // "conjugate gamma", "slice", ...
  std::vector<std::string> nodes;  // that it updates
};

struct ExactMarginal {
  std::string name;
  std::vector<double> values, probabilities;  // values rise; NaN, if it is one, is the last
};

// A figure of the deviance D = -2 log p(observed | parents), docs/math/bugs.md.  NaN: not known.
struct DevianceSummary {
  double mean_deviance = 0, pd = 0, dic = 0;
};

struct BugsResult {
  std::vector<Trace> traces;  // in the order of the monitors, elements in R's order
  std::vector<SamplerUse> samplers;
  std::vector<ExactMarginal> exact;  // of a model that the junction tree answers; no traces then
  std::optional<double> log_evidence = {};  // exact: log p(observed)
  std::optional<DevianceSummary> deviance = {};
  std::size_t observed = 0, unobserved = 0, graph_size = 0;  // stochastic nodes; all nodes
  std::size_t iterations = 0;                                // of each chain, with the burn-in
  bool stopped = false;                                      // by the callback, before the end
  std::vector<std::string> warnings;
};

struct BugsProgress {
  std::size_t done = 0, all = 0;            // iterations of each chain
  double r_hat = 0, effective_samples = 0;  // the worst of the monitored values; 0: not yet known
};
using BugsCallback = std::function<bool(const BugsProgress&)>;  // false: stop, keep what is there

// Compiles and draws.  inits: one for each chain, or one for all; names without one start at a
// typical value of a vague prior, or at a draw (docs/math/bugs.md).  Throws InputError with the
// line of the program for what does not compile.
BugsResult sample(const Program& program, const Arrays& data, const std::vector<Arrays>& inits,
                  const BugsOptions& options, const BugsCallback& progress = {});

}  // namespace croft::bugs
