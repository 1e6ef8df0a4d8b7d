#include "inference/graph/sampling/mini_bucket_sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "inference/graph/bounds/mini_bucket_search.h"
#include "inference/graph/bounds/mini_buckets.h"

namespace croft {
namespace {

using Place = MiniBuckets::Place;

constexpr double kMostNumbers = 1 << 26;
constexpr double kStatesOfRound = 8;
constexpr double kBytesPerState = 16;
constexpr double kDrawsPerState = 4;    // table look-ups of draws for a joint state of a table
constexpr std::size_t kFewestRuns = 4;  // that a standard error is of
constexpr std::size_t kKeptOfRun = 64;  // particles of a run that marginals are made of
constexpr std::size_t kKeptDraws = 8192;
constexpr std::size_t kEnough = 20000;  // draws, where no number is given and log Z is precise
constexpr double kPrecise = 1e-3;
constexpr std::size_t kBetweenQuestions = 16;  // particles

double log_sum(const std::vector<double>& scores) {
  const double high = *std::ranges::max_element(scores);
  if (high == -kInf) return high;
  double sum = 0;
  for (const double each : scores) sum += std::exp(each - high);
  return high + std::log(sum);
}

// e^score relative to their sum: they add up to 1 also where log_sum() has no digits left for that.
void shares_of(const std::vector<double>& scores, std::vector<double>& shares) {
  const double high = *std::ranges::max_element(scores);
  shares.assign(scores.size(), 0.0);
  if (high == -kInf) return;
  double sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) sum += shares[k] = std::exp(scores[k] - high);
  for (double& each : shares) each /= sum;
}

// Runs with mini-buckets of one size.
class Round {
 public:
  Round(const MiniBuckets& buckets, std::size_t particles, bool marginals, Random& random,
        const std::function<bool()>& goes_on)
      : buckets_(buckets), marginals_(marginals), random_(random), goes_on_(goes_on) {
    x_.assign(particles, std::vector<State>(buckets.places(), 0));
    factors_of_.resize(buckets.places());
    for (std::uint32_t f = 0; f < buckets.functions().size(); ++f) {
      if (buckets.functions()[f].from != MiniBuckets::kNowhere) continue;
      for (const Place v : buckets.functions()[f].scope) factors_of_[v].push_back(f);
    }
    for (Place v = 0; v < buckets.places(); ++v) shares_.emplace_back(buckets.states(v), 0.0);
    squares_ = shares_;
  }

  // False where it was stopped on the way; the run does not count then.
  bool run() {
    log_weights_.assign(x_.size(), 0.0);
    below_.assign(x_.size(), buckets_.bound());
    double log_z = buckets_.bound();
    for (std::size_t v = buckets_.places(); v-- > 0;) {
      const auto place = static_cast<Place>(v);
      if (!marginals_ && buckets_.exact_below(place)) continue;
      for (std::size_t k = 0; k < x_.size(); ++k) {
        if (k % kBetweenQuestions == 0 && !goes_on_()) return false;
        if (log_weights_[k] > -kInf) extend(place, k);
      }
      log_z += replace();
      if (log_z == -kInf) break;
    }
    if (log_z > -kInf) log_z += log_sum(log_weights_) - std::log(static_cast<double>(x_.size()));
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (log_weights_[k] > -kInf) least_ = std::max(least_, below_[k]);
    }
    if (log_z > -kInf && marginals_ && !add_shares(log_z)) return false;
    ++runs_;
    log_z_.push_back(log_z);
    return true;
  }

  std::size_t runs() const { return runs_; }
  double looked_up() const { return looked_up_; }
  double least() const { return least_; }

  // sqrt of the relative variance of the mean of Z over the runs.
  double standard_error() const {
    const double mean = log_mean();
    if (runs_ < kFewestRuns || mean == -kInf) return kInf;
    double squares = 0;
    for (const double each : log_z_) squares += std::pow(std::exp(each - mean) - 1, 2);
    const auto n = static_cast<double>(runs_);
    return std::sqrt(squares / (n * (n - 1)));
  }
  double log_mean() const {
    return log_z_.empty() ? -kInf : log_sum(log_z_) - std::log(static_cast<double>(runs_));
  }

