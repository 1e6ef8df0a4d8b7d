// What infer() shares with the table of its methods.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/parse_number.h"
#include "croft/app/infer.h"
#include "croft/inference/graph_result.h"
#include "croft/inference/map_result.h"

namespace croft {

// What `auto` takes where the junction tree is too large, why, and with which limit.
struct AutoChoice {
  std::string_view method;
  Message why;
  std::optional<std::size_t> max_iterations;
};
AutoChoice auto_without_junction_tree(const InferProblem& p);
// What it takes where the request has options of iterations.
std::string_view auto_iterating(const InferRequest& request);

// "1.5 GB": 1 GB is 2^30 bytes.
std::string memory_text(double bytes);

// The settings of a request into fields of an options struct; UsageError for what is no value.
class Settings {
 public:
  explicit Settings(const InferRequest& request) : request_(request) {}

  // The last one of a name; nullptr where there is none.
  const std::string* find(std::string_view name) const;
  const Settings& read(std::string_view name, double& value) const;
  const Settings& read(std::string_view name, std::size_t& value) const;
  template <class T>  // parse: text to a value, or UsageError
  const Settings& read(std::string_view name, T& value, T (*parse)(std::string_view)) const {
    if (const std::string* text = find(name)) value = parse(*text);
    return *this;
  }

 private:
  const InferRequest& request_;
};

// Sweeps enough for the samples that are asked for, where one of `thin` is counted.
template <class Options>
void raise_sweeps(std::size_t thin, Options& o) {
  if (o.chains == 0 || o.samples == 0) return;
  o.sweeps = std::max(o.sweeps, ((o.samples - 1) / o.chains + 1) * thin);
}

// What the request says of the fields that many options have.  infer() has refused what a method
// does not look at.
template <class Options>
Options options_of(const InferProblem& p) {
  Options o;
  const InferRequest& r = p.request;
  const Settings settings(r);
  if constexpr (requires { o.tolerance; }) o.tolerance = r.tolerance.value_or(o.tolerance);
  if constexpr (requires { o.max_iterations; }) {
    o.max_iterations = r.max_iterations.value_or(o.max_iterations);
  }
  if constexpr (requires { o.sweeps; }) o.sweeps = r.max_iterations.value_or(o.sweeps);
  if constexpr (requires { o.seed; }) o.seed = r.seed;
  if constexpr (requires { o.threads; }) o.threads = r.threads;
  if constexpr (requires { o.memory; }) o.memory = p.memory;
  if constexpr (requires { o.progress; }) o.progress = p.progress;
  if constexpr (requires { o.restarts; }) settings.read("restarts", o.restarts);
  if constexpr (requires { o.damping; }) settings.read("damping", o.damping);
  if constexpr (requires { o.decode_every; }) settings.read("decode-every", o.decode_every);
  if constexpr (requires { o.inner_iterations; }) {
    settings.read("inner-iterations", o.inner_iterations);
  }
  if constexpr (requires { o.burn_in; }) {
    settings.read("burn-in", o.burn_in).read("chains", o.chains);
    if (r.task == GraphTask::sample) {
      o.samples = r.samples.value_or(1);
      if (!r.max_iterations) raise_sweeps(1, o);
    }
  }
  return o;
}

inline void take(const Convergence& end, InferResult& result) {
  result.converged = end.converged;
  result.iterations = end.iterations;
  if (std::isfinite(end.residual)) result.residual = end.residual;
}

[[noreturn]] void fail_without_assignment();
// Of a search, which proves nothing.
[[noreturn]] void fail_without_finding();
// Throws that where a search has found no allowed assignment.
void check_found(const InferResult& result, const FactorGraph& graph);

void take(const InferProblem& p, MapResult found, InferResult& result);

// What methods look at.
inline constexpr InferOptions kIterates{.tolerance = true, .max_iterations = true, .seconds = true};
inline constexpr InferOptions kCountsInMemory{
    .max_iterations = true, .seconds = true, .memory = true};
inline constexpr InferOptions kCounts{.max_iterations = true, .seconds = true};

// The rows of the table, beside their adapters.
std::vector<InferMethod> exact_methods();
std::vector<InferMethod> sum_methods();  // that estimate or bound sums, and max-product
std::vector<InferMethod> search_methods();
std::vector<InferMethod> sampling_methods();
void run_junction_tree(const InferProblem& p, InferResult& result);
// Of auto: a junction tree where branch and bound, with at most the request's iterations, has
// proved nothing.
void run_search_then_tree(const InferProblem& p, InferResult& result);
// Of auto: a junction tree of p.order, or recursive conditioning along it where memory is short;
// where p.share ends it, an estimate.
void run_exact_then_estimate(const InferProblem& p, InferResult& result);
// The same, but where p.share ends it: says why it has no answer; empty where it has.
Message try_exact(const InferProblem& p, InferResult& result);
// `auto` runs it for sums whose junction tree is expensive or does not fit.
void run_large_sums(const InferProblem& p, InferResult& result);
// `auto` runs it for the best estimate of several methods, with bounds; it adds to the reason.
void estimate_sums(const InferProblem& p, InferResult& result);

}  // namespace croft
