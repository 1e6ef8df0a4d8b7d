#include "model/kinds/naive_bayes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/record.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 5> kEventNames = {"multinomial", "bernoulli", "complement",
                                                         "gaussian", "categorical"};
constexpr std::array<std::string_view, 3> kPriorNames = {"learnt", "uniform", "given"};

void check_number(double number, std::string_view option, std::string_view what) {
  if (number >= 0 && std::isfinite(number)) return;
  throw UsageError(fmt::format("--{} {} is no number from 0 on; it is {}", option, number, what));
}

}  // namespace

std::string_view event_name(AttributeEvent event) {
  return kEventNames[static_cast<std::size_t>(event)];
}

std::optional<AttributeEvent> event_from_name(std::string_view name) {
  const auto found = std::ranges::find(kEventNames, name);
  if (found == kEventNames.end()) return std::nullopt;
  return static_cast<AttributeEvent>(found - kEventNames.begin());
}

EventRule one_event(AttributeEvent event) {
  return [event](std::string_view name) {
    return AttributeKind{event, event == AttributeEvent::categorical
                                    ? name.substr(0, name.find('='))
                                    : std::string_view()};
  };
}

EventRule table_events(std::vector<std::string> numeric, std::vector<std::string> categorical) {
  std::ranges::sort(numeric);
  return [numeric = std::move(numeric),
          categorical = std::move(categorical)](std::string_view name) -> AttributeKind {
    if (std::ranges::binary_search(numeric, name)) return {AttributeEvent::gaussian, {}};
    std::size_t longest = name.find('=');
    for (const std::string& column : categorical) {
      const bool fits = name.starts_with(column) && name.substr(column.size()).starts_with('=');
      if (fits && (longest == name.npos || column.size() > longest)) longest = column.size();
    }
    return {AttributeEvent::categorical, name.substr(0, longest)};
  };
}

void NaiveBayesOptions::validate() const {
  check_number(alpha, "alpha", "what is added to each count");
  check_number(binarize, "binarize",
               "what a value must exceed to occur, and an absent attribute is 0");
  check_number(variance_floor, "variance-floor",
               "the share of the largest variance that is added to all");
  if (prior != LabelPrior::given) return;
  double sum = 0;
  for (const double p : given_prior) {
    check_number(p, "prior-probabilities", "the probability of a label");
    sum += p;
  }
  if (std::abs(sum - 1) > 1e-6) {
    throw UsageError(
        fmt::format("the prior probabilities of the labels sum to {}, and must sum to 1", sum));
  }
}

Json options_json(const NaiveBayesOptions& options) {
  return {{"alpha", options.alpha},
          {"binarize", options.binarize},
          {"variance_floor", options.variance_floor},
          {"norm", options.norm},
          {"absent_is_missing", options.absent_is_missing},
          {"prior", kPriorNames[static_cast<std::size_t>(options.prior)]},
          {"given_prior", options.given_prior}};
}

NaiveBayesOptions options_of(const Record& record) {
  NaiveBayesOptions options;
  const auto not_negative = [&](std::string_view key) {
    const double number = record.at(key).number();
    record.at(key).require(number >= 0, "a number of 0 or more");
    return number;
  };
  options.alpha = not_negative("alpha");
  options.binarize = not_negative("binarize");
  options.variance_floor = not_negative("variance_floor");
  options.norm = record.at("norm").flag();
  options.absent_is_missing = record.at("absent_is_missing").flag();
  const auto prior = std::ranges::find(kPriorNames, record.at("prior").text());
  if (prior == kPriorNames.end()) record.at("prior").fail("learnt, uniform or given");
  options.prior = static_cast<LabelPrior>(prior - kPriorNames.begin());
  options.given_prior = record.at("given_prior").numbers();
  const double sum = std::accumulate(options.given_prior.begin(), options.given_prior.end(), 0.0);
  record.at("given_prior")
      .require(options.prior != LabelPrior::given || std::abs(sum - 1) <= 1e-6,
               "a list of probabilities");
  return options;
}

