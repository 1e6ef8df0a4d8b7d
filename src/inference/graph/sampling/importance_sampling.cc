#include "inference/graph/sampling/importance_sampling.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/graph/sampling/single_site.h"

namespace croft {
namespace {

constexpr Factor kNone = 0xffffffff;

[[noreturn]] void fail_to_weigh(const Message& what) {
  throw UsageError("importance sampling: ", what);
}

// Weighted shares of states; weights relative to the largest so far.
class WeightedShares {
 public:
  explicit WeightedShares(const FactorGraph& graph) : graph_(graph) {
    for (Variable v = 0; v < graph.variables(); ++v) {
      first_.emplace_back(graph.states(v), 0.0);
      second_.emplace_back(graph.states(v), 0.0);
    }
  }

  void add(double log_weight, std::span<const State> x) {
    ++draws_;
    if (log_weight == -kInf) return;
    if (log_weight > high_) {
      const double factor = std::exp(high_ - log_weight);
      scale(factor);
      high_ = log_weight;
    }
    const double w = std::exp(log_weight - high_);
    sum_ += w;
    squares_ += w * w;
    for (Variable v = 0; v < x.size(); ++v) {
      first_[v][x[v]] += w;
      second_[v][x[v]] += w * w;
    }
  }

  double log_mean() const {
    return sum_ > 0 ? high_ + std::log(sum_ / static_cast<double>(draws_)) : -kInf;
  }

  // The errors are those of ratios of means: sum (w / sum w)^2 (1[x = s] - p)^2.
  void finish(WeightedResult& result) const {
    result.log_partition = log_mean();
    result.convergence.iterations = draws_;
    if (sum_ == 0) return;
    const auto n = static_cast<double>(draws_);
    const double relative = squares_ / (sum_ * sum_);
    result.effective_samples = 1 / relative;
    result.log_standard_error = std::sqrt(std::max(0.0, relative - 1 / n) * n / (n - 1));
    for (Variable v = 0; v < graph_.variables(); ++v) {
      std::vector<double> p, error;
      for (std::size_t s = 0; s < first_[v].size(); ++s) {
        p.push_back(first_[v][s] / sum_);
        const double in = second_[v][s], out = squares_ - in;
        error.push_back(std::sqrt(std::max(0.0, in * (1 - p[s]) * (1 - p[s]) + out * p[s] * p[s])) /
                        sum_);
      }
      result.marginals.push_back(std::move(p));
      result.standard_errors.push_back(std::move(error));
    }
  }

 private:
  void scale(double factor) {
    sum_ *= factor;
    squares_ *= factor * factor;
    for (auto& each : first_) {
      for (double& x : each) x *= factor;
    }
    for (auto& each : second_) {
      for (double& x : each) x *= factor * factor;
    }
  }

  const FactorGraph& graph_;
  std::size_t draws_ = 0;
  double high_ = -kInf, sum_ = 0, squares_ = 0;
  VariableMarginals first_, second_;  // sums of weights and of their squares
};

bool go_on(const GraphCallback& progress, std::size_t draws, const WeightedShares& shares) {
  if (!progress) return true;
  GraphProgress now;
  now.iteration = draws;
  now.value = shares.log_mean();
  return progress(now);
}

double log_sum(std::span<const double> scores) {
  const double high = *std::ranges::max_element(scores);
  double sum = 0;
  for (const double each : scores) sum += std::exp(each - high);
  return high + std::log(sum);
}

// Whether exp(scores) adds up to 1 over the variable at `place` of the scope, given all others.
bool adds_up(const FactorGraph& graph, Factor f, std::size_t place) {
  const std::vector<double> scores = graph.table(f);
  const auto scope = graph.scope(f);
  std::size_t stride = 1;
  for (std::size_t k = place + 1; k < scope.size(); ++k) stride *= graph.states(scope[k]);
  const std::size_t states = graph.states(scope[place]);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (k / stride % states != 0) continue;
    double sum = 0;
    for (std::size_t s = 0; s < states; ++s) sum += std::exp(scores[k + s * stride]);
    if (std::abs(sum - 1) > 1e-4) return false;  // files round
  }
  return true;
}

// Which factor draws which variable, in an order in which parents come first.
class Network {
 public:
  explicit Network(const FactorGraph& graph)
      : graph_(graph), drawn_by_(graph.variables(), kNone), weighs_(graph.factors(), true) {
    // The child is the last of a scope; where it was observed, no variable may be.  Files mostly
    // have the factor of each variable at its number: others that add up do so by accident.
    for (const bool same_number : {true, false}) {
      for (Factor f = 0; f < graph.factors(); ++f) {
        const auto scope = graph.scope(f);
        if (scope.empty()) continue;
        const Variable last = scope.back();
        if (same_number && last != f) continue;
        if (graph.states(last) < 2 || drawn_by_[last] != kNone) continue;
        if (!adds_up(graph, f, scope.size() - 1)) continue;
        drawn_by_[last] = f;
        weighs_[f] = false;
      }
    }
    std::vector<int> seen(graph.variables(), 0);
    for (Variable v = 0; v < graph.variables(); ++v) visit(v, seen);
  }

