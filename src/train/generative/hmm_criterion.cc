#include "train/generative/hmm_criterion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"

namespace croft {
namespace {

ChainData without_observations(const ChainData& data) {
  ChainData bare = data;
  bare.node = AttributeLists();
  bare.node.begin.assign(data.positions() + 1, 0);
  return bare;
}

// Without the sequences of which no label is known.
ChainData labelled(const ChainData& data) {
  ChainData some;
  some.label_sets = data.label_sets;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const auto any = [](Label known) { return known == kAnyLabel; };
    if (!std::ranges::all_of(data.gold(n).known, any)) some.append(data, n);
  }
  return some;
}

// Each count is what the prior adds to it.
void set_to(const HmmSmoothing& smoothing, const HmmLayout& layout, HmmCounts& counts) {
  counts.start.assign(layout.labels, smoothing.transition);
  counts.end.assign(layout.labels, smoothing.transition);
  counts.transition.assign(layout.labels, layout.labels, smoothing.transition);
  counts.emission.assign(layout.cell.size(), smoothing.emission);
}

double squares(std::span<const double> u) {
  CompensatedSum sum;
  for (const double x : u) sum.add(x * x);
  return sum.value();
}

}  // namespace

std::span<const HmmObjectiveInfo> hmm_objectives() {
  static constexpr auto kTable = std::to_array<HmmObjectiveInfo>({
      {HmmObjective::likelihood, "likelihood", "log p(x, y): by counting, or by EM"},
      {HmmObjective::conditional, "conditional", "log p(y|x)"},
      {HmmObjective::multi_conditional, "multi-conditional",
       "log p(y|x) + --generative-weight log p(x|y)"},
      {HmmObjective::hybrid, "hybrid",
       "log p(y|x) + log p(x), whose parameters a prior holds together (--coupling)"},
  });
  return kTable;
}

std::string_view name_of(HmmObjective objective) {
  return std::ranges::find(hmm_objectives(), objective, &HmmObjectiveInfo::objective)->name;
}

HmmObjective hmm_objective_named(std::string_view name) {
  std::string names;
  for (const HmmObjectiveInfo& each : hmm_objectives()) {
    if (each.name == name) return each.objective;
    (names += names.empty() ? "" : ", ") += each.name;
  }
  throw UsageError("--objective ", in_quotes(name), " is none of a hidden Markov model: ", names);
}

void HmmCriterionOptions::validate() const {
  const auto check = [](double value, const Message& option) {
    if (value >= 0 && std::isfinite(value)) return;
    throw UsageError(option, " is a weight of the objective: 0 or more");
  };
  check(generative_weight, "--generative-weight");
  check(coupling, "--coupling");
}

ChainData without_labels(const ChainData& data) {
  ChainData bare = data;
  std::ranges::fill(bare.label, kAnyLabel);
  bare.label_sets = LabelSets();
  return bare;
}

HmmCriterion::HmmCriterion(const ChainData& data, const HmmLayout& layout,
                           const HmmCriterionOptions& options, const HmmSmoothing& smoothing,
                           const HmmParameters& p, ThreadPool& pool)
    : layout_(layout), smoothing_(smoothing), weights_(layout, p, smoothing.end), p_(p) {
  const ChainData known = labelled(data);
  const bool multi = options.objective == HmmObjective::multi_conditional;
  const double g = multi ? options.generative_weight : 0;
  two_ = options.objective == HmmObjective::hybrid;
  coupling_ = two_ ? options.coupling : 0;
  add_term(multi ? data : known, 1 + g, false, pool);
  add_term(without_labels(multi ? data : known), -1, false, pool);
  if (multi) add_term(without_observations(data), -g, false, pool);
  if (two_) add_term(without_labels(data), 1, true, pool);
}

void HmmCriterion::add_term(const ChainData& data, double times, bool second, ThreadPool& pool) {
  if (times == 0) return;
  terms_.push_back({HmmExpectations(data, layout_, pool), times, second});
}

std::size_t HmmCriterion::dimension() const { return weights_.dimension() * (two_ ? 2 : 1); }

std::vector<double> HmmCriterion::start(const HmmParameters& p) const {
  std::vector<double> w(dimension());
  weights_.weights_of(p, std::span(w).first(weights_.dimension()));
  return w;
}

std::vector<double> HmmCriterion::side(std::span<const double> w, double sign) const {
  const std::size_t size = weights_.dimension();
  std::vector<double> out(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(size));
  if (!two_) return out;
  const double scale = sign / (2 * std::sqrt(1 + coupling_));
  for (std::size_t k = 0; k < size; ++k) out[k] += scale * w[size + k];
  return out;
}

void HmmCriterion::set_probabilities(std::span<const double> w, HmmParameters& p) const {
  weights_.set_probabilities(side(w, 1), p);
}

double HmmCriterion::evaluate_side(bool second, std::span<const double> w,
                                   std::span<double> gradient) {
  weights_.set_probabilities(w, p_);
  const HmmSmoothing prior = second ? HmmSmoothing{.emission = 0, .transition = 0} : smoothing_;
  set_to(prior, layout_, sum_);
  CompensatedSum value(-log_prior(layout_, prior, p_));
  for (Term& term : terms_) {
    if (term.second != second) continue;
    value.add(-term.times * term.expectations.evaluate(p_, counts_));
    sum_.add(counts_, term.times);
  }
  std::ranges::fill(gradient, 0.0);
  weights_.subtract_slope(sum_, p_, gradient);
  return value.value();
}

double HmmCriterion::evaluate(std::span<const double> w, std::span<double> gradient) {
  if (!two_) return evaluate_side(false, w, gradient);
  const std::size_t size = weights_.dimension();
  const std::span<double> of_a = gradient.first(size), of_e = gradient.subspan(size);
  double value = evaluate_side(false, side(w, 1), of_a);
  value += evaluate_side(true, side(w, -1), of_e);
  const double scale = 1 / (2 * std::sqrt(1 + coupling_)), pull = coupling_ / (1 + coupling_);
  for (std::size_t k = 0; k < size; ++k) {
    const double first = of_a[k], second = of_e[k];
    of_a[k] = first + second;
    of_e[k] = scale * (first - second) + pull * w[size + k];
  }
  return value + pull / 2 * squares(w.subspan(size));
}

double HmmCriterion::penalty(std::span<const double> w) {
  set_probabilities(w, p_);
  const double prior = -log_prior(layout_, smoothing_, p_);
  if (!two_) return prior;
  return prior + coupling_ / (1 + coupling_) / 2 * squares(w.subspan(weights_.dimension()));
}

}  // namespace croft
