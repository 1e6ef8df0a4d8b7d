#include "train/kinds/mixture_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "train/training_fingerprint.h"

namespace croft {

void MixtureOptions::validate() const {
  if (em_iterations == 0) throw UsageError("--em-iterations of a mixture is 1 or more");
  if (!(tolerance >= 0 && std::isfinite(tolerance))) {
    throw UsageError("--tolerance is a finite number of 0 or more");
  }
}

MixtureTraining::MixtureTraining(const MixtureComponents& components) : components_(components) {
  for (Label y = 0; y < components.labels().size(); ++y) label_.emplace(components.labels()[y], y);
}

void MixtureTraining::add(const TextSequence& sequence, std::string_view) {
  if (sequence.length() == 0) return;
  components_.log_probabilities(sequence, scratch_, of_sequence_);
  ++sequences_;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    const auto y = label_.find(sequence.labels.item(t));
    const bool possible = y != label_.end() && std::ranges::any_of(of_sequence_, [&](auto& each) {
                            return std::isfinite(each(t, y->second));
                          });
    if (!possible) {
      ++impossible_;
      continue;
    }
    for (const Matrix<double>& each : of_sequence_) log_p_.push_back(each(t, y->second));
    weight_.push_back(sequence.weight);
  }
}

void MixtureTraining::begin(std::size_t) {
  lambda_.assign(components_.size(), 1 / static_cast<double>(components_.size()));
}

void MixtureTraining::maximise() {
  const double total = std::accumulate(expected_.begin(), expected_.end(), 0.0);
  for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] = expected_[k] / total;
}

MixtureTraining::Scaled MixtureTraining::scaled(std::size_t n, std::span<double> p) const {
  const auto log_p = std::span(log_p_).subspan(n * p.size(), p.size());
  Scaled out{std::ranges::max(log_p), 0};
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = std::exp(log_p[k] - out.log_scale);
    out.sum += lambda_[k] * p[k];
  }
  return out;
}

EmValue MixtureTraining::expect() {
  expected_.assign(lambda_.size(), 0.0);
  CompensatedSum log_likelihood;
  std::vector<double> p(lambda_.size());
  for (std::size_t n = 0; n < weight_.size(); ++n) {
    const Scaled of = scaled(n, p);
    for (std::size_t k = 0; k < p.size(); ++k) {
      expected_[k] += weight_[n] * (lambda_[k] * p[k]) / of.sum;
    }
    log_likelihood.add(weight_[n] * (of.log_scale + std::log(of.sum)));
  }
  return {-log_likelihood.value(), log_likelihood.value()};
}

MixtureResult MixtureTraining::run(const MixtureOptions& options, const EmCallback& see) {
  options.validate();
  if (weight_.empty()) {
    throw Error(
        "no position has a label that a component gives a probability above 0: there is "
        "nothing to learn the weights of the mixture from");
  }
  if (options.checkpoints != nullptr) {
    Fingerprint print;
    print.add(std::span<const double>(log_p_));
    print.add(std::span<const double>(weight_));
    options.checkpoints->set_fingerprint(print.value());
  }
  const EmRules rules{.e_steps = options.em_iterations,
                      .tolerance = options.tolerance,
                      .least = std::numeric_limits<double>::min(),
                      .checkpoints = options.checkpoints};
  MixtureResult result;
  static_cast<EmResult&>(result) = run_em(*this, rules, see);
  result.weights = lambda_;
  const double total = std::accumulate(weight_.begin(), weight_.end(), 0.0);
  std::vector<double> slope(lambda_.size()), p(lambda_.size());
  for (std::size_t n = 0; n < weight_.size(); ++n) {
    const double sum = scaled(n, p).sum;
    for (std::size_t k = 0; k < p.size(); ++k) slope[k] += weight_[n] * p[k] / sum;
  }
  result.gap = std::max(0.0, std::ranges::max(slope) / total - 1);
  return result;
}

}  // namespace croft