  std::span<const Variable> order() const { return order_; }
  Factor drawn_by(Variable v) const { return drawn_by_[v]; }
  bool weighs(Factor f) const { return weighs_[f]; }

 private:
  void visit(Variable v, std::vector<int>& seen) {
    if (seen[v] == 2 || graph_.states(v) < 2) return;
    if (seen[v] == 1) fail_to_weigh("the graph is no Bayesian network: its arrows have a cycle");
    seen[v] = 1;
    if (drawn_by_[v] == kNone) {
      fail_to_weigh({"the graph is no Bayesian network: no factor is the probability of variable ",
                     v, " given others; take --method annealed-importance-sampling"});
    }
    for (const Variable u : graph_.scope(drawn_by_[v])) {
      if (u != v) visit(u, seen);
    }
    seen[v] = 2;
    order_.push_back(v);
  }

  const FactorGraph& graph_;
  std::vector<Factor> drawn_by_;  // [variables]
  std::vector<bool> weighs_;      // [factors]
  std::vector<Variable> order_;
};

}  // namespace

void LikelihoodWeightingOptions::validate() const {
  if (samples < 2) fail_to_weigh("there must be at least 2 samples");
}

void AnnealedOptions::validate() const {
  if (runs < 2) fail_to_weigh("there must be at least 2 runs");
  if (steps < 1) fail_to_weigh("there must be at least 1 step");
}

WeightedResult likelihood_weighting(const FactorGraph& graph,
                                    const LikelihoodWeightingOptions& options,
                                    const GraphCallback& progress) {
  options.validate();
  const Network network(graph);
  WeightedShares shares(graph);
  Random random(options.seed);
  std::vector<State> x(graph.variables(), 0);
  std::vector<double> scores;
  bool more = true;
  std::size_t drawn = 0;
  for (; drawn < options.samples && more; ++drawn) {
    double log_weight = 0;
    for (const Variable v : network.order()) {
      scores.resize(graph.states(v));
      for (State s = 0; s < scores.size(); ++s) {
        x[v] = s;
        scores[s] = graph.factor_score(network.drawn_by(v), x);
      }
      log_weight += log_sum(scores);  // what rounding has left of 0
      x[v] = SingleSite::draw(scores, random);
    }
    for (Factor f = 0; f < graph.factors() && log_weight > -kInf; ++f) {
      if (network.weighs(f)) log_weight += graph.factor_score(f, x);
    }
    shares.add(log_weight, x);
    if (drawn % 256 == 255) more = go_on(progress, drawn + 1, shares);
  }
  WeightedResult result;
  shares.finish(result);
  result.convergence.converged = drawn == options.samples && result.effective_samples > 0;
  return result;
}

WeightedResult annealed_importance_sampling(const FactorGraph& graph,
                                            const AnnealedOptions& options,
                                            const GraphCallback& progress) {
  options.validate();
  SingleSite site(graph);
  WeightedShares shares(graph);
  Random random(options.seed);
  std::vector<State> x(graph.variables(), 0);
  VariableMarginals own;
  double log_first = site.constant();  // Z of independent variables
  for (Variable v = 0; v < graph.variables(); ++v) {
    own.push_back(site.own_scores(v, x));
    const double high = *std::ranges::max_element(own.back());
    double sum = 0;
    for (const double each : own.back()) sum += high == -kInf ? 0 : std::exp(each - high);
    log_first += sum > 0 ? high + std::log(sum) : -kInf;
  }
  WeightedResult result;
  const auto steps = static_cast<double>(options.steps);
  bool more = log_first > -kInf;
  std::size_t done = 0;
  for (; done < options.runs && more; ++done) {
    for (Variable v = 0; v < graph.variables(); ++v) x[v] = SingleSite::draw(own[v], random);
    double log_weight = log_first;
    for (std::size_t t = 1; t <= options.steps && log_weight > -kInf && more; ++t) {
      log_weight += site.shared_score(x) / steps;
      if (log_weight > -kInf && t < options.steps) {
        site.sweep(static_cast<double>(t) / steps, 1, x, random);
      }
      if (t % 64 == 0) more = go_on(progress, done, shares);
    }
    if (!more) break;
    shares.add(log_weight, x);
    more = go_on(progress, done + 1, shares);
  }
  shares.finish(result);
  result.convergence.converged = done == options.runs && result.effective_samples > 0;
  if (log_first == -kInf) result.kind = ResultKind::exact;  // proved by factors of one variable
  return result;
}

}  // namespace croft