  void finish(const FactorGraph& graph, BoundedSum& result) const {
    WeightedResult& sum = result.sum;
    sum.log_partition = log_mean();
    sum.log_standard_error = standard_error();
    sum.convergence.iterations = runs_ * x_.size();
    sum.convergence.converged = sum.log_standard_error <= BoundedSum::kAccurate;
    sum.effective_samples = weight_ > 0 ? weight_ * weight_ / weight_squares_ : 0;
    result.draws = draws_;
    result.weights.clear();
    for (const double each : draw_weights_) result.weights.push_back(std::exp(each - high_));
    if (weight_ == 0) return;
    sum.marginals.clear();
    sum.standard_errors.clear();
    for (Variable v = 0; v < graph.variables(); ++v) {
      sum.marginals.emplace_back(graph.states(v), 1 / static_cast<double>(graph.states(v)));
      sum.standard_errors.emplace_back(graph.states(v), 0.0);
    }
    for (Place v = 0; v < buckets_.places(); ++v) {
      for (std::size_t s = 0; s < shares_[v].size(); ++s) {
        const double p = shares_[v][s] / weight_;
        // Variance of a ratio of means over the runs.
        const double spread = squares_[v][s] - 2 * p * with_weight(v, s) + p * p * run_squares_;
        sum.marginals[buckets_.variable(v)][s] = p;
        sum.standard_errors[buckets_.variable(v)][s] = std::sqrt(std::max(0.0, spread)) / weight_;
      }
    }
  }

 private:
  // An index into a function by the particle's states.
  std::size_t index_of(const MiniBuckets::Function& f, const std::vector<State>& x) {
    std::size_t index = 0;
    for (std::size_t k = 0; k < f.scope.size(); ++k) index += f.strides[k] * x[f.scope[k]];
    looked_up_ += 1;
    return index;
  }

  // The scores of the functions, for the states of v.
  void add(const std::vector<std::uint32_t>& functions, Place v, std::vector<State>& x) {
    x[v] = 0;
    for (const std::uint32_t id : functions) {
      const MiniBuckets::Function& f = buckets_.functions()[id];
      std::size_t stride = 0;
      if (const auto at = std::ranges::find(f.scope, v); at != f.scope.end()) {
        stride = f.strides[static_cast<std::size_t>(at - f.scope.begin())];
      }
      const double* row = f.values.data() + index_of(f, x);
      for (std::size_t s = 0; s < scores_.size(); ++s) scores_[s] += row[s * stride];
    }
  }

  // Draws the state of a place, given those above.
  void extend(Place v, std::size_t k) {
    std::vector<State>& x = x_[k];
    double before = 0;
    for (const std::uint32_t id : buckets_.crossing(v)) {
      const MiniBuckets::Function& f = buckets_.functions()[id];
      before += f.values[index_of(f, x)];
    }
    scores_.assign(buckets_.states(v), 0.0);
    add(buckets_.factors_at(v), v, x);
    for (const Place child : buckets_.children(v)) add(buckets_.crossing(child), v, x);
    const double after = log_sum(scores_);
    if (after == -kInf) {
      log_weights_[k] = -kInf;
      return;
    }
    if (!buckets_.exact_below(v)) log_weights_[k] += after - before;
    below_[k] += after - before;
    shares_of(scores_, row_);
    double left = random_.uniform();
    for (State s = 0; s < row_.size(); ++s) {
      if (row_[s] == 0) continue;
      x[v] = s;
      if ((left -= row_[s]) < 0) break;
    }
    below_[k] += scores_[x[v]] - after;
  }

