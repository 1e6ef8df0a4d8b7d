#include "croft/train/active_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "croft/core/error.h"
#include "croft/optimize/regulariser.h"

namespace croft {
namespace {
double knob(const char* name, double otherwise) {
  const char* v = std::getenv(name);
  return v ? std::atof(v) : otherwise;
}
}

void ActiveSetOptions::validate() const {
  if (!(violation_tolerance > 0 && violation_tolerance < 1)) {
    throw UsageError(fmt::format("violation_tolerance is {}; it must be between 0 and 1",
                                 violation_tolerance));
  }
  if (screening_bytes < 1) throw UsageError("screening_bytes is 0; it must be at least 1");
}

namespace {

class ActiveSetTraining {
 public:
  ActiveSetTraining(const ChainData& data, const ChainLayout& candidates,
                    const ChainFunctionMaker& make, const Regulariser& regulariser,
                    const LbfgsOptions& options, const ActiveSetOptions& set_options,
                    ThreadPool& pool, const ActiveSetCallback& callback)
      : data_(data), candidates_(candidates), make_(make), regulariser_(regulariser),
        options_(options), pool_(pool), callback_(callback),
        screening_(data, candidates, make, pool,
                   {.l1 = regulariser.l1, .tolerance = set_options.violation_tolerance,
                    .bytes = set_options.screening_bytes}) {}

  ActiveSetResult run(std::span<const FeatureWeight> start);

 private:
  void set_features(std::span<const FeatureWeight> sorted);
  std::vector<FeatureWeight> grown(const ScreeningResult& screened, bool drop) const;
  OptimizeResult optimise(const StoppingRule& rule);

  const ChainData& data_;
  const ChainLayout& candidates_;
  const ChainFunctionMaker& make_;
  const Regulariser& regulariser_;
  const LbfgsOptions& options_;
  ThreadPool& pool_;
  const ActiveSetCallback& callback_;
  Screening screening_;
  ActiveSet set_;
  std::vector<double> w_;
  std::size_t iterations_ = 0, evaluations_ = 0;
  bool stop_requested_ = false;
};

void ActiveSetTraining::set_features(std::span<const FeatureWeight> sorted) {
  std::vector<std::uint64_t> features;
  features.reserve(sorted.size());
  for (const FeatureWeight& f : sorted) features.push_back(f.feature);
  static_cast<FeatureSubset&>(set_) = make_subset(data_, candidates_, features);
  ++set_.round;
  const std::vector<std::uint64_t>& origin = set_.selection.origin;
  w_.assign(origin.size(), 0.0);
  for (std::size_t k = 0; k < w_.size(); ++k) {
    const auto at = std::ranges::lower_bound(sorted, origin[k], {}, &FeatureWeight::feature);
    if (at != sorted.end() && at->feature == origin[k]) w_[k] = at->weight;
  }
}

std::vector<FeatureWeight> ActiveSetTraining::grown(const ScreeningResult& screened,
                                                    bool drop) const {
  std::vector<FeatureWeight> features;
  const std::vector<std::uint64_t>& origin = set_.selection.origin;
  for (std::size_t k = 0; k < origin.size(); ++k) {
    if (drop && w_[k] == 0 && std::abs(screened.gradient[k]) <= regulariser_.l1 &&
        origin[k] < candidates_.edge.begin.front()) continue;
    features.push_back({origin[k], w_[k]});
  }
  for (const Violator& v : screened.violators) features.push_back({v.feature, 0.0});
  std::ranges::sort(features, {}, &FeatureWeight::feature);
  return features;
}

OptimizeResult ActiveSetTraining::optimise(const StoppingRule& rule) {
  const std::unique_ptr<ChainFunction> f = make_(set_.data, set_.selection.layout);
  LbfgsOptions options = options_;
  options.stop = rule;
  options.history = knob("HIST", options.history);
  const std::size_t iterations = iterations_, evaluations = evaluations_;
  const bool first = set_.round <= 2;
  const auto watch = [&](const Iteration& local) {
    Iteration now = local;
    now.number += iterations;
    now.evaluations += evaluations;
    if (local.number == 0 && !first) return true;
    stop_requested_ = callback_ && !callback_(set_, now);
    return !stop_requested_;
  };
  OptimizeResult result = owlqn(*f, regulariser_, w_, options, pool_, watch);
  iterations_ += result.iterations;
  evaluations_ += result.evaluations;
  return result;
}

ActiveSetResult ActiveSetTraining::run(std::span<const FeatureWeight> start) {
  std::vector<FeatureWeight> first;
  for (auto& f : start) if (f.feature < candidates_.edge.begin.front()) first.push_back(f);
  auto at = std::ranges::lower_bound(start, candidates_.edge.begin.front(), {}, &FeatureWeight::feature);
  for (std::uint64_t f = candidates_.edge.begin.front(); f < candidates_.edge.begin.back(); ++f) {
    const bool known = at != start.end() && at->feature == f;
    first.push_back({f, known ? at->weight : 0});
    at += known;
  }
  set_features(first);
  StoppingRule rule = options_.stop;
  double tolerance = knob("TOL0", 1e-2);
  const double shrink = knob("SHRINK", 0.1);
  bool final = false;
  ActiveSetResult result;
  for (;;) {
    const std::size_t most = std::max<std::size_t>(knob("MOST", 1e9), knob("MOSTF", 1) * w_.size());
    const ScreeningResult s = screening_(set_, w_, most);
    evaluations_ += s.evaluations;
    result.largest_violation = s.largest;
    std::size_t zeros = 0;
    for (double w : w_) zeros += w == 0;
    std::fprintf(stderr, "round %zu: set %zu zeros %zu; iterations %zu; violating %zu largest %g listed %zu final %d\n", set_.round, w_.size(), zeros,
                 iterations_, s.violating, s.largest, s.violators.size(), final);
    if (final && s.violating == 0 && result.optimization.reason != StopReason::max_iterations) break;
    set_features(grown(s, !final || knob("DROPF", 0)));
    if (s.violating < knob("FEW", 0.02) * w_.size()) tolerance = 0;
    tolerance = std::max(tolerance, options_.stop.tolerance);
    final = tolerance == options_.stop.tolerance;
    rule.tolerance = tolerance;
    rule.max_iterations = final ? knob("LATE", 1000) : knob("EARLY", 30);
    rule.window = final ? options_.stop.window : knob("WINDOW", 5);
    tolerance *= shrink;
    result.optimization = optimise(rule);
    std::fprintf(stderr, "  F %.4f its %zu %s\n", result.optimization.objective, result.optimization.iterations, result.optimization.message.c_str());
    if (stop_requested_) break;
    if (final && result.optimization.iterations == 0) break;
  }
  result.optimization.iterations = iterations_;
  result.optimization.evaluations = evaluations_;
  result.set = std::move(set_);
  result.weights = std::move(w_);
  return result;
}

}  // namespace

ActiveSetResult train_active_set(const ChainData& data, const ChainLayout& candidates,
                                 const ChainFunctionMaker& make_function,
                                 std::span<const FeatureWeight> start,
                                 const Regulariser& regulariser, const LbfgsOptions& options,
                                 const ActiveSetOptions& set_options, ThreadPool& pool,
                                 const ActiveSetCallback& callback) {
  options.validate();
  regulariser.validate();
  set_options.validate();
  return ActiveSetTraining(data, candidates, make_function, regulariser, options, set_options, pool,
                           callback)
      .run(start);
}

}  // namespace croft
