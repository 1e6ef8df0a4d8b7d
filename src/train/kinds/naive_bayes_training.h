// From the sufficient statistics of naive Bayes to its parameters, and EM where labels are known in
// part.  Equation numbers (G.n): docs/math/generative.md.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "train/course/em.h"
#include "train/generative/naive_bayes_counts.h"

namespace croft {

// Says which label or attribute is meant, in messages.
struct NaiveBayesNames {
  std::function<std::string(std::size_t)> label, attribute;
};

// The maximum of the smoothed likelihood (G.2) to (G.7).  Throws Error where there is none: without
// smoothing (alpha 0), a label of which no value of a column (no word) has been seen, or that
// always comes with a bernoulli attribute; UsageError where a given prior is of another number of
// labels. Time O(A L): a logarithm for each count that is not 0.
NaiveBayesParameters naive_bayes_parameters(const NaiveBayesStatistics& statistics,
                                            const NaiveBayesOptions& options,
                                            const NaiveBayesNames& names);

// The largest variance that a gaussian attribute has over all labels; 0 where nothing varies.
double largest_variance(const NaiveBayesStatistics& statistics, const NaiveBayesOptions& options);

struct NaiveBayesFit;

struct EmOptions {
  std::size_t max_iterations = 100;  // 0: positions that are known in part are left out
  double tolerance = 1e-6;           // stop where the log-likelihood gains less than this share
  std::size_t early_stop = 0;        // iterations without a better score; 0: never
  std::uint64_t holdout = 0;         // a number for what is held out
  std::function<HoldoutScore(const NaiveBayesFit& fit)> score{};
  CheckpointFolder* checkpoints = nullptr;
  Ranks* ranks = &no_other_ranks();  // processes that count other parts of the data; no EM
};

struct NaiveBayesFit {
  NaiveBayesCounts counts;  // with expected ones of positions that are known in part
  NaiveBayesParameters parameters;
  // One an iteration of EM: log p of what is known, plus that of the smoothing, before the
  // iteration's change.  Never decreases but by rounding.
  std::vector<double> log_likelihood;
  EmResult em;
  std::size_t partial_positions = 0;  // in the data, by EM or left out
};

// Adds `data` to `counts`, which has its labels and attributes, and fits.  Positions of which no
// single label is known are weighed by their posterior, restricted to what is known, until that
// changes no more (G.9) to (G.11).  Throws as naive_bayes_parameters; Error for a value below 0 of
// an attribute that counts occurrences (with the line), for data in which no position has one
// label, and, with EM, for complement attributes, which have no likelihood, and for a label without
// a position of its own.
//   see : called after each iteration of EM; false stops.  May be empty.
NaiveBayesFit fit_naive_bayes(const ChainData& data, NaiveBayesCounts counts,
                              const NaiveBayesOptions& options, const EmOptions& em,
                              const NaiveBayesNames& names, const EmCallback& see);

// What the smoothing adds to the log-likelihood that EM climbs: alpha times the log-probabilities
// (G.11).
double log_smoothing(const NaiveBayesStatistics& statistics, const NaiveBayesParameters& parameters,
                     const NaiveBayesOptions& options);

}  // namespace croft
