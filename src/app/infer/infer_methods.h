// What infer() shares with the table of its methods.
#pragma once
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
std::string_view auto_iterating(GraphTask task);

// "1.5 GB": 1 GB is 2^30 bytes.
std::string memory_text(double bytes);

// The settings of a request into fields of an options struct; UsageError for what is no value.
class Settings {
 public:
  explicit Settings(const InferRequest& request) : request_(request) {}

  // The last one of a name; nullptr where there is none.
  const std::string* find(std::string_view name) const;
  void read(std::string_view name, double& value) const;
  void read(std::string_view name, std::size_t& value) const;
  template <class T>  // parse: text to a value, or UsageError
  void read(std::string_view name, T& value, T (*parse)(std::string_view)) const {
    if (const std::string* text = find(name)) value = parse(*text);
  }

 private:
  const InferRequest& request_;
};

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

// Adapters, a function for each method.
void run_junction_tree(const InferProblem& p, InferResult& result);
void run_brute_force(const InferProblem& p, InferResult& result);
void run_conditioning(const InferProblem& p, InferResult& result);
void run_recursive_conditioning(const InferProblem& p, InferResult& result);
void run_tree_reweighted(const InferProblem& p, InferResult& result);
void run_mean_field(const InferProblem& p, InferResult& result);
void run_structured_mean_field(const InferProblem& p, InferResult& result);
void run_generalised_propagation(const InferProblem& p, InferResult& result);
void run_double_loop(const InferProblem& p, InferResult& result);
void run_fractional(const InferProblem& p, InferResult& result);
void run_belief_propagation(const InferProblem& p, InferResult& result);
void run_max_product(const InferProblem& p, InferResult& result);
void run_gibbs(const InferProblem& p, InferResult& result);
void run_swendsen_wang(const InferProblem& p, InferResult& result);
void run_parallel_tempering(const InferProblem& p, InferResult& result);
void run_metropolis_hastings(const InferProblem& p, InferResult& result);
void run_likelihood_weighting(const InferProblem& p, InferResult& result);
void run_annealed_importance_sampling(const InferProblem& p, InferResult& result);
void run_graph_cut(const InferProblem& p, InferResult& result);
void run_qpbo(const InferProblem& p, InferResult& result);
void run_alpha_expansion(const InferProblem& p, InferResult& result);
void run_alpha_beta_swap(const InferProblem& p, InferResult& result);
void run_trw_s(const InferProblem& p, InferResult& result);
void run_mplp(const InferProblem& p, InferResult& result);
void run_dual_decomposition(const InferProblem& p, InferResult& result);
void run_icm(const InferProblem& p, InferResult& result);
void run_lazy_flipper(const InferProblem& p, InferResult& result);
void run_annealing(const InferProblem& p, InferResult& result);
void run_branch_and_bound(const InferProblem& p, InferResult& result);
// Of auto: a junction tree where branch and bound, with at most the request's iterations, has
// proved nothing.
void run_search_then_tree(const InferProblem& p, InferResult& result);

}  // namespace croft