  // If few particles have most of the weight, they take the places of the others; returns the
  // logarithm of the mean weight that was taken away.
  double replace() {
    const double high = *std::ranges::max_element(log_weights_);
    if (high == -kInf) return high;
    double sum = 0, squares = 0;
    std::vector<double> weights;
    for (const double each : log_weights_) {
      weights.push_back(std::exp(each - high));
      sum += weights.back();
      squares += weights.back() * weights.back();
    }
    const auto n = static_cast<double>(x_.size());
    if (sum * sum >= n / 2 * squares) return 0;
    // Copies by systematic draws; a particle that stays keeps its place.
    std::vector<std::size_t> copies(x_.size(), 0);
    double at = random_.uniform(), reached = 0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      reached += weights[k] / sum * n;
      for (; at < reached; at += 1) ++copies[k];
    }
    std::size_t from = 0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (copies[k] > 0) continue;
      while (from < x_.size() && copies[from] < 2) ++from;
      if (from == x_.size()) break;
      x_[k] = x_[from];
      below_[k] = below_[from];
      --copies[from];
      copies[k] = 1;
    }
    log_weights_.assign(x_.size(), 0.0);
    return high + std::log(sum / n);
  }

  // Some particles, by their weights: each takes a step of Gibbs sampling at each variable, and its
  // probabilities there count.
  bool add_shares(double log_z) {
    std::vector<double> shares;
    shares_of(log_weights_, shares);
    VariableMarginals mean;
    for (const auto& each : shares_) mean.emplace_back(each.size(), 0.0);
    const std::size_t kept = std::min(kKeptOfRun, x_.size());
    double at = random_.uniform(), reached = 0;
    std::vector<State> x;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      reached += shares[k] * static_cast<double>(kept);
      bool first = true;
      for (; at < reached; at += 1) {
        if (!goes_on_()) return false;
        if (first) x = x_[k];
        first = false;
        sweep(x, mean, 1 / static_cast<double>(kept));
        keep(x, log_z);
      }
    }
    add_run(mean, log_z);
    return true;
  }

  void sweep(std::vector<State>& x, VariableMarginals& mean, double weight) {
    for (Place v = 0; v < buckets_.places(); ++v) {
      const State old = x[v];
      scores_.assign(buckets_.states(v), 0.0);
      add(factors_of_[v], v, x);
      x[v] = old;
      shares_of(scores_, row_);
      double left = random_.uniform();
      bool drawn = false;
      for (State s = 0; s < scores_.size(); ++s) {
        const double p = row_[s];
        mean[v][s] += weight * p;
        left -= p;
        if (p == 0 || drawn) continue;
        x[v] = s;
        drawn = left < 0;
      }
    }
  }

  void keep(const std::vector<State>& x, double log_z) {
    if (draws_.size() >= kKeptDraws) return;
    std::size_t most = 0;
    for (Place v = 0; v < buckets_.places(); ++v) {
      most = std::max<std::size_t>(most, buckets_.variable(v) + std::size_t{1});
    }
    std::vector<State> whole(most, 0);
    for (Place v = 0; v < buckets_.places(); ++v) whole[buckets_.variable(v)] = x[v];
    draws_.push_back(std::move(whole));
    draw_weights_.push_back(log_z);
  }

  void add_run(const VariableMarginals& mean, double log_z) {
    if (log_z > high_) {
      const double less = std::exp(high_ - log_z);
      weight_ *= less;
      weight_squares_ *= less * less;
      run_squares_ *= less * less;
      for (auto* table : {&shares_, &squares_, &products_}) {
        for (auto& row : *table) {
          for (double& each : row) each *= table == &shares_ ? less : less * less;
        }
      }
      high_ = log_z;
    }
    const double w = std::exp(log_z - high_);
    weight_ += w;
    weight_squares_ += w * w / static_cast<double>(kKeptOfRun);
    run_squares_ += w * w;
    if (products_.empty()) {
      for (const auto& each : shares_) products_.emplace_back(each.size(), 0.0);
    }
    for (Place v = 0; v < mean.size(); ++v) {
      for (std::size_t s = 0; s < mean[v].size(); ++s) {
        shares_[v][s] += w * mean[v][s];
        squares_[v][s] += w * w * mean[v][s] * mean[v][s];
        products_[v][s] += w * w * mean[v][s];
      }
    }
  }
  double with_weight(Place v, std::size_t s) const { return products_[v][s]; }

  const MiniBuckets& buckets_;
  const bool marginals_;
  Random& random_;
  const std::function<bool()>& goes_on_;
  std::vector<std::vector<State>> x_;  // [particles][places]
  std::vector<double> log_weights_;    // [particles] since the last replacement
  // [particles] log of the sum over all that is not drawn, which is exact: no more than log Z.
  std::vector<double> below_;
  std::vector<std::vector<std::uint32_t>> factors_of_;  // [places]
  std::vector<double> scores_, row_, log_z_;            // row_: shares of scores_
  std::size_t runs_ = 0;
  double looked_up_ = 0, least_ = -kInf;
  // Over the runs, relative to the largest Z so far: weights, and shares of states with them.
  double high_ = -kInf, weight_ = 0, weight_squares_ = 0, run_squares_ = 0;
  VariableMarginals shares_, squares_, products_;  // [places][states]
  std::vector<std::vector<State>> draws_;
  std::vector<double> draw_weights_;
};

