#include "train/kinds/naive_bayes_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/json.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "train/training_fingerprint.h"

namespace croft {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// Of a gaussian attribute under label j.  Positions without it have a 0, or say nothing.
Moments moments_of(const NaiveBayesStatistics& s, std::size_t a, std::size_t j,
                   const NaiveBayesOptions& options) {
  const double* row = s.row(a);
  Moments of_label{row[j], row[s.labels + j], row[2 * s.labels + j]};
  if (options.absent_is_missing) return of_label;
  of_label.merge({std::max(0.0, s.label_weight[j] - of_label.weight), 0, 0});
  return of_label;
}
// Whatever the label.
Moments moments_of(const NaiveBayesStatistics& s, std::size_t a, const NaiveBayesOptions& options) {
  Moments all;
  for (std::size_t j = 0; j < s.labels; ++j) all.merge(moments_of(s, a, j, options));
  return all;
}

// The maximum of the smoothed likelihood, event model by event model.
class Estimation {
 public:
  Estimation(const NaiveBayesStatistics& statistics, const NaiveBayesOptions& options,
             const NaiveBayesNames& names)
      : s_(statistics), options_(options), names_(names), labels_(statistics.labels) {
    out_.prior.assign(labels_, 0.0);
    out_.constant.assign(labels_, 0.0);
    out_.rows.assign(s_.numbers.size(), 0.0);
  }

  NaiveBayesParameters run() {
    set_prior();
    for (std::size_t a = 0; a < s_.attributes(); ++a) count(s_.event[a])++;
    if (count(AttributeEvent::multinomial) > 0) set_multinomial();
    if (count(AttributeEvent::bernoulli) > 0) set_bernoulli();
    if (count(AttributeEvent::complement) > 0) set_complement();
    if (count(AttributeEvent::categorical) > 0) set_categorical();
    if (count(AttributeEvent::gaussian) > 0) set_gaussian();
    return std::move(out_);
  }

 private:
  std::size_t& count(AttributeEvent event) { return counts_[static_cast<std::size_t>(event)]; }
  double* out_row(std::size_t a) { return out_.rows.data() + a * s_.stride(); }

  [[noreturn]] void fail_no_counts(std::size_t j, const std::string& what) const {
    throw Error(what, " of the label ", in_quotes(names_.label(j)),
                " has been seen, and nothing is added to the counts; give an --alpha above 0");
  }

  void set_prior() {
    const double total = total_weight();
    const bool complement_only =
        s_.attributes() > 0 && std::ranges::all_of(s_.event, [](AttributeEvent event) {
          return event == AttributeEvent::complement;
        });
    if (options_.prior == LabelPrior::given && options_.given_prior.size() != labels_) {
      throw UsageError(fmt::format("{} prior probabilities are given, and there are {} labels",
                                   options_.given_prior.size(), labels_));
    }
    if (complement_only) return;
    for (std::size_t j = 0; j < labels_; ++j) {
      out_.prior[j] =
          options_.prior == LabelPrior::uniform ? -std::log(static_cast<double>(labels_))
          : options_.prior == LabelPrior::given ? std::log(options_.given_prior[j])
                                                : std::log(s_.label_weight[j]) - std::log(total);
    }
  }
  double total_weight() const {
    double total = 0;
    for (const double weight : s_.label_weight) total += weight;
    return total;
  }

  // (G.4): log of (count + alpha) / (all counts of the label + alpha a word).
  void set_multinomial() {
    std::vector<double> total(
        labels_, options_.alpha * static_cast<double>(count(AttributeEvent::multinomial)));
    for_each(AttributeEvent::multinomial, [&](std::size_t a) {
      for (std::size_t j = 0; j < labels_; ++j) total[j] += s_.row(a)[j];
    });
    for (std::size_t j = 0; j < labels_; ++j) {
      if (total[j] <= 0) fail_no_counts(j, "no attribute");
      total[j] = std::log(total[j]);
    }
    set_smoothed(AttributeEvent::multinomial, [&](std::size_t, std::size_t j) { return total[j]; });
  }

