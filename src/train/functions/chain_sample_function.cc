#include "train/functions/chain_sample_function.h"

#include <algorithm>
#include <optional>

#include "croft/inference/chain_k_best.h"
#include "objective/chain_objectives.h"

namespace croft {

struct ChainSampleFunction::Worker {
  std::unique_ptr<ChainObjective<double>> objective;
  std::vector<Run> runs;
  TransitionScores<double> transitions;
  std::vector<double> tied;  // the weights that they were made of
  bool has_transitions = false;
  ChainScores<double> scores;
  Matrix<double> d_state, d_overlay;
  std::vector<double> d_transition, d_gram;
  ChainGradient<double> d_theta() {
    return {d_state.row(0), d_overlay.row(0), d_transition.data()};
  }
  // With histories.
  std::optional<HistoryScores<double>> histories;
  ChainScores<double> lifted;
  Matrix<double> d_lifted;
  std::vector<double> d_walked, d_tied;
  AlignedVector<double> weights;  // with a prior: w at the coordinates of the support
  // For the ranked labellings.
  std::optional<CostAugmenter> augment;
  ChainScores<double> augmented;
};

ChainSampleFunction::ChainSampleFunction(const ChainData& data, const ChainLayout& layout,
                                         ChainFunction& whole, std::size_t workers,
                                         const ObjectiveMaker<double>& make_objective)
    : data_(data), layout_(layout), whole_(whole), scorer_(data, layout) {
  for (std::size_t k = 0; k < workers; ++k) {
    workers_.push_back(std::make_unique<Worker>());
    Worker& worker = *workers_.back();
    worker.objective = make_objective();
    worker.d_gram.assign(layout.grams(), 0.0);
    if (layout.histories) worker.histories.emplace(*layout.histories);
  }
  if (layout.histories) gold_ = lift_gold(*layout.histories, data);
}

ChainSampleFunction::~ChainSampleFunction() = default;

std::span<const Run> ChainSampleFunction::support(std::size_t n, std::size_t worker) {
  scorer_.support(n, workers_[worker]->runs);
  return workers_[worker]->runs;
}

// By way of the histories (history_chain.h).
double ChainSampleFunction::evaluate_lifted(std::size_t n, std::span<const double> w, Worker& own) {
  const LabelHistories& histories = *layout_.histories;
  own.histories->assign(own.transitions, scorer_.grams(w));
  own.histories->lift(own.scores, own.lifted);
  const std::size_t length = own.scores.length();
  own.d_lifted.reshape(length, histories.size());
  own.d_walked.assign(own.histories->transitions().cells(), 0.0);
  own.d_tied.assign(histories.size(), 0.0);
  std::ranges::fill(own.d_gram, 0.0);
  const Gold gold(std::span(gold_.known).subspan(data_.sequence_begin[n], length), &gold_.sets);
  const double value = (*own.objective)(own.lifted, gold, data_.sequence_weight(n),
                                        {own.d_lifted.row(0), nullptr, own.d_walked.data()});
  project(histories, own.scores, own.d_lifted.row(0),
          {own.d_state.row(0), own.d_overlay.row(0), nullptr}, own.d_tied);
  project_tied(histories, own.d_tied, own.d_walked, own.transitions, own.d_transition, own.d_gram);
  return value;
}

void ChainSampleFunction::set_prior(const WeightPrior& prior) {
  const auto expand = [&](const std::vector<double>& from, std::vector<double>& to) {
    to.assign(from.empty() ? 0 : dimension(), 0.0);
    if (!from.empty()) scorer_.expand(from, to);
  };
  expand(prior.mean, mean_);
  expand(prior.scale, scale_);
  for (const auto& worker : workers_) {
    worker->weights.assign(prior.trivial() ? 0 : dimension(), 0.0);
  }
}

// w where the sequence reads it.
std::span<const double> ChainSampleFunction::weights_of(std::size_t n, std::span<const double> u,
                                                        Worker& own) {
  if (own.weights.empty()) return u;
  scorer_.support(n, own.runs);
  for (const Run& run : own.runs) {
    for (std::uint64_t k = run.begin; k < run.begin + run.length; ++k) {
      const double scaled = scale_.empty() ? u[k] : scale_[k] * u[k];
      own.weights[k] = mean_.empty() ? scaled : mean_[k] + scaled;
    }
  }
  return own.weights;
}

// theta, and tables for dL/dtheta.
void ChainSampleFunction::score(std::size_t n, std::span<const double> w, Worker& own) {
  const std::span<const double> tied = scorer_.tied(w);
  if (!own.has_transitions || !std::ranges::equal(own.tied, tied)) {
    own.tied.assign(tied.begin(), tied.end());
    own.has_transitions = true;
    scorer_.transitions(w, own.transitions);
  }
  scorer_.score(n, w, own.transitions, own.scores);
  own.d_state.reshape(own.scores.length(), layout_.labels);
  own.d_overlay.reshape(own.scores.overlay.rows(), layout_.labels);
  own.d_transition.assign(own.transitions.cells(), 0.0);
}

// f_n, and dL/dtheta in the worker's tables.
double ChainSampleFunction::evaluate_scores(std::size_t n, std::span<const double> u, Worker& own) {
  const std::span<const double> w = weights_of(n, u, own);
  score(n, w, own);
  if (layout_.histories) return evaluate_lifted(n, w, own);
  return (*own.objective)(own.scores, data_.gold(n), data_.sequence_weight(n), own.d_theta());
}

SampleFunction::Sample ChainSampleFunction::evaluate_sample(std::size_t n,
                                                            std::span<const double> u,
                                                            std::span<double> gradient,
                                                            std::size_t worker) {
  Worker& own = *workers_[worker];
  const double value = evaluate_scores(n, u, own);
  if (!own.objective->moved()) return {value, false};
  scorer_.gradient(n, own.d_theta(), own.d_state.stride(), own.d_transition, own.d_gram,
                   own.transitions, gradient);
  if (!scale_.empty()) {
    std::size_t at = 0;
    for (const Run& run : own.runs) {
      for (std::uint64_t k = 0; k < run.length; ++k) gradient[at++] *= scale_[run.begin + k];
    }
  }
  return {value, true};
}

SampleFunction::Sample ChainSampleFunction::evaluate_sparse(std::size_t n,
                                                            std::span<const double> u,
                                                            SparseVector& gradient,
                                                            std::size_t worker) {
  Worker& own = *workers_[worker];
  const double value = evaluate_scores(n, u, own);
  gradient.clear();
  if (!own.objective->moved()) return {value, false};
  scorer_.gradient(n, own.d_theta(), own.d_state.stride(), own.d_transition, own.d_gram,
                   own.transitions, gradient);
  if (!scale_.empty()) gradient.scale(scale_);
  return {value, true};
}

// phi(y) - phi(gold), by way of dL/dtheta = 1[y] - 1[gold].
void ChainSampleFunction::write_difference(std::size_t n, std::span<const Label> y,
                                           std::span<double> gradient, Worker& own) {
  const std::span<const Label> gold = data_.gold(n).known;
  const std::size_t labels = layout_.labels, stride = own.d_state.stride();
  own.d_state.assign(y.size(), labels, 0.0);
  own.d_overlay.assign(own.scores.overlay.rows(), labels, 0.0);
  std::ranges::fill(own.d_transition, 0.0);
  const auto add = [&](std::span<const Label> labelling, double sign) {
    for (std::size_t t = 0; t < labelling.size(); ++t) {
      const Label j = labelling[t];
      own.d_state(t, j) += sign;
      if (t == 0) continue;
      const Label i = labelling[t - 1];
      const std::uint32_t cell = own.transitions.cell(i, j);
      if (cell != TransitionScores<double>::kNoCell) own.d_transition[cell] += sign;
      if (own.scores.has_overlay(t)) {
        own.d_overlay(own.scores.overlay_of[t] * labels + i, j) += sign;
      }
    }
  };
  add(y, 1);
  add(gold, -1);
  scorer_.gradient(n, own.d_theta(), stride, own.d_transition, own.d_gram, own.transitions,
                   gradient);
}

std::size_t ChainSampleFunction::evaluate_ranked(std::size_t n, std::span<const double> w,
                                                 std::size_t most, std::span<double> value,
                                                 std::span<double> loss, std::span<double> gradient,
                                                 std::size_t worker) {
  Worker& own = *workers_[worker];
  score(n, w, own);
  if (!own.augment) own.augment.emplace(*cost_);
  const Gold gold = data_.gold(n);
  (*own.augment)(own.scores, gold, own.augmented);
  const double weight = data_.sequence_weight(n);
  const double right = croft::score<double>(own.scores, gold.known);
  ChainKBest search(own.augmented);
  std::vector<Label> y(own.scores.length());
  scorer_.support(n, own.runs);
  std::size_t size = 0, count = 0;
  for (const Run& run : own.runs) size += run.length;
  while (count < most) {
    const std::optional<double> best = search.next(y);
    if (!best) break;
    if (std::ranges::equal(y, gold.known)) continue;
    const std::span<double> difference = gradient.subspan(count * size, size);
    value[count] = weight * (*best - right);
    loss[count] = 0;
    for (std::size_t t = 0; t < y.size(); ++t) {
      loss[count] += weight * (*cost_)(gold.known[t], y[t]);
    }
    write_difference(n, y, difference, own);
    for (double& each : difference) each *= weight;
    ++count;
  }
  return count;
}

double ChainSampleFunction::evaluate(std::span<const double> u, std::span<double> gradient) {
  weights_.resize(layout_.dimension());
  gradient_.resize(layout_.dimension());
  if (mean_.empty() && scale_.empty()) {
    scorer_.compress(u, weights_);
  } else {
    std::vector<double> w(u.begin(), u.end());
    for (std::size_t k = 0; k < scale_.size(); ++k) w[k] *= scale_[k];
    for (std::size_t k = 0; k < mean_.size(); ++k) w[k] += mean_[k];
    scorer_.compress(w, weights_);
  }
  const double value = whole_.evaluate(weights_, gradient_);
  scorer_.expand(gradient_, gradient);
  for (std::size_t k = 0; k < scale_.size(); ++k) gradient[k] *= scale_[k];
  return value;
}

}  // namespace croft
