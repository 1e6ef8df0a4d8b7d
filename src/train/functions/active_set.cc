#include "train/functions/active_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/words/counted.h"
#include "croft/core/error.h"
#include "optimize/checks.h"
#include "train/checkpoint.h"

namespace croft {
namespace {

// Iterations of the first round; each round may have twice as many as the one before.  Early on the
// gradient soon tells more than further iterations on the wrong set; towards the end a restart of
// OWL-QN, which forgets its curvature pairs, costs more than features that come late.  Measured
// with 22 and 406 labels: 15 to 50 differ by less than a tenth.
constexpr std::size_t kFirstRound = 25;
// Features that one screening may add, the largest excess first: this many, or as many as the set
// has weights that are not 0.  At the start nearly every frequent attribute violates with nearly
// every label, and most of them no longer do when the first few weights are right.
constexpr std::size_t kMostAdded = 100'000;

class ActiveSetTraining {
 public:
  ActiveSetTraining(const ChainData& data, const ChainLayout& candidates,
                    const ChainFunctionMaker& make, const Regulariser& regulariser,
                    const LbfgsOptions& options, const ActiveSetOptions& set_options,
                    ThreadPool& pool, const ActiveSetCallback& callback, Checkpointer* checkpoints)
      : data_(data),
        candidates_(candidates),
        make_(make),
        regulariser_(regulariser),
        options_(options),
        pool_(pool),
        callback_(callback),
        checkpoints_(checkpoints, [this](StateArchive& state) { archive(state); }),
        screening_(data, candidates, make, pool,
                   {.l1 = regulariser.l1,
                    .tolerance = set_options.violation_tolerance,
                    .bytes = set_options.screening_bytes}) {}

  ActiveSetResult run(std::span<const FeatureWeight> start);

 private:
  // Those of edge attributes, which no screening looks at, and those without a penalty.
  bool always_in(std::uint64_t feature) const {
    return feature >= candidates_.edge.begin.front() || regulariser_.is_free(feature);
  }
  Regulariser regulariser_of_set() const;
  std::vector<FeatureWeight> first_features(std::span<const FeatureWeight> start) const;
  std::vector<FeatureWeight> next_features(const ScreeningResult& screened, bool drop) const;
  void set_features(const std::vector<FeatureWeight>& features);
  bool next_round();
  OptimizeResult optimise(std::size_t most_iterations);
  void archive(StateArchive& state);
  OptimizeResult total(OptimizeResult last) const;

