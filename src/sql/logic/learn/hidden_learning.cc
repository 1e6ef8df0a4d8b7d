#include "sql/logic/learn/hidden_learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/words/counted.h"
#include "croft/core/parallel.h"
#include "croft/optimize/lbfgs.h"
#include "sql/logic/learn/clause_objectives.h"

namespace croft {
namespace {

constexpr double kSmall = 1e-9;  // a rise of the log-likelihood that ends it, relative

// A world, and its hidden atoms given the others.
struct HiddenWorld {
  std::unique_ptr<ClauseLikelihood> all;
  RestrictedStore rest;
  std::unique_ptr<ClauseLikelihood> given;
};

// Keeps the parts that hand their data over.
class AllWorlds : public BatchFunction {
 public:
  AllWorlds(std::vector<HiddenWorld>& worlds, std::size_t units) : worlds_(worlds), part_(units) {}
  std::size_t dimension() const override { return part_.size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    std::ranges::fill(gradient, 0.);
    double value = 0;
    for (HiddenWorld& each : worlds_) {
      value += each.all->evaluate(w, part_);
      for (std::size_t u = 0; u < part_.size(); ++u) gradient[u] += part_[u];
    }
    return value;
  }

 private:
  std::vector<HiddenWorld>& worlds_;
  std::vector<double> part_;
};

}  // namespace

HiddenLearned learn_by_em(std::span<LearningWorld> worlds, std::span<double> weights,
                          const HiddenEmOptions& options, const IterationCallback& callback) {
  const std::size_t units = weights.size();
  std::vector<HiddenWorld> hidden;
  hidden.reserve(worlds.size());
  const std::vector<double> none(units, 0);
  for (LearningWorld& each : worlds) {
    HiddenWorld& one = hidden.emplace_back();
    one.rest = restrict_store(each.store, each.world, units);
    one.all = std::make_unique<ClauseLikelihood>(each.store, none, options.memory);
    one.given = std::make_unique<ClauseLikelihood>(one.rest.store, none, options.memory);
  }
  AllWorlds function(hidden, units);
  ShiftedFunction shifted(function, {options.prior_mean.begin(), options.prior_mean.end()},
                          options.fixed);
  const Regulariser regulariser{.l2 = options.l2};
  LbfgsOptions how;
  how.stop.max_iterations = 50;
  how.stop.tolerance = 1e-10;
  how.stop.gradient_tolerance = 1e-7;
  ThreadPool pool(1);
  std::vector<double> mean(units), v(units);
  HiddenLearned out;
  double before = -HUGE_VAL;
  for (std::size_t i = 0;; ++i) {
    // log p(known) and the means of f given it.
    double known = 0, penalty = 0, squared = 0;
    for (HiddenWorld& each : hidden) {
      known += each.given->log_partition(weights, mean);
      for (std::size_t u = 0; u < units; ++u) {
        known -= weights[u] * each.rest.constant[u];
        mean[u] += each.rest.constant[u];
      }
      each.all->set_data(mean);
      std::vector<double> ignored(units);
      known -= each.all->log_partition(weights, ignored);
    }
    for (std::size_t u = 0; u < units; ++u) {
      v[u] = weights[u] - options.prior_mean[u];
      penalty += options.l2 / 2 * v[u] * v[u];
      squared += weights[u] * weights[u];
    }
    out.log_likelihood = known;
    out.result.objective = penalty - known;
    out.result.iterations = i;
    Iteration now;
    now.number = i;
    now.objective = out.result.objective;
    now.weight_norm = std::sqrt(squared);
    now.w = weights;
    const auto end = [&](StopReason reason, std::string_view why) {
      out.result.reason = reason;
      out.result.message = fmt::format("{} after {} of EM", why, counted(i, "iteration"));
      return out;
    };
    if (callback && !callback(now)) return end(StopReason::stopped, "stopped");
    const double rise = known - penalty - before;
    if (rise < kSmall * std::max(1., std::abs(known))) {
      return end(StopReason::converged_objective, "converged");
    }
    if (i == options.max_iterations) return end(StopReason::max_iterations, "not converged");
    before = known - penalty;
    lbfgs(shifted, regulariser, v, how, pool, {});
    for (std::size_t u = 0; u < units; ++u) weights[u] = options.prior_mean[u] + v[u];
  }
}

}  // namespace croft