  // (G.5): the same within each column.
  void set_categorical() {
    std::vector<double> total(s_.columns.size() * labels_, 0.0);
    for_each(AttributeEvent::categorical, [&](std::size_t a) {
      double* sums = total.data() + s_.column[a] * labels_;
      for (std::size_t j = 0; j < labels_; ++j) sums[j] += s_.row(a)[j] + options_.alpha;
    });
    for_each(AttributeEvent::categorical, [&](std::size_t a) {
      for (std::size_t j = 0; j < labels_; ++j) {
        if (total[s_.column[a] * labels_ + j] > 0) continue;
        fail_no_counts(j, "no value of the column " + in_quotes(s_.columns[s_.column[a]]));
      }
    });
    for (double& sum : total) sum = std::log(sum);
    set_smoothed(AttributeEvent::categorical,
                 [&](std::size_t a, std::size_t j) { return total[s_.column[a] * labels_ + j]; });
  }

  // Most counts are 0: their logarithm is taken once.
  template <class LogTotal>
  void set_smoothed(AttributeEvent event, const LogTotal& log_total) {
    const double log_alpha = std::log(options_.alpha);
    for_each(event, [&](std::size_t a) {
      const double* counts = s_.row(a);
      double* row = out_row(a);
      for (std::size_t j = 0; j < labels_; ++j) {
        const double log = counts[j] == 0 ? log_alpha : std::log(counts[j] + options_.alpha);
        row[j] = log - log_total(a, j);
      }
    });
  }

  // (G.3): p(a | j) = (count + alpha) / (positions of j + 2 alpha).
  void set_bernoulli() {
    const double alpha = options_.alpha, log_alpha = std::log(alpha);
    std::vector<double> none(labels_), total(labels_);  // logs for a count of 0
    for (std::size_t j = 0; j < labels_; ++j) {
      if (s_.label_weight[j] + alpha <= 0) fail_no_counts(j, "no position");
      none[j] = std::log(s_.label_weight[j] + alpha);
      total[j] = std::log(s_.label_weight[j] + 2 * alpha);
    }
    std::vector<CompensatedSum> constant(labels_);
    for_each(AttributeEvent::bernoulli, [&](std::size_t a) {
      const double* counts = s_.row(a);
      double* row = out_row(a);
      for (std::size_t j = 0; j < labels_; ++j) {
        double with = log_alpha, without = none[j];
        if (counts[j] != 0) {
          const double others = std::max(0.0, s_.label_weight[j] - counts[j]) + alpha;
          if (others <= 0) fail_certain(a, j);
          with = std::log(counts[j] + alpha);
          without = std::log(others);
        }
        row[j] = with - without;
        constant[j].add(without - total[j]);
      }
    });
    for (std::size_t j = 0; j < labels_; ++j) out_.constant[j] += constant[j].value();
  }
  [[noreturn]] void fail_certain(std::size_t a, std::size_t j) const {
    throw Error("the attribute ", in_quotes(names_.attribute(a)),
                " is in every position of the label ", in_quotes(names_.label(j)),
                ", and nothing is added to the counts: its absence would be impossible; give an "
                "--alpha above 0");
  }