AttributeSums sum_attributes(std::span<const std::uint32_t> id, std::span<const double> value,
                             NaiveBayesScorer::Scratch& scratch) {
  const bool increasing = std::ranges::adjacent_find(id, std::greater_equal<>()) == id.end();
  if (increasing) return {id, value};
  auto& [sorted, ids, values] = scratch;
  sorted.clear();
  for (std::size_t k = 0; k < id.size(); ++k) {
    sorted.emplace_back(id[k], value.empty() ? 1.0 : value[k]);
  }
  std::ranges::stable_sort(sorted, {}, &std::pair<std::uint32_t, double>::first);
  ids.clear();
  values.clear();
  for (const auto& [a, x] : sorted) {
    if (ids.empty() || ids.back() != a) {
      ids.push_back(a);
      values.push_back(x);
    } else {
      values.back() += x;
    }
  }
  return {ids, values};
}

NaiveBayesScorer::NaiveBayesScorer(std::span<const AttributeEvent> event,
                                   std::span<const double> prior, std::span<const double> constant,
                                   std::span<const double> rows, std::size_t width, bool sums,
                                   const NaiveBayesOptions& options)
    : event_(event),
      prior_(prior),
      constant_(constant),
      rows_(rows),
      width_(width),
      binarize_(options.binarize),
      gaussian_(width > 1),
      all_gaussians_(gaussian_ && !options.absent_is_missing),
      sums_(sums || gaussian_) {
  assert(rows.size() == event.size() * width * prior.size() && constant.size() == prior.size());
}

NaiveBayesScorer::NaiveBayesScorer(const NaiveBayesStatistics& statistics,
                                   const NaiveBayesParameters& parameters,
                                   const NaiveBayesOptions& options)
    : NaiveBayesScorer(statistics.event, parameters.prior, parameters.constant, parameters.rows,
                       statistics.width, std::ranges::any_of(statistics.event, needs_sums),
                       options) {}

// -(x - mean)^2 / (2 variance); with missing values also what normalises it.
void NaiveBayesScorer::add_gaussian(std::size_t a, double x, double* out) const {
  const std::size_t labels = prior_.size();
  const double *mean = rows_.data() + a * width_ * labels, *variance = mean + labels,
               *normaliser = variance + labels;
  for (std::size_t j = 0; j < labels; ++j) {
    const double distance = x - mean[j];
    out[j] -= distance * distance / (2 * variance[j]);
  }
  if (all_gaussians_) return;  // those are in constant_
  for (std::size_t j = 0; j < labels; ++j) out[j] += normaliser[j];
}

// Ids in increasing order; those that are not among them have the value 0.
void NaiveBayesScorer::add_gaussians(std::span<const std::uint32_t> id,
                                     std::span<const double> value, double* out) const {
  std::size_t k = 0;
  for (std::size_t a = 0; a < event_.size(); ++a) {
    while (k < id.size() && id[k] < a) ++k;
    if (event_[a] != AttributeEvent::gaussian) continue;
    const bool here = k < id.size() && id[k] == a;
    add_gaussian(a, !here ? 0.0 : value.empty() ? 1.0 : value[k], out);
  }
}

void NaiveBayesScorer::add_listed(std::span<const std::uint32_t> id, std::span<const double> value,
                                  double* out) const {
  constexpr std::size_t kAhead = 6;  // rows that are on their way
  const std::size_t labels = prior_.size(), stride = width_ * labels;
  for (std::size_t k = 0; k < id.size(); ++k) {
    if (k + kAhead < id.size() && id[k + kAhead] < event_.size()) {
      const double* row = rows_.data() + id[k + kAhead] * stride;
      for (std::size_t j = 0; j < labels; j += 8) __builtin_prefetch(row + j);
    }
    const std::size_t a = id[k];
    double x = value.empty() ? 1.0 : value[k];
    if (a >= event_.size()) continue;
    if (gaussian_ && event_[a] == AttributeEvent::gaussian) {
      if (!all_gaussians_) add_gaussian(a, x, out);
      continue;
    }
    if (event_[a] == AttributeEvent::bernoulli) x = x > binarize_ ? 1.0 : 0.0;
    if (x == 0) continue;  // nothing, also where the row is log 0
    const double* row = rows_.data() + a * stride;
    for (std::size_t j = 0; j < labels; ++j) out[j] += x * row[j];
  }
}

void NaiveBayesScorer::score(std::span<const std::uint32_t> id, std::span<const double> value,
                             Scratch& scratch, std::span<double> out) const {
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = prior_[j] + constant_[j];
  if (!sums_) {
    add_listed(id, value, out.data());
    return;
  }
  const AttributeSums sums = sum_attributes(id, value, scratch);
  add_listed(sums.id, sums.value, out.data());
  if (all_gaussians_) add_gaussians(sums.id, sums.value, out.data());
}

}  // namespace croft
