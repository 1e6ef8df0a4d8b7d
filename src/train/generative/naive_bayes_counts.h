// Collects the sufficient statistics of naive Bayes, position by position; more can be added at any
// time, and two collections can be merged.  docs/math/generative.md section 1.3.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "croft/core/ranks.h"
#include "features/chain_data.h"
#include "model/kinds/naive_bayes.h"

namespace croft {

class NaiveBayesCounts {
 public:
  NaiveBayesCounts() = default;
  explicit NaiveBayesCounts(NaiveBayesStatistics statistics);

  const NaiveBayesStatistics& statistics() const { return statistics_; }
  std::size_t labels() const { return statistics_.labels; }
  std::size_t attributes() const { return statistics_.attributes(); }

  // More labels, or an attribute more, of which nothing has been seen.
  void add_labels(std::size_t labels);
  void add_attribute(AttributeKind kind) { add_attributes(1, kind); }
  void add_attributes(std::size_t count, AttributeKind kind);
  // Nothing seen of anything; labels and attributes stay.
  void clear();

  // A position with the label j.  Ids are below attributes(), values finite, and not below 0 where
  // counts_occurrences(); weight >= 0.  A position's value of an attribute is the sum of those
  // given.
  //   value : parallel to id; empty: all 1
  //   cost  : O(attributes of the position)
  void add(std::span<const std::uint32_t> id, std::span<const double> value, Label j, double weight,
           double binarize, NaiveBayesScorer::Scratch& scratch);
  // A position with each label j in the proportion weight[j].
  void add_expected(std::span<const std::uint32_t> id, std::span<const double> value,
                    std::span<const double> weight, double binarize,
                    NaiveBayesScorer::Scratch& scratch);
  // All positions of `data` that have one label.
  void add(const ChainData& data, double binarize);
  // What `other`, of the same labels and attributes, has seen.
  void merge(const NaiveBayesCounts& other);
  // What all processes have seen.  Throws as sum_counts(), and UsageError for gaussian attributes.
  void sum(Ranks& ranks);

 private:
  std::uint32_t column_number(std::string_view column);
  void widen();
  template <class Add>
  void add_values(std::span<const std::uint32_t> id, std::span<const double> value, double binarize,
                  NaiveBayesScorer::Scratch& scratch, const Add& add);

  NaiveBayesStatistics statistics_;
  std::map<std::string, std::uint32_t, std::less<>> column_of_;
  bool sums_ = false;  // an attribute needs them
};

// The mean and the sum of squared distances of two groups of numbers taken together (Chan, Golub
// and LeVeque 1979), which does not subtract large numbers from each other (G.8).
struct Moments {
  double weight = 0, mean = 0, squares = 0;
  void add(double x, double w);
  void merge(const Moments& other);
  double variance() const { return weight > 0 ? squares / weight : 0; }
};

}  // namespace croft