  // (G.6) and (G.7): of the counts of all other labels.
  void set_complement() {
    const double alpha = options_.alpha;
    std::vector<double> total(labels_, 0.0), sum(labels_, 0.0);
    const auto visit = [&](const auto& each) {
      for_each(AttributeEvent::complement, [&](std::size_t a) {
        const double* counts = s_.row(a);
        double all = 0;
        for (std::size_t j = 0; j < labels_; ++j) all += counts[j];
        each(a, counts, all + alpha);
      });
    };
    visit([&](std::size_t, const double* counts, double all) {
      for (std::size_t j = 0; j < labels_; ++j) total[j] += all - counts[j];
    });
    for (std::size_t j = 0; j < labels_; ++j) {
      if (total[j] <= 0) fail_no_counts(j, "no attribute but");
      total[j] = std::log(total[j]);
    }
    visit([&](std::size_t a, const double* counts, double all) {
      const double log_all = std::log(all);
      double* row = out_row(a);
      for (std::size_t j = 0; j < labels_; ++j) {
        const double rest = all - counts[j];
        if (!(rest > 0)) {
          throw Error("the attribute ", in_quotes(names_.attribute(a)), " is seen with the label ",
                      in_quotes(names_.label(j)),
                      " alone, and nothing is added to the counts; give an --alpha above 0");
        }
        row[j] = total[j] - (counts[j] == 0 ? log_all : std::log(rest));
        sum[j] += row[j];
      }
    });
    if (!options_.norm) return;
    // The weights with their sign turned, as a share of all: what is rare elsewhere counts little.
    for_each(AttributeEvent::complement, [&](std::size_t a) {
      for (std::size_t j = 0; j < labels_; ++j) out_row(a)[j] /= sum[j];
    });
  }

  // (G.2)
  void set_gaussian() {
    out_.largest_variance = largest_variance(s_, options_);
    // Where nothing varies, there is no scale to go by.
    const double scale = out_.largest_variance > 0 ? out_.largest_variance : 1;
    const double floor = options_.variance_floor * scale;
    for_each(AttributeEvent::gaussian, [&](std::size_t a) {
      double* row = out_row(a);
      for (std::size_t j = 0; j < labels_; ++j) {
        Moments of_label = moments_of(s_, a, j, options_);
        if (of_label.weight == 0) of_label = moments_of(s_, a, options_);  // as of all labels
        const double variance = of_label.variance() + floor;
        if (!(variance > 0)) {
          throw Error("the attribute ", in_quotes(names_.attribute(a)),
                      " has one value in all positions of the label ", in_quotes(names_.label(j)),
                      "; give a --variance-floor above 0");
        }
        row[j] = of_label.mean;
        row[labels_ + j] = variance;
        row[2 * labels_ + j] = -0.5 * std::log(2 * std::numbers::pi * variance);
        if (!options_.absent_is_missing) out_.constant[j] += row[2 * labels_ + j];
      }
    });
  }

  template <class Each>
  void for_each(AttributeEvent event, const Each& each) const {
    for (std::size_t a = 0; a < s_.attributes(); ++a) {
      if (s_.event[a] == event) each(a);
    }
  }

  const NaiveBayesStatistics& s_;
  const NaiveBayesOptions& options_;
  const NaiveBayesNames& names_;
  std::size_t labels_;
  std::size_t counts_[5] = {};
  NaiveBayesParameters out_;
};

// One position of the data after the other.
template <class Visit>
void for_each_position(const ChainData& data, const Visit& visit) {
  const AttributeLists& node = data.node;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    for (std::uint64_t p = data.sequence_begin[n]; p < data.sequence_begin[n + 1]; ++p) {
      const std::uint64_t begin = node.begin[p], size = node.begin[p + 1] - begin;
      visit(n, p, std::span(node.id).subspan(begin, size),
            node.value.empty() ? std::span<const double>()
                               : std::span(node.value).subspan(begin, size));
    }
  }
}

void check_values(const ChainData& data, const NaiveBayesStatistics& statistics,
                  const NaiveBayesNames& names) {
  if (data.node.value.empty()) return;
  for_each_position(data, [&](std::size_t n, std::uint64_t, const auto& id, const auto& value) {
    for (std::size_t k = 0; k < id.size(); ++k) {
      if (value[k] >= 0 || !counts_occurrences(statistics.event[id[k]])) continue;
      throw Error(
          "the attribute ", in_quotes(names.attribute(id[k])), " has the value ",
          fmt::format("{}", value[k]), " in the sequence that begins at line ", data.first_line[n],
          ", and ", event_name(statistics.event[id[k]]),
          " counts how often it occurs, which is 0 or more; --event gaussian takes any number");
    }
  });
}

