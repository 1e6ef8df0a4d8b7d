#include "inference/graph/sampling/stuck_variables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/infinity.h"
#include "croft/core/random.h"
#include "inference/graph/allowed_assignment.h"

namespace croft {
namespace {

constexpr double kNegligible = 1e-9;           // probability of another state
constexpr std::uint64_t kMostTable = 1 << 16;  // joint states of a factor that is gone through
constexpr double kMostWork = 1 << 26;          // of all proofs, in joint states and numbers
constexpr std::size_t kMostSteps = 1 << 12;    // of the search for another allowed state

// Proofs that variables cannot leave a state, or hardly ever do.
class Proofs {
 public:
  Proofs(const FactorGraph& graph, double temperature)
      : graph_(graph), lists_(graph), hard_(has_hard_factors(graph)), temperature_(temperature) {}

  bool must_be(Variable v, State s) {
    for (State other = 0; other < graph_.states(v); ++other) {
      if (other != s && !unlikely(v, s, other) && !impossible(v, other)) return false;
    }
    return true;
  }

 private:
  // p(v = other) <= exp(the sum over factors of the largest score(other) - score(s)), since that
  // bounds p(v = other | rest) / p(v = s | rest) for every rest.
  bool unlikely(Variable v, State s, State other) {
    double log_ratio = 0;
    for (const Factor f : lists_.of(v)) {
      const double gain = most_gain(f, v, s, other);
      if (gain == -kInf) return true;
      log_ratio += gain;
    }
    return log_ratio / temperature_ + std::log(static_cast<double>(graph_.states(v))) <=
           std::log(kNegligible);
  }
  double most_gain(Factor f, Variable v, State s, State other) {
    const std::uint64_t joint = graph_.joint_states(f);
    if (joint > kMostTable || !spend(static_cast<double>(joint))) return kInf;
    const std::vector<double> scores = graph_.table(f);
    const auto scope = graph_.scope(f);
    std::uint64_t stride = 1;
    for (std::size_t k = scope.size(); scope[--k] != v;) stride *= graph_.states(scope[k]);
    const std::uint64_t row = stride * graph_.states(v);
    double most = -kInf;
    for (std::uint64_t k = 0; k < joint; ++k) {
      if (k % row >= stride || scores[k + other * stride] == -kInf) continue;
      most = std::max(most, scores[k + other * stride] - scores[k + s * stride]);
    }
    return most;
  }
  // Every assignment with this state has a zero.
  bool impossible(Variable v, State state) {
    if (!hard_ || !spend(static_cast<double>(graph_.numbers().size() + graph_.variables()))) {
      return false;
    }
    Evidence given(graph_.variables(), kUnobserved);
    given[v] = state;
    Random random(1);
    const AllowedLimits limits{.steps = kMostSteps, .looked_at = left_};
    return find_allowed(condition(graph_, given), random, limits).outcome == AllowedSearch::none;
  }
  bool spend(double work) { return (left_ -= work) >= 0; }

  const FactorGraph& graph_;
  const FactorLists lists_;
  const bool hard_;
  const double temperature_;
  double left_ = kMostWork;
};

}  // namespace

void mark_stuck(const FactorGraph& graph, double temperature, GibbsResult& result) {
  Proofs proofs(graph, temperature);
  for (Variable v = 0; v < graph.variables(); ++v) {
    const std::vector<double>& p = result.marginals[v];
    const auto always = static_cast<State>(std::ranges::find(p, 1.0) - p.begin());
    if (p.size() < 2 || always == p.size() || proofs.must_be(v, always)) continue;
    std::ranges::fill(result.standard_errors[v], std::numeric_limits<double>::quiet_NaN());
    result.convergence.converged = false;
  }
}

std::size_t count_stuck(const GibbsResult& result) {
  return static_cast<std::size_t>(std::ranges::count_if(
      result.standard_errors,
      [](const std::vector<double>& errors) { return std::isnan(errors.front()); }));
}

}  // namespace croft