  const ChainData& data_;
  const ChainLayout& candidates_;
  const ChainFunctionMaker& make_;
  const Regulariser& regulariser_;
  const LbfgsOptions& options_;
  ThreadPool& pool_;
  const ActiveSetCallback& callback_;
  NestedCheckpoints checkpoints_;
  Screening screening_;
  ActiveSet set_;
  std::vector<double> w_;            // of set_.selection.layout
  std::size_t limit_ = kFirstRound;  // of iterations in this round
  OptimizeResult last_;
  ScreeningResult screened_;
  std::size_t iterations_ = 0, evaluations_ = 0;  // of the rounds before this one
  bool stop_requested_ = false;
};

// Those to start from, and all that are always in the set.  Increasing.
std::vector<FeatureWeight> ActiveSetTraining::first_features(
    std::span<const FeatureWeight> start) const {
  std::vector<FeatureWeight> features;
  auto next = start.begin();
  const auto add_range = [&](std::uint64_t begin, std::uint64_t end) {
    for (; next != start.end() && next->feature < begin; ++next) features.push_back(*next);
    for (std::uint64_t f = begin; f < end; ++f) {
      const bool known = next != start.end() && next->feature == f;
      features.push_back({f, known ? next->weight : 0.0});
      next += known;
    }
  };
  const Run& free = regulariser_.free;
  if (free.length > 0) add_range(free.begin, free.begin + free.length);
  add_range(candidates_.edge.begin.front(), candidates_.dimension());
  return features;
}

// The set with the violators, and without (`drop`) the features that are 0 and would stay 0.
std::vector<FeatureWeight> ActiveSetTraining::next_features(const ScreeningResult& screened,
                                                            bool drop) const {
  std::vector<FeatureWeight> features;
  const std::vector<std::uint64_t>& origin = set_.selection.origin;
  for (std::size_t k = 0; k < origin.size(); ++k) {
    const bool idle = w_[k] == 0 && std::abs(screened.gradient[k]) <= regulariser_.l1;
    if (!(drop && idle) || always_in(origin[k])) features.push_back({origin[k], w_[k]});
  }
  for (const Violator& v : screened.violators) features.push_back({v.feature, 0.0});
  std::ranges::sort(features, {}, &FeatureWeight::feature);
  return features;
}

void ActiveSetTraining::set_features(const std::vector<FeatureWeight>& features) {
  std::vector<std::uint64_t> places;
  places.reserve(features.size());
  for (const FeatureWeight& each : features) places.push_back(each.feature);
  FeatureSubset& subset = set_;
  subset = {};  // two at a time would take more memory
  subset = make_subset(data_, candidates_, places);
  w_.assign(subset.selection.origin.size(), 0.0);
  for (std::size_t k = 0; k < w_.size(); ++k) {
    const std::uint64_t feature = subset.selection.origin[k];
    const auto at = std::ranges::lower_bound(features, feature, {}, &FeatureWeight::feature);
    if (at != features.end() && at->feature == feature) w_[k] = at->weight;
  }
}

// The free weights where they stand in the set, side by side as among the candidates.
Regulariser ActiveSetTraining::regulariser_of_set() const {
  Regulariser own = regulariser_;
  if (own.free.length == 0) return own;
  const std::vector<std::uint64_t>& origin = set_.selection.origin;
  own.free.begin = static_cast<std::uint64_t>(std::ranges::find(origin, regulariser_.free.begin) -
                                              origin.begin());
  return own;
}

// One round.
OptimizeResult ActiveSetTraining::optimise(std::size_t most_iterations) {
  ++set_.round;
  const auto watch = [&](const Iteration& local) {
    if (local.number == 0 && set_.round > 1) return true;  // seen at the end of the last round
    Iteration now = local;
    now.number += iterations_;
    now.evaluations += evaluations_;
    stop_requested_ = callback_ && !callback_(set_, now);
    return !stop_requested_;
  };
  LbfgsOptions options = options_;
  options.stop.max_iterations = most_iterations;
  const auto f = make_(set_.data, set_.selection.layout);
  const Regulariser regulariser = regulariser_of_set();
  OptimizeResult result = owlqn(*f, regulariser, w_, options, pool_, watch, &checkpoints_);
  iterations_ += result.iterations;
  evaluations_ += result.evaluations;
  return result;
}

// The last round's result as that of the whole.
OptimizeResult ActiveSetTraining::total(OptimizeResult last) const {
  last.iterations = iterations_;
  last.evaluations = evaluations_;
  if (stop_requested_ && last.reason != StopReason::target) {
    last.reason = StopReason::stopped;
    last.message = stopped_message(iterations_);
  } else if (last.reason == StopReason::max_iterations) {
    last.message = fmt::format("all {} are done; not converged", counted(iterations_, "iteration"));
  }
  return last;
}

// Screens, and chooses the features of the next round; false where the last one was the last.
bool ActiveSetTraining::next_round() {
  const std::size_t max_iterations = options_.stop.max_iterations;
  const auto zeros = static_cast<std::size_t>(std::ranges::count(w_, 0.0));
  screened_ = screening_(set_, w_, std::max(kMostAdded, w_.size() - zeros));
  evaluations_ += screened_.evaluations;
  const bool cut_short = last_.reason == StopReason::max_iterations;  // true before the first round
  if (set_.round > 0) {
    // A round without an iteration: OWL-QN's own rules say that what was added cannot help.
    const bool settled = !cut_short && (screened_.violating == 0 || last_.iterations == 0);
    const bool reached = last_.reason == StopReason::target;
    const bool out_of_iterations = !settled && !reached && iterations_ >= max_iterations;
    if (out_of_iterations) last_.reason = StopReason::max_iterations;
    if (settled || reached || out_of_iterations) return false;
  }
  // Dropping once the rounds end by themselves could go round in circles.
  set_features(next_features(screened_, cut_short && zeros * 2 > w_.size()));
  return true;
}

// Of a round under way; its weights are OWL-QN's to keep.
void ActiveSetTraining::archive(StateArchive& state) {
  std::vector<std::uint64_t> places = set_.selection.origin;
  std::ranges::sort(places);
  state(places);
  std::size_t rounds = set_.round - 1;  // those that are over
  state(rounds, limit_, iterations_, evaluations_);
  if (!state.reading()) return;
  std::vector<FeatureWeight> features;
  for (const std::uint64_t place : places) {
    if (place >= candidates_.dimension()) throw Error("the checkpoint has features of other data");
    features.push_back({place, 0.0});
  }
  set_features(features);
  set_.round = rounds;
}

ActiveSetResult ActiveSetTraining::run(std::span<const FeatureWeight> start) {
  bool resumed = checkpoints_.resume();
  if (!resumed) set_features(first_features(start));
  for (;; limit_ *= 2) {
    if (!resumed && !next_round()) {
      return {total(last_), screened_.largest, std::move(set_), std::move(w_)};
    }
    resumed = false;
    const double before = last_.objective;
    last_ = optimise(std::min(limit_, options_.stop.max_iterations - iterations_));
    if (last_.reason == StopReason::stopped) {  // interrupted, maybe before the round had begun
      stop_requested_ = true;
      if (std::isnan(last_.objective) && iterations_ > 0) last_.objective = before;
    }
    if (stop_requested_) return {total(last_), std::nullopt, std::move(set_), std::move(w_)};
  }
}

}  // namespace

void ActiveSetOptions::validate() const {
  if (!(violation_tolerance > 0 && violation_tolerance < 1)) {
    throw UsageError(
        fmt::format("violation_tolerance is {}; it must be between 0 and 1", violation_tolerance));
  }
  if (screening_bytes < 1) throw UsageError("screening_bytes is 0; it must be at least 1");
}

ActiveSetResult train_active_set(const ChainData& data, const ChainLayout& candidates,
                                 const ChainFunctionMaker& make,
                                 std::span<const FeatureWeight> start,
                                 const Regulariser& regulariser, const LbfgsOptions& options,
                                 const ActiveSetOptions& set_options, ThreadPool& pool,
                                 const ActiveSetCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  regulariser.validate();
  set_options.validate();
  if (!(regulariser.l1 > 0)) throw UsageError("an active set needs l1 > 0");
  return ActiveSetTraining(data, candidates, make, regulariser, options, set_options, pool,
                           callback, checkpoints)
      .run(start);
}

}  // namespace croft