// EM (Dempster, Laird and Rubin 1977) over the positions that are known in part.
class ExpectationMaximisation final : public EmSteps {
 public:
  //   fit : with the counts and the parameters of what is known
  ExpectationMaximisation(const ChainData& data, const NaiveBayesOptions& options,
                          const NaiveBayesNames& names, NaiveBayesFit& fit)
      : data_(data),
        known_(fit.counts),
        options_(options),
        names_(names),
        fit_(fit),
        joint_(known_.labels()) {}

  void begin(std::size_t) override {}
  // An iteration ends with its M step.
  void maximise() override {}
  EmValue expect() override {
    const double smoothing = log_smoothing(fit_.counts.statistics(), fit_.parameters, options_);
    const double now = take_expectations(smoothing);
    std::swap(fit_.counts, next_);
    estimate();
    fit_.log_likelihood.push_back(now);
    return {-now, now - smoothing};
  }
  void archive(StateArchive& state) override {
    NaiveBayesStatistics statistics = fit_.counts.statistics();
    state(statistics.label_weight, statistics.numbers, fit_.log_likelihood);
    if (!state.reading()) return;
    fit_.counts = NaiveBayesCounts(std::move(statistics));
    estimate();
  }

 private:
  void estimate() {
    fit_.parameters = naive_bayes_parameters(fit_.counts.statistics(), options_, names_);
  }
  // Fills next_ with the known and the expected counts; returns the log-likelihood of the fit, on
  // top of `smoothing`.
  double take_expectations(double smoothing) {
    const NaiveBayesScorer scorer(fit_.counts.statistics(), fit_.parameters, options_);
    next_ = known_;
    CompensatedSum log_likelihood(smoothing);
    for_each_position(data_,
                      [&](std::size_t n, std::uint64_t p, const auto& id, const auto& value) {
                        scorer.score(id, value, scratch_, joint_);
                        const double weight = data_.sequence_weight(n);
                        if (is_one_label(data_.label[p])) {
                          log_likelihood.add(weight * joint_[data_.label[p]]);
                          return;
                        }
                        restrict_to(data_.known_labels(p));
                        const double log_sum = normalise(n);
                        log_likelihood.add(weight * log_sum);
                        for (double& share : joint_) share *= weight;
                        next_.add_expected(id, value, joint_, options_.binarize, scratch_);
                      });
    return log_likelihood.value();
  }
  void restrict_to(std::span<const Label> known) {
    if (known.empty()) return;  // any label
    for (Label j = 0; j < joint_.size(); ++j) {
      if (!std::ranges::binary_search(known, j)) joint_[j] = kNone;
    }
  }
  // joint_ becomes the posterior (G.9); returns the log of what it summed to.
  double normalise(std::size_t n) {
    const double largest = std::ranges::max(joint_);
    if (!std::isfinite(largest)) {
      throw Error("the sequence that begins at line ", data_.first_line[n],
                  " has probability 0 under every label that it may have; give an --alpha above 0");
    }
    double sum = 0;
    for (double& each : joint_) sum += each = std::exp(each - largest);
    for (double& each : joint_) each /= sum;
    return largest + std::log(sum);
  }

  const ChainData& data_;
  const NaiveBayesCounts known_;
  const NaiveBayesOptions& options_;
  const NaiveBayesNames& names_;
  NaiveBayesFit& fit_;
  NaiveBayesCounts next_;
  std::vector<double> joint_;  // [L]
  NaiveBayesScorer::Scratch scratch_;
};

void check_em(const NaiveBayesCounts& counts, const NaiveBayesNames& names) {
  const NaiveBayesStatistics& s = counts.statistics();
  if (std::ranges::count(s.event, AttributeEvent::complement) > 0) {
    throw UsageError(
        "--event complement has no likelihood, by which positions without a label could "
        "be weighed; choose multinomial, or leave them out with --em-iterations 0");
  }
  for (std::size_t j = 0; j < s.labels; ++j) {
    if (s.label_weight[j] > 0) continue;
    throw Error("no position has the label ", in_quotes(names.label(j)),
                " alone, for EM to start from; label one, or leave out those that are known in "
                "part with --em-iterations 0");
  }
}

