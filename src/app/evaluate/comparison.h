// Two labellers on the same data: where they differ, and whether the difference is more than
// chance.
//
// Sequences are what is drawn: labels of one sequence depend on each other.  For a metric m and
// d = m(second) - m(first):
//   bootstrap (Efron & Tibshirani 1993): draw as many sequences with replacement, B times; the
//     interval of d is that between the quantiles of the d of the draws
//   approximate randomisation (Noreen 1989): give each sequence's two answers to the two labellers
//     by lot, R times; p = (1 + how often |d of the lot| >= |d|) / (1 + R)
// docs/evaluation.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/label/chunks.h"

namespace croft {
class Json;

struct ComparisonOptions {
  ChunkScheme scheme = ChunkScheme::automatic;
  std::size_t draws = 10'000;  // of each test
  double confidence = 0.95;    // of the interval, in (0, 1)
  std::uint64_t seed = 1;
  std::size_t shown = 10;  // sequences on which the two differ most
};

struct ComparedMetric {
  std::string name;  // accuracy, sequence_accuracy, chunk_precision, chunk_recall, chunk_f1
  double first = 0, second = 0, low = 0, high = 0, p = 1;
  double difference() const { return second - first; }
};

struct ComparedSequence {
  std::size_t number = 0;                                        // from 0, in the order of add()
  std::size_t differing = 0, first_right = 0, second_right = 0;  // positions
};

struct ComparisonSummary {
  std::size_t sequences = 0, positions = 0;
  std::size_t differing = 0;                    // positions with two different labels
  std::size_t first_only = 0, second_only = 0;  // of these, where that one alone is right
  std::vector<ComparedMetric> metrics{};
  std::vector<ComparedSequence> most{};  // with the most differing positions first
};

// Feed sequences, then read.  Keeps 12 bytes a position.
class Comparison {
 public:
  // Throws UsageError for no draws, or a confidence that is not in (0, 1).
  explicit Comparison(const ComparisonOptions& options);
  // One sequence; an empty one is counted as nothing.  Throws Error where the lengths differ.
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> first,
           std::span<const std::string_view> second);
  // Throws Error where there is no sequence.  Costs O(draws * sequences).
  ComparisonSummary summary() const;

 private:
  struct Counts;
  std::uint32_t id_of(std::string_view label);
  std::vector<Counts> counts() const;

  ComparisonOptions options_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::string> labels_;
  std::vector<std::uint32_t> gold_, labelled_[2];  // one after the other
  std::vector<std::size_t> end_;                   // of each sequence
  std::vector<std::size_t> number_;                // of those that are not empty
  std::size_t added_ = 0;
};

// For people, with the names of the two; and for programs.
std::string format_comparison(const ComparisonSummary& summary, std::string_view first,
                              std::string_view second, double confidence);
Json to_json(const ComparisonSummary& summary);

}  // namespace croft