// Variables of few factors first; for graphs that are too wide for a better order.
std::vector<Variable> order_by_factors(const FactorGraph& graph) {
  const FactorLists factors(graph);
  std::vector<Variable> order(graph.variables());
  std::iota(order.begin(), order.end(), Variable{0});
  std::ranges::stable_sort(order, {}, [&](Variable v) { return factors.of(v).size(); });
  return order;
}

double numbers_of(const FactorGraph& graph) {
  double numbers = 0;
  for (Factor f = 0; f < graph.factors(); ++f)
    numbers += static_cast<double>(graph.joint_states(f));
  return numbers;
}

}  // namespace

void MiniBucketSamplingOptions::validate() const {
  if (particles < 2) throw UsageError("mini-bucket sampling: there must be at least 2 particles");
  if (!(table_bytes > 0)) throw UsageError("mini-bucket sampling needs table_bytes above 0");
}

BoundedSum mini_bucket_sampling(const FactorGraph& graph, const MiniBucketSamplingOptions& options,
                                const GraphCallback& progress) {
  options.validate();
  if (numbers_of(graph) > kMostNumbers) {
    throw Error("mini-bucket sampling is for factors of at most 2^26 joint states together");
  }
  BoundedSum result;
  result.sum.log_partition = result.least = -kInf;
  result.most = kInf;
  std::size_t drawn = 0;
  bool open = true;
  const std::function<bool()> goes_on = [&] {
    GraphProgress now;
    now.iteration = drawn;
    if (result.sum.convergence.iterations > 0) now.value = result.sum.log_partition;
    if (std::isfinite(result.most)) now.bound = result.most;
    return open = open && (!progress || progress(now));
  };
  std::optional<std::vector<Variable>> planned =
      options.order ? std::optional(options.order->order) : order_for_mini_buckets(graph);
  if (!planned && !options.any_width) {
    throw Error("mini-bucket sampling: the graph is too wide for mini-buckets");
  }
  const std::vector<Variable> order = planned ? *std::move(planned) : order_by_factors(graph);
  const std::size_t particles =
      options.samples > 0 ? std::max<std::size_t>(2, std::min(options.particles, options.samples))
                          : options.particles;
  Random random(options.seed);
  double states = options.first_states;
  for (bool last = false; open && !last; states *= kStatesOfRound) {
    last = kStatesOfRound * states * kBytesPerState > options.table_bytes;
    const MiniBuckets buckets(graph, order, states, goes_on, static_cast<Place>(order.size()));
    if (!open) break;
    result.most = std::min(result.most, buckets.bound());
    if (buckets.bound() == -kInf || (buckets.exact() && !options.marginals)) {
      result.sum.kind = ResultKind::exact;
      result.sum.log_partition = result.least = result.most = buckets.bound();
      result.sum.convergence = {true, drawn, 0};
      return result;
    }
    last = last || buckets.exact();
    Round round(buckets, particles, options.marginals, random, goes_on);
    while (open && (last || round.runs() < kFewestRuns ||
                    round.looked_up() < kDrawsPerState * buckets.joint_states())) {
      if (!round.run()) break;
      drawn += particles;
      const bool precise = last && drawn >= kEnough && round.standard_error() <= kPrecise;
      if (options.samples > 0 ? drawn >= options.samples : precise) open = false;
    }
    result.least = std::max(result.least, round.least());
    const bool better = round.standard_error() < result.sum.log_standard_error ||
                        result.sum.convergence.iterations == 0;
    if (round.runs() > 0 && better) round.finish(graph, result);
  }
  if (result.most == kInf) throw Interrupted("stopped before the first mini-buckets");
  if (result.sum.log_partition > -kInf) {  // a draw hit, in a run that came to its end
    result.sum.log_partition = std::clamp(result.sum.log_partition, result.least, result.most);
  }
  return result;
}

}  // namespace croft
