#include "sql/logic/learn/sampled_learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "logic/hard_conflict.h"
#include "logic/max_walk_sat.h"

namespace croft {
namespace {

constexpr double kLongestStep = 2;     // of a weight in one iteration
constexpr std::size_t kAveraged = 10;  // iterations at the most samples, whose mean is taken
constexpr std::size_t kBatches = 4;    // of a chain, for standard errors
constexpr double kMostDamping = 1e8;

double dot_of(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t u = 0; u < a.size(); ++u) sum += a[u] * b[u];
  return sum;
}

// Sums over worlds of means, variances and squared standard errors of f.
struct CountMoments {
  explicit CountMoments(std::size_t units) : mean(units, 0), variance(units, 0), error(units, 0) {}
  std::vector<double> mean, variance, error;

  void add(const CountSampler::Draws& draws) {
    const auto count = static_cast<double>(draws.rows.size());
    const std::size_t length = std::max<std::size_t>(1, draws.per_chain / kBatches);
    for (std::size_t u = 0; u < mean.size(); ++u) {
      double sum = 0, squares = 0;
      for (const auto& row : draws.rows) sum += row[u];
      const double m = sum / count;
      for (const auto& row : draws.rows) squares += (row[u] - m) * (row[u] - m);
      mean[u] += m;
      variance[u] += squares / std::max(1., count - 1);
      double between = 0, batches = 0;
      for (std::size_t at = 0; at + length <= draws.rows.size(); at += length) {
        double batch = 0;
        for (std::size_t i = at; i < at + length; ++i) batch += draws.rows[i][u] - m;
        between += batch * batch / (static_cast<double>(length) * static_cast<double>(length));
        ++batches;
      }
      if (batches > 1) error[u] += between / (batches * (batches - 1));
    }
  }
};

double variance_along(const CountSampler::Draws& draws, std::span<const double> d) {
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(draws.rows.size());
  for (const auto& row : draws.rows) sum += dot_of(row, d);
  for (const auto& row : draws.rows) {
    const double off = dot_of(row, d) - sum / count;
    squares += off * off;
  }
  return squares / std::max(1., count - 1);
}

// A world, what its atoms draw, and what the hidden ones draw given the others.
struct SampledWorld {
  LearningWorld& of;
  std::vector<double> data = {};  // [units] f of the world, where nothing is hidden
  std::optional<RestrictedStore> hidden = {};
  std::optional<CountSampler> free_draws = {}, hidden_draws = {};

