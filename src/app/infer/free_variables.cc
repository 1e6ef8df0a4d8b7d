#include "app/infer/free_variables.h"

#include <algorithm>
#include <cmath>

#include "croft/core/random.h"

namespace croft {
namespace {

constexpr std::uint64_t kOwnStream = 0xf4eeull;  // of draws that no method makes

void draw(const FreeVariables& free, const FactorGraph& asked, std::uint64_t seed,
          std::vector<std::vector<State>>& samples) {
  Random random(Random(seed ^ kOwnStream).next());
  for (std::vector<State>& sample : samples) {
    for (const Variable v : free.variables) {
      sample[v] = static_cast<State>(random.below(asked.states(v)));
    }
  }
}

// The next joint state of the free variables; false after the last.
bool advance(const FreeVariables& free, const FactorGraph& asked, std::vector<State>& states) {
  for (std::size_t k = free.variables.size(); k-- > 0;) {
    const Variable v = free.variables[k];
    if (++states[v] < asked.states(v)) return true;
    states[v] = 0;
  }
  return false;
}

// Each assignment of the others stands for as many equally good ones as the free have joint states.
void rank(const FreeVariables& free, const FactorGraph& asked, std::size_t k, InferResult& r) {
  std::vector<RankedAssignment> all;
  for (RankedAssignment& each : r.k_best) {
    if (each.probability) *each.probability *= std::exp(-free.log_states);
    bool more = true;
    while (more && all.size() < k) {
      all.push_back(each);
      more = advance(free, asked, each.states);
    }
    if (!more) continue;
    if (r.bound_of_others) r.bound_of_others = std::max(*r.bound_of_others, each.log_score);
    break;
  }
  r.k_best = std::move(all);
}

}  // namespace

FreeVariables set_free_apart(const InferRequest& request, FactorGraph& graph) {
  const bool draws = request.task == GraphTask::sample && !request.proposal;
  const bool ranks = request.task == GraphTask::map && request.k_best;
  FreeVariables free;
  if (!draws && !ranks && request.task != GraphTask::marginal_map) return free;
  std::vector<bool> kept(graph.variables(), request.task == GraphTask::marginal_map);
  for (const Variable v : request.over) kept[v] = false;
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) kept[v] = true;
  }
  Evidence known(graph.variables(), kUnobserved);
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (kept[v] || graph.states(v) < 2) continue;
    free.variables.push_back(v);
    free.log_states += std::log(static_cast<double>(graph.states(v)));
    known[v] = 0;
  }
  if (!free.variables.empty()) graph = condition(graph, known);
  return free;
}

void put_free_back(const FreeVariables& free, const FactorGraph& asked, const InferRequest& request,
                   InferResult& result) {
  if (free.variables.empty()) return;
  draw(free, asked, request.seed, result.samples);
  if (request.k_best) rank(free, asked, *request.k_best, result);
  if (result.log_partition) *result.log_partition += free.log_states;
  if (result.probability) *result.probability *= std::exp(-free.log_states);
}

}  // namespace croft
