#include "train/induction/feature_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"
#include "optimize/checks.h"

namespace croft {

void FeatureRounds::validate() const {
  if (induction.has_value() + unsupported.has_value() + select_l1.has_value() > 1) {
    throw UsageError(
        "--induce, --unsupported and --select each choose features their own way; take one");
  }
  if (induction) induction->validate();
  if (unsupported && !(unsupported->threshold >= 0 && unsupported->threshold <= 1)) {
    throw UsageError("--unsupported ", fmt::format("{}", unsupported->threshold),
                     " is not a probability from 0 to 1");
  }
  if (unsupported && unsupported->iterations < 1) {
    throw UsageError(
        "--unsupported-after is 0; the model must know something first: give 1 or more");
  }
  if (select_l1 && !(*select_l1 > 0)) {
    throw UsageError("--select l1:VALUE needs a value above 0, which is what leaves features out");
  }
}

FeatureRoundsTraining::FeatureRoundsTraining(ChainTraining& training, ChainData whole,
                                             const TrainOptions& options, ThreadPool& pool,
                                             const ChainTraining::HoldoutScorer& scorer,
                                             const TrainingCallback& callback)
    : t_(training),
      whole_(std::move(whole)),
      o_(options),
      pool_(pool),
      scorer_(scorer),
      callback_(callback) {}

OptimizeResult FeatureRoundsTraining::run(std::span<const FeatureWeight> start, TrainingWatch& last,
                                          std::size_t& before, FeatureRoundsReport& report) {
  before_ = &before;
  report_ = &report;
  report.candidates = t_.layout_.dimension();
  if (o_.rounds.select_l1) select(start);
  if (o_.rounds.unsupported) add_unsupported(start);
  if (o_.rounds.induction) induce(start);
  report.conjunctions = conjunctions().size();
  return train_last(last);
}

// --- rounds

FeatureRoundsTraining::Round FeatureRoundsTraining::train_round(
    std::span<const FeatureWeight> start, const TrainOptions& options) {
  const TrainingCallback see = [&](const TrainProgress& local) {
    if (local.iteration.number == 0 && *before_ > 0) return true;  // the end of the last round
    Iteration now = local.iteration;
    now.number += *before_;
    stopped_ = !callback_({now, o_.stop.max_iterations, local.holdout});
    return !stopped_;
  };
  TrainingWatch watch(options.stop.max_iterations, 0, see);
  const ChainProblem problem = t_.problem(options, pool_);
  Round round;
  if (t_.uses_active_set(options)) {
    ActiveSetResult trained = t_.train_some(options, problem, start, scorer_, watch, nullptr);
    round.result = std::move(trained.optimization);
    t_.weights_ = std::move(trained.weights);
    t_.narrow_to(std::move(trained.set.selection));
  } else {
    round.result = t_.train_all(problem, start, scorer_, watch, nullptr);
  }
  round.holdout = watch.last_score();
  *before_ += round.result.iterations;
  ++report_->rounds;
  return round;
}

OptimizeResult FeatureRoundsTraining::train_last(TrainingWatch& last) {
  if (stopped_) return as_it_is();
  const std::vector<FeatureWeight> start = weights();
  const ChainProblem problem = t_.problem(o_, pool_);
  OptimizeResult result = t_.train_all(problem, start, scorer_, last, nullptr);
  result.iterations += *before_;
  if (result.reason == StopReason::stopped) result.message = stopped_message(result.iterations);
  return result;
}

// No iteration more: the weights that there are, with their objective.
OptimizeResult FeatureRoundsTraining::as_it_is() {
  const ChainProblem problem = t_.problem(o_, pool_);
  std::vector<double> gradient(t_.layout_.dimension());
  const auto f = make_chain_function(problem, t_.encoder_.data, t_.layout_);
  double squares = 0, absolute = 0;
  for (const FeatureWeight& each : weights()) {
    squares += each.weight * each.weight;
    absolute += std::abs(each.weight);
  }
  OptimizeResult result;
  result.objective = f->evaluate(t_.weights_, gradient) + o_.regulariser.l1 * absolute +
                     o_.regulariser.l2 / 2 * squares;
  result.evaluations = 1;
  result.iterations = *before_;
  result.reason = StopReason::stopped;
  result.message = stopped_message(*before_);
  return result;
}

void FeatureRoundsTraining::report(FeatureRound round, const Round& trained) {
  round.number = report_->rounds;
  round.iterations = *before_;
  round.objective = trained.result.objective;
  round.holdout = trained.holdout;
  round.features = t_.layout_.dimension();
  round.conjunctions = conjunctions_.size();
  report_->added += round.added;
  report_->dropped += round.dropped;
  if (o_.on_round) o_.on_round(round);
}

// OWL-QN at the l1 that selects, and without l2; then the features that have a weight.
void FeatureRoundsTraining::select(std::span<const FeatureWeight> start) {
  TrainOptions options = o_;
  options.regulariser.l1 = *o_.rounds.select_l1;
  options.regulariser.l2 = 0;
  options.method = Method::owlqn;
  if (!o_.own_stop) options.stop.tolerance = default_tolerance(options.regulariser);
  const std::size_t candidates = t_.layout_.dimension();
  const Round trained = train_round(start, options);
  Features kept = features();
  const auto drop_zeros = [](auto& list) {
    std::erase_if(list, [](const auto& each) { return each.second == 0; });
  };
  drop_zeros(kept.node);
  drop_zeros(kept.edge);
  drop_zeros(kept.tied);
  if (kept.size() == 0) {
    throw UsageError("--select l1:", fmt::format("{}", *o_.rounds.select_l1),
                     " leaves no feature; give a smaller value");
  }
  set_features(std::move(kept));
  report({.what = "selection", .dropped = candidates - t_.layout_.dimension()}, trained);
}

// By attribute and label: whether the attribute is at a position whose label is another, and where
// the model gives this one more than the threshold.
std::vector<bool> FeatureRoundsTraining::mistaken(const Matrix<float>& probability) const {
  const auto threshold = static_cast<float>(o_.rounds.unsupported->threshold);
  const std::size_t labels = t_.labels();
  std::vector<bool> cell(t_.renumbering_.node.size() * labels);
  std::vector<Label> wrong;  // given too much
  for (std::size_t p = 0; p < whole_.positions(); ++p) {
    wrong.clear();
    for (Label j = 0; j < labels; ++j) {
      if (j != whole_.label[p] && probability(p, j) > threshold) wrong.push_back(j);
    }
    for (std::uint64_t k = whole_.node.begin[p]; k < whole_.node.begin[p + 1]; ++k) {
      const std::uint32_t a = whole_.node.id[k];
      if (t_.renumbering_.node[a] == kUnknown) continue;
      for (const Label j : wrong) cell[a * labels + j] = true;
    }
  }
  return cell;
}

void FeatureRoundsTraining::add_unsupported(std::span<const FeatureWeight> start) {
  TrainOptions options = o_;
  options.stop.max_iterations = o_.rounds.unsupported->iterations;
  const Round trained = train_round(start, options);
  if (stopped_) return;
  const Matrix<float> probability = probabilities();
  const std::size_t labels = t_.labels();
  std::vector<bool> cell = mistaken(probability);
  Features all = features();
  const std::size_t observed = all.node.size();
  for (const auto& [feature, weight] : all.node) {
    cell[feature.attribute * labels + feature.cell] = false;
  }
  for (std::size_t k = 0; k < cell.size(); ++k) {
    if (cell[k]) {
      all.node.push_back(
          {{static_cast<std::uint32_t>(k / labels), static_cast<std::uint32_t>(k % labels)}, 0.0});
    }
  }
  const std::size_t added = all.node.size() - observed;
  std::ranges::sort(all.node);
  set_features(std::move(all));
  report({.what = "unsupported", .errors = errors(probability).size(), .added = added}, trained);
}

// --- what the model says of the data

// p(y_t = j | x) of all positions, from dL/dstate = omega (p - [y_t = j]).
Matrix<float> FeatureRoundsTraining::probabilities() {
  const ChainData& data = t_.encoder_.data;
  Matrix<float> p;
  p.reshape(data.positions(), t_.labels());
  std::vector<double> gradient(t_.layout_.dimension());
  const ChainProblem problem = t_.problem(o_, pool_);
  make_chain_function(problem, data, t_.layout_)->evaluate(t_.weights_, gradient, 0, p);
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const auto weight = static_cast<float>(data.sequence_weight(n));
    for (std::size_t t = data.sequence_begin[n]; t < data.sequence_begin[n + 1]; ++t) {
      float* row = p.row(t);
      for (std::size_t j = 0; j < p.columns(); ++j) {
        const float gold = j == data.label[t] ? 1.0f : 0.0f;
        row[j] = std::clamp(row[j] / weight + gold, 0.0f, 1.0f);
      }
    }
  }
  return p;
}

// Positions whose likeliest label is not theirs.
std::vector<std::uint32_t> FeatureRoundsTraining::errors(const Matrix<float>& probability) const {
  std::vector<std::uint32_t> wrong;
  for (std::size_t p = 0; p < probability.rows(); ++p) {
    const float* row = probability.row(p);
    const auto likeliest = std::max_element(row, row + probability.columns()) - row;
    if (static_cast<Label>(likeliest) != whole_.label[p]) {
      wrong.push_back(static_cast<std::uint32_t>(p));
    }
  }
  return wrong;
}

}  // namespace croft
