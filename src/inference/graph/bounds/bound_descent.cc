#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/inference/trw_s.h"
#include "inference/graph/bounds/bound_descent.h"
#include "inference/graph/local_state.h"
#include "inference/graph/messages/message_passes.h"

namespace croft {

// What methods share that lower the bound (MP.2) step by step.  Internal to inference/.

// Throws UsageError that names the method.
template <class Options>
void check_descent(std::string_view method, const Options& options) {
  const auto refuse = [&](std::string_view what) {
    throw UsageError(std::string(method) + ' ' + std::string(what));
  };
  if (options.max_iterations == 0) refuse("needs max_iterations of at least 1");
  if (options.decode_every == 0) refuse("needs decode_every of at least 1");
  if (!(options.tolerance >= 0)) refuse("needs a tolerance that is a number >= 0");
}

// Iterations until the bound is reached, or still.
//   Method(scores) : made once
//   method(states) : an iteration, which returns the bound; writes an assignment unless nullptr
template <class Method, class Options>
MapResult descend_bound(const FactorGraph& graph, const Options& options,
                        const GraphCallback& callback) {
  options.validate();
  MapResult result;
  Convergence& c = result.convergence;
  Reparametrisation scores(graph);
  Method method(scores);
  std::vector<State> states(graph.variables(), 0);
  while (c.iterations < options.max_iterations) {
    const bool decode = c.iterations % options.decode_every == 0;
    const double before = result.bound;
    result.bound = std::min(before, method(decode ? &states : nullptr));
    if (decode) offer(result, graph, states);
    ++c.iterations;
    c.residual = before == result.bound ? 0 : before - result.bound;  // both may be -inf
    c.converged = reaches(result.score, result.bound) ||
                  c.residual <= options.tolerance * std::max(1.0, std::abs(result.bound));
    if (!report(callback, result) || c.converged) break;
  }
  // Once more from the definition (MP.2), without what many small steps have rounded.
  scores.gather_beliefs();
  result.bound = std::max(result.bound, scores.bound());
  polish(result, graph, states);
  conclude(result);
  return result;
}

namespace {

class AllStars {
 public:
  explicit AllStars(Reparametrisation& scores) : scores_(scores), update_(scores) {}

  double operator()(std::vector<State>* states) {
    for (Reparametrisation::Term t = 0; t < scores_.terms(); ++t) update_(t);
    if (states != nullptr) read_beliefs(scores_, *states);
    // After its update a term has nothing left to add, until others change its messages: none do.
    CompensatedSum bound(scores_.constant());
    for (Variable v = 0; v < scores_.graph().variables(); ++v) {
      bound.add(std::ranges::max(scores_.belief(v)));
    }
    return bound.value();
  }

 private:
  Reparametrisation& scores_;
  StarUpdate update_;
};

}  // namespace

void MplpOptions::validate() const { check_descent("mplp", *this); }

MapResult mplp(const FactorGraph& graph, const MplpOptions& options,
               const GraphCallback& callback) {
  return descend_bound<AllStars>(graph, options, callback);
}

namespace {

class ThereAndBack {
 public:
  explicit ThereAndBack(Reparametrisation& scores) : passes_(scores) {}

  double operator()(std::vector<State>* states) {
    passes_.forward(states);
    passes_.backward();
    return passes_.bound();
  }

 private:
  SequentialPasses passes_;
};

}  // namespace

void TrwSOptions::validate() const { check_descent("trw-s", *this); }

MapResult trw_s(const FactorGraph& graph, const TrwSOptions& options,
                const GraphCallback& callback) {
  return descend_bound<ThereAndBack>(graph, options, callback);
}

namespace {

// What every term and every variable finds best at the present prices (MP.7).
class Subproblems {
 public:
  explicit Subproblems(Reparametrisation& scores) : scores_(scores) {
    for (Reparametrisation::Term t = 0; t < scores.terms(); ++t) {
      first_.push_back(chosen_.size());
      chosen_.resize(chosen_.size() + scores.scope(t).size());
    }
  }
  // The bound; `states` become those of the variables.
  double solve(std::vector<State>& states) {
    CompensatedSum bound(scores_.constant());
    read_beliefs(scores_, states);
    for (Variable v = 0; v < states.size(); ++v) bound.add(scores_.belief(v)[states[v]]);
    disagreements_ = 0;
    for (Reparametrisation::Term t = 0; t < scores_.terms(); ++t) {
      const auto messages = scores_.messages(t);
      in_.resize(messages.size());
      std::ranges::transform(messages, in_.begin(), std::negate());
      State* at = chosen_.data() + first_[t];
      bound.add(scores_.best(t, in_.data(), at));
      for (const Variable v : scores_.scope(t)) disagreements_ += *at++ != states[v];
    }
    return bound.value();
  }
  // Of the subgradient: its entries are 1 and -1.
  double squared_norm() const { return 2 * static_cast<double>(disagreements_); }
  void descend(std::span<const State> states, double step) {
    for (Reparametrisation::Term t = 0; t < scores_.terms(); ++t) {
      const auto scope = scores_.scope(t);
      for (std::size_t k = 0; k < scope.size(); ++k) {
        const State own = states[scope[k]], theirs = chosen_[first_[t] + k];
        if (own == theirs) continue;
        const auto belief = scores_.belief(scope[k]);
        const auto message = scores_.message(t, k);
        belief[own] -= step, message[own] -= step;
        belief[theirs] += step, message[theirs] += step;
      }
    }
  }

 private:
  Reparametrisation& scores_;
  std::vector<std::size_t> first_;
  std::vector<State> chosen_;
  std::vector<double> in_;
  std::size_t disagreements_ = 0;
};

}  // namespace

void DualDecompositionOptions::validate() const {
  check_descent("dual decomposition", *this);
  if (!(step > 0 && step < 2)) {
    throw UsageError("the step of dual decomposition must be between 0 and 2");
  }
}

MapResult dual_decomposition(const FactorGraph& graph, const DualDecompositionOptions& options,
                             const GraphCallback& callback) {
  options.validate();
  MapResult result;
  Convergence& c = result.convergence;
  Reparametrisation scores(graph);
  Subproblems subproblems(scores);
  std::vector<State> states(graph.variables(), 0);
  double step = options.step;
  std::size_t since = 0;  // iterations without a lower bound
  while (c.iterations < options.max_iterations) {
    const double bound = subproblems.solve(states);
    if (c.iterations % options.decode_every == 0) {
      LocalState local(graph);
      local.assign(states);
      descend(local, [] { return true; });
      offer(result, graph, local.states());
    }
    since = bound < result.bound ? 0 : since + 1;
    result.bound = std::min(result.bound, bound);
    ++c.iterations;
    const double norm = subproblems.squared_norm();
    c.residual = gap_between(result.score, result.bound);
    c.converged =
        norm == 0 || c.residual <= options.tolerance * std::max(1.0, std::abs(result.bound));
    if (!report(callback, result) || c.converged) break;
    if (since == 20) {
      step /= 2;
      since = 0;
    }
    // Polyak's step; without an assignment to aim at, as if it were a tenth below the bound.
    const double gap = result.states.empty() ? 0.1 * std::max(1.0, std::abs(bound))
                                             : std::max(bound - result.score, 1e-12);
    subproblems.descend(states, step * gap / norm);
  }
  polish(result, graph, states);
  conclude(result);
  return result;
}

}  // namespace croft