  void reweigh(std::span<const double> w) {
    of.store.reweigh(w);
    if (hidden) hidden->store.reweigh(w);
  }
};

std::vector<std::uint8_t> any_world(const ClauseStore& store, std::uint64_t seed) {
  MaxWalkSatResult found = max_walk_sat(store, {.flips = 100'000, .seed = seed});
  if (found.broken_hard > 0) {
    throw Error("no values of the hidden atoms were found that keep all hard rules");
  }
  return std::move(found.values);
}

class SampledLearner {
 public:
  SampledLearner(std::span<LearningWorld> worlds, std::span<double> w,
                 const SampledOptions& options, const IterationCallback& callback)
      : options_(options),
        callback_(callback),
        w_(w),
        pool_(std::min(options.threads, ThreadPool::kMaxThreads)),
        used_(w.size(), 0) {
    worlds_.reserve(worlds.size());
    for (LearningWorld& each : worlds) add(each);
  }

  // Where draws or a search are interrupted, the weights are those of the last iteration.
  OptimizeResult run() {
    const bool small = options_.method == SampledMethod::perceptron ||
                       options_.method == SampledMethod::contrastive_divergence;
    try {
      return small ? by_small_steps() : by_curvature();
    } catch (const Interrupted&) {
      return ended(StopReason::stopped, done_, 0, "stopped");
    }
  }

 private:
  struct Point {
    explicit Point(std::size_t units) : g(units), h(units), error(units) {}
    std::vector<double> g, h, error;  // gradient of F, diagonal of its curvature, squared errors
    std::vector<CountSampler::Draws> draws;  // [worlds]
  };

  void add(LearningWorld& world) {
    SampledWorld& one = worlds_.emplace_back(SampledWorld{.of = world});
    const std::uint64_t seed = options_.seed * 1000 + worlds_.size();
    for (std::size_t i = 0; i < world.store.clauses(); ++i) {
      if (world.store.is_hard(i)) continue;
      world.store.for_shares(i, [&](std::uint32_t unit, double) {
        used_[unit] = options_.fixed.empty() || options_.fixed[unit] == 0 ? 1 : 0;
      });
    }
    one.reweigh(w_);
    std::vector<std::uint8_t> start = world.world;
    if (world.has_hidden()) {
      one.hidden = restrict_store(world.store, world.world, w_.size());
      const std::vector<std::uint8_t> rest = any_world(one.hidden->store, seed);
      for (std::size_t a = 0; a < rest.size(); ++a) start[one.hidden->whole[a]] = rest[a];
      one.hidden_draws.emplace(one.hidden->store, w_.size(),
                               std::vector<std::vector<std::uint8_t>>(options_.chains, rest),
                               seed + 7);
    } else {
      one.data = false_counts(world.store, world.world, w_.size());
    }
    if (std::isinf(world.store.score(start))) {
      throw Error("the world to learn from breaks a hard rule or a mark of arguments");
    }
    one.free_draws.emplace(world.store, w_.size(),
                           std::vector<std::vector<std::uint8_t>>(options_.chains, start), seed);
    if (options_.method == SampledMethod::perceptron) {
      best_.push_back(std::make_unique<BestWorld>(world.store, options_.memory, seed));
    }
  }

  double prior(std::size_t u) const {
    return options_.prior_mean.empty() ? 0 : options_.prior_mean[u];
  }

  // Adds the mean of f given what is known to g, and its squared error.
  void add_data(SampledWorld& world, std::size_t count, Point& out) {
    if (!world.hidden) {
      for (std::size_t u = 0; u < w_.size(); ++u) out.g[u] += world.data[u];
      return;
    }
    CountMoments moments(w_.size());
    moments.add(world.hidden_draws->draw(count / 5 + 1, count, pool_));
    for (std::size_t u = 0; u < w_.size(); ++u) {
      out.g[u] += world.hidden->constant[u] + moments.mean[u];
      out.error[u] += moments.error[u];
    }
  }

  Point look(std::span<const double> w, std::size_t count) {
    Point out(w.size());
    CountMoments moments(w.size());
    for (SampledWorld& world : worlds_) {
      world.reweigh(w);
      out.draws.push_back(world.free_draws->draw(count / 5 + 1, count, pool_));
      moments.add(out.draws.back());
      add_data(world, count, out);
    }
    const double least = 1 / (2. * static_cast<double>(count * options_.chains));
    for (std::size_t u = 0; u < w.size(); ++u) {
      out.g[u] += options_.l2 * (w[u] - prior(u)) - moments.mean[u];
      out.h[u] = std::max(moments.variance[u], least) + options_.l2;
      out.error[u] += moments.error[u];
      if (used_[u] == 0) out.g[u] = 0;
    }
    return out;
  }

  double curvature(const Point& at, std::span<const double> d) const {
    double sum = options_.l2 * dot_of(d, d);
    for (const CountSampler::Draws& each : at.draws) sum += variance_along(each, d);
    return sum;
  }

  // Whether the gradient is what chance alone makes of 0.
  bool is_noise(const Point& at) const {
    double error = 0;
    for (const double each : at.error) error += each;
    return dot_of(at.g, at.g) <= 2 * error;
  }

  bool goes_on(std::size_t number, double norm, double step) {
    done_ = number;
    if (!callback_) return true;
    Iteration now;
    now.number = number;
    now.gradient_norm = norm;
    now.weight_norm = std::sqrt(dot_of(w_, w_));
    now.step = step;
    now.w = w_;
    return callback_(now);
  }

  OptimizeResult ended(StopReason reason, std::size_t iterations, double norm,
                       const std::string& why) const {
    OptimizeResult result;
    result.reason = reason;
    result.iterations = iterations;
    result.gradient_norm = norm;
    result.message = fmt::format("{} after {}", why, counted(iterations, "iteration"));
    return result;
  }

  // Diagonal Newton and scaled conjugate gradients.
  OptimizeResult by_curvature() {
    const std::size_t units = w_.size();
    std::vector<double> d(units, 0), z(units), old_z(units), mean(units, 0), next(units);
    std::size_t count = options_.samples, averaged = 0;
    double damping = 1, norm = 0;
    Point here = look(w_, count);
    double last = 0;  // g'z of the last direction; 0: begin anew
    for (std::size_t i = 1;; ++i) {
      norm = std::sqrt(dot_of(here.g, here.g));
      if (!goes_on(i - 1, norm, damping)) return ended(StopReason::stopped, i - 1, norm, "stopped");
      if (i > options_.max_iterations) {
        return ended(StopReason::max_iterations, i - 1, norm, "not converged");
      }
      for (std::size_t u = 0; u < units; ++u) z[u] = here.g[u] / here.h[u];
      double turn = 0;
      if (options_.method == SampledMethod::scaled_gradient && last > 0) {
        turn = std::max(0., (dot_of(here.g, z) - dot_of(here.g, old_z)) / last);
      }
      for (std::size_t u = 0; u < units; ++u) d[u] = turn * d[u] - z[u];
      double slope = dot_of(here.g, d);
      if (!(slope < 0)) {  // not downwards: begin anew
        for (std::size_t u = 0; u < units; ++u) d[u] = -z[u];
        slope = dot_of(here.g, d);
      }
      last = dot_of(here.g, z);
      old_z = z;
      if (!(slope < 0)) return ended(StopReason::converged_gradient, i - 1, norm, "converged");
      const double bend = curvature(here, d), length = dot_of(d, d);
      double alpha = -slope / (bend + damping * length);
      double largest = 0;
      for (const double each : d) largest = std::max(largest, std::abs(each));
      alpha = std::min(alpha, kLongestStep / largest);
      for (std::size_t u = 0; u < units; ++u) next[u] = w_[u] + alpha * d[u];
      Point there = look(next, count);
      // The change of F by the trapezium of slopes, which is exact for a quadratic function.
      const double actual = alpha * (slope + dot_of(there.g, d)) / 2;
      const double predicted = alpha * slope + alpha * alpha * bend / 2;
      double noise = 0;
      for (std::size_t u = 0; u < units; ++u) {
        noise += alpha * alpha * d[u] * d[u] * (here.error[u] + there.error[u]) / 4;
      }
      noise = std::sqrt(noise);
      const double ratio = predicted < 0 ? actual / predicted : 1;
      if (ratio < 0.25) damping = std::min(4 * damping, kMostDamping);
      if (ratio > 0.75) damping /= 2;
      if (actual > 3 * noise) {  // F has risen
        std::ranges::fill(d, 0.);
        last = 0;
        continue;
      }
      std::ranges::copy(next, w_.begin());
      here = std::move(there);
      if (count >= options_.most_samples && (averaged > 0 || is_noise(here))) {
        ++averaged;
        for (std::size_t u = 0; u < units; ++u) {
          mean[u] += (w_[u] - mean[u]) / static_cast<double>(averaged);
        }
      } else if (is_noise(here)) {
        count = std::min(2 * count, options_.most_samples);
        last = 0;
        here = look(w_, count);
      }
      if (averaged == kAveraged) {
        std::ranges::copy(mean, w_.begin());
        return ended(StopReason::converged_gradient, i, norm,
                     fmt::format("the gradient is within its Monte Carlo error of 0 at {}",
                                 counted(count * options_.chains * worlds_.size(), "draw")));
      }
    }
  }

  // g of the perceptron or of contrastive divergence, which has no curvature.
  std::vector<double> rough_gradient(std::span<const double> w) {
    Point out(w.size());
    for (std::size_t k = 0; k < worlds_.size(); ++k) {
      SampledWorld& world = worlds_[k];
      world.reweigh(w);
      if (options_.method == SampledMethod::perceptron) {
        const std::vector<double> best = false_counts(world.of.store, best_[k]->find(), w.size());
        for (std::size_t u = 0; u < w.size(); ++u) out.g[u] += world.data[u] - best[u];
        continue;
      }
      if (!world.hidden) world.free_draws->stand_at(world.of.world);
      const CountSampler::Draws draws = world.free_draws->draw(options_.steps - 1, 1, pool_);
      for (const auto& row : draws.rows) {
        for (std::size_t u = 0; u < w.size(); ++u) {
          out.g[u] -= row[u] / static_cast<double>(draws.rows.size());
        }
      }
      add_data(world, options_.samples, out);
    }
    for (std::size_t u = 0; u < w.size(); ++u) {
      out.g[u] = used_[u] == 0 ? 0 : out.g[u] + options_.l2 * (w[u] - prior(u));
    }
    return out.g;
  }

  // Steps that shrink with what each weight has gone; the mean of the weights on the way.
  OptimizeResult by_small_steps() {
    const std::size_t units = w_.size();
    std::vector<double> gone(units, 1), mean(units, 0);
    // The perceptron's mean is of all steps, that of contrastive divergence of the second half.
    const bool all = options_.method == SampledMethod::perceptron;
    const std::size_t from = all ? 0 : options_.max_iterations / 2;
    double norm = 0;
    std::size_t i = 0;
    bool stopped = false;
    for (; i < options_.max_iterations; ++i) {
      const std::vector<double> g = rough_gradient(w_);
      norm = std::sqrt(dot_of(g, g));
      if (!goes_on(i, norm, options_.rate)) {
        stopped = true;
        break;
      }
      if (all && norm == 0) {
        return ended(StopReason::converged_gradient, i, 0,
                     "the best worlds have the counts of the data");
      }
      for (std::size_t u = 0; u < units; ++u) {
        gone[u] += g[u] * g[u];
        w_[u] -= options_.rate * g[u] / std::sqrt(gone[u]);
        if (i >= from) mean[u] += (w_[u] - mean[u]) / static_cast<double>(i - from + 1);
      }
    }
    if (i > from) std::ranges::copy(mean, w_.begin());
    return stopped ? ended(StopReason::stopped, i, norm, "stopped")
                   : ended(StopReason::max_iterations, i, norm, "the mean of weights on the way");
  }

  const SampledOptions& options_;
  const IterationCallback& callback_;
  std::span<double> w_;
  ThreadPool pool_;
  std::vector<std::uint8_t> used_;  // [units] that a clause has, and that are learnt
  std::size_t done_ = 0;            // iterations
  std::vector<SampledWorld> worlds_;
  std::vector<std::unique_ptr<BestWorld>> best_;  // [worlds] of the perceptron
};

}  // namespace

bool LearningWorld::has_hidden() const {
  return std::ranges::find(world, kUndecided) != world.end();
}

void SampledOptions::validate() const {
  if (!(l2 >= 0 && std::isfinite(l2))) throw UsageError("l2 is a number from 0 on");
  if (chains == 0) throw UsageError("chains: 0 is less than 1");
  if (samples < kBatches) throw UsageError("samples is less than ", kBatches);
  if (most_samples < samples) throw UsageError("most-samples is less than samples");
  if (steps == 0) throw UsageError("steps: 0 is less than 1");
  if (!(rate > 0 && std::isfinite(rate))) throw UsageError("rate is a number above 0");
}

OptimizeResult learn_by_samples(std::span<LearningWorld> worlds, std::span<double> weights,
                                const SampledOptions& options, const IterationCallback& callback) {
  options.validate();
  const bool hidden = std::ranges::any_of(worlds, &LearningWorld::has_hidden);
  if (hidden && options.method == SampledMethod::perceptron) {
    throw UsageError("the perceptron learns from worlds without hidden atoms");
  }
  return SampledLearner(worlds, weights, options, callback).run();
}

}  // namespace croft