std::uint64_t fingerprint(const ChainData& data, const NaiveBayesStatistics& known,
                          const NaiveBayesOptions& options, const EmOptions& em,
                          const NaiveBayesNames& names) {
  Fingerprint print;
  add_to(print, data);
  print.add(known.label_weight, known.numbers, known.event, known.column);
  for (std::size_t j = 0; j < known.labels; ++j) print.add(names.label(j));
  for (std::size_t a = 0; a < known.attributes(); ++a) print.add(names.attribute(a));
  print.add(options_json(options).dump(), options.given_prior,
            std::array{std::uint64_t{em.early_stop}, em.holdout});
  return print.value();
}

}  // namespace

NaiveBayesParameters naive_bayes_parameters(const NaiveBayesStatistics& statistics,
                                            const NaiveBayesOptions& options,
                                            const NaiveBayesNames& names) {
  options.validate();
  return Estimation(statistics, options, names).run();
}

double largest_variance(const NaiveBayesStatistics& statistics, const NaiveBayesOptions& options) {
  double largest = 0;
  for (std::size_t a = 0; a < statistics.attributes(); ++a) {
    if (statistics.event[a] != AttributeEvent::gaussian) continue;
    largest = std::max(largest, moments_of(statistics, a, options).variance());
  }
  return largest;
}

double log_smoothing(const NaiveBayesStatistics& statistics, const NaiveBayesParameters& parameters,
                     const NaiveBayesOptions& options) {
  if (options.alpha == 0) return 0;
  CompensatedSum sum;
  for (std::size_t a = 0; a < statistics.attributes(); ++a) {
    const AttributeEvent event = statistics.event[a];
    if (event == AttributeEvent::gaussian) continue;
    const double* row = parameters.rows.data() + a * statistics.stride();
    for (std::size_t j = 0; j < statistics.labels; ++j) {
      sum.add(event == AttributeEvent::bernoulli
                  ? -std::log1p(std::exp(-row[j])) - std::log1p(std::exp(row[j]))
                  : row[j]);
    }
  }
  return options.alpha * sum.value();
}

NaiveBayesFit fit_naive_bayes(const ChainData& data, NaiveBayesCounts counts,
                              const NaiveBayesOptions& options, const EmOptions& em,
                              const NaiveBayesNames& names, const EmCallback& see) {
  options.validate();
  check_values(data, counts.statistics(), names);
  Ranks& ranks = *em.ranks;
  if (!ranks.first()) counts.clear();  // what a model before it has seen is counted once
  counts.add(data, options.binarize);
  counts.sum(ranks);
  NaiveBayesFit fit;
  fit.partial_positions = sum_of_all(
      ranks,
      data.positions() - static_cast<std::size_t>(std::ranges::count_if(data.label, is_one_label)));
  fit.counts = std::move(counts);
  const NaiveBayesStatistics& s = fit.counts.statistics();
  if (std::ranges::all_of(s.label_weight, [](double weight) { return weight == 0; })) {
    throw Error("no position has one label, with a weight above 0, to learn from; label some");
  }
  const bool climbs = fit.partial_positions > 0 && em.max_iterations > 0;
  if (climbs && !ranks.alone()) {
    throw UsageError(
        "EM, for labels that are known in part, runs in one process; start croft without mpirun, "
        "or "
        "give --em-iterations 0 to leave them out");
  }
  if (climbs) check_em(fit.counts, names);
  fit.parameters = naive_bayes_parameters(s, options, names);
  if (!climbs) return fit;
  if (em.checkpoints != nullptr) {
    em.checkpoints->set_fingerprint(fingerprint(data, s, options, em, names));
  }
  ExpectationMaximisation steps(data, options, names, fit);
  EmRules rules{.e_steps = em.max_iterations,
                .tolerance = em.tolerance,
                .least = 0,
                .early_stop = em.early_stop,
                .checkpoints = em.checkpoints};
  if (em.score) rules.score = [&] { return em.score(fit); };
  fit.em = run_em(steps, rules, see);
  return fit;
}

}  // namespace croft
