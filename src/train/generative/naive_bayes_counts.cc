#include "train/generative/naive_bayes_counts.h"

#include <algorithm>
#include <cassert>

#include "core/exact_sum.h"
#include "croft/core/error.h"

namespace croft {

void Moments::add(double x, double w) {
  if (w == 0) return;
  weight += w;
  const double distance = x - mean;
  mean += distance * (w / weight);
  squares += w * distance * (x - mean);
}

void Moments::merge(const Moments& other) {
  if (other.weight == 0) return;
  const double total = weight + other.weight, distance = other.mean - mean;
  mean += distance * (other.weight / total);
  squares += other.squares + distance * distance * weight * (other.weight / total);
  weight = total;
}

namespace {

// Of label j in a gaussian attribute's row.
Moments moments_of(const double* row, std::size_t labels, std::size_t j) {
  return {row[j], row[labels + j], row[2 * labels + j]};
}
void set_moments(const Moments& moments, std::size_t labels, std::size_t j, double* row) {
  row[j] = moments.weight;
  row[labels + j] = moments.mean;
  row[2 * labels + j] = moments.squares;
}

constexpr std::size_t kGaussianWidth = 3;

}  // namespace

NaiveBayesCounts::NaiveBayesCounts(NaiveBayesStatistics statistics)
    : statistics_(std::move(statistics)) {
  assert(statistics_.numbers.size() == statistics_.attributes() * statistics_.stride());
  for (const std::string& column : statistics_.columns) {
    column_of_.emplace(column, static_cast<std::uint32_t>(column_of_.size()));
  }
  sums_ = std::ranges::any_of(statistics_.event, needs_sums);
}

void NaiveBayesCounts::add_labels(std::size_t labels) {
  NaiveBayesStatistics& s = statistics_;
  const std::size_t before = s.labels, runs = s.attributes() * s.width;
  std::vector<double> numbers(runs * (before + labels));
  for (std::size_t k = 0; k < runs; ++k) {
    std::copy_n(s.numbers.begin() + static_cast<std::ptrdiff_t>(k * before), before,
                numbers.begin() + static_cast<std::ptrdiff_t>(k * (before + labels)));
  }
  s.labels = before + labels;
  s.numbers = std::move(numbers);
  s.label_weight.resize(s.labels, 0.0);
}

// Makes room for a gaussian attribute's three numbers in every row.
void NaiveBayesCounts::widen() {
  NaiveBayesStatistics& s = statistics_;
  std::vector<double> numbers(s.attributes() * kGaussianWidth * s.labels);
  for (std::size_t a = 0; a < s.attributes(); ++a) {
    std::copy_n(s.row(a), s.labels, numbers.data() + a * kGaussianWidth * s.labels);
  }
  s.numbers = std::move(numbers);
  s.width = kGaussianWidth;
}

std::uint32_t NaiveBayesCounts::column_number(std::string_view column) {
  const auto found = column_of_.find(column);
  if (found != column_of_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(statistics_.columns.size());
  statistics_.columns.emplace_back(column);
  column_of_.emplace(column, number);
  return number;
}

void NaiveBayesCounts::add_attributes(std::size_t count, AttributeKind kind) {
  NaiveBayesStatistics& s = statistics_;
  if (kind.event == AttributeEvent::gaussian && s.width == 1) widen();
  const bool categorical = kind.event == AttributeEvent::categorical;
  if (categorical && s.column.empty()) s.column.assign(s.attributes(), 0);
  if (categorical || !s.column.empty()) {
    s.column.resize(s.attributes() + count, categorical ? column_number(kind.column) : 0);
  }
  s.event.resize(s.attributes() + count, kind.event);
  s.numbers.resize(s.attributes() * s.stride(), 0.0);
  sums_ = sums_ || needs_sums(kind.event);
}

void NaiveBayesCounts::clear() {
  std::ranges::fill(statistics_.label_weight, 0.0);
  std::ranges::fill(statistics_.numbers, 0.0);
}

// add(attribute, its row, x), x as its event model counts it, for each attribute that has one.
template <class Add>
void NaiveBayesCounts::add_values(std::span<const std::uint32_t> id, std::span<const double> value,
                                  double binarize, NaiveBayesScorer::Scratch& scratch,
                                  const Add& add) {
  constexpr std::size_t kAhead = 12;  // rows that are on their way
  if (sums_) {
    const AttributeSums sums = sum_attributes(id, value, scratch);
    id = sums.id;
    value = sums.value;
  }
  const std::size_t stride = statistics_.stride();
  double* const rows = statistics_.numbers.data();
  for (std::size_t k = 0; k < id.size(); ++k) {
    if (k + kAhead < id.size()) add.prefetch(rows + id[k + kAhead] * stride);
    const double x = value.empty() ? 1.0 : value[k];
    const AttributeEvent event = statistics_.event[id[k]];
    assert(x >= 0 || !counts_occurrences(event));
    double* row = rows + id[k] * stride;
    if (event == AttributeEvent::gaussian) {
      add.measured(row, x);
    } else if (event == AttributeEvent::bernoulli) {
      if (x > binarize) add.counted(row, 1.0);
    } else {
      add.counted(row, x);
    }
  }
}

namespace {

struct AddToOne {
  std::size_t labels;
  Label j;
  double weight;
  void prefetch(const double* row) const { __builtin_prefetch(row + j, 1); }
  void counted(double* row, double x) const { row[j] += weight * x; }
  void measured(double* row, double x) const {
    Moments moments = moments_of(row, labels, j);
    moments.add(x, weight);
    set_moments(moments, labels, j, row);
  }
};

struct AddToAll {
  std::size_t labels;
  std::span<const double> weight;
  void prefetch(const double* row) const { __builtin_prefetch(row, 1); }
  void counted(double* row, double x) const {
    for (std::size_t j = 0; j < labels; ++j) row[j] += weight[j] * x;
  }
  void measured(double* row, double x) const {
    for (Label j = 0; j < labels; ++j) AddToOne{labels, j, weight[j]}.measured(row, x);
  }
};

}  // namespace

void NaiveBayesCounts::add(std::span<const std::uint32_t> id, std::span<const double> value,
                           Label j, double weight, double binarize,
                           NaiveBayesScorer::Scratch& scratch) {
  statistics_.label_weight[j] += weight;
  add_values(id, value, binarize, scratch, AddToOne{statistics_.labels, j, weight});
}

void NaiveBayesCounts::add_expected(std::span<const std::uint32_t> id,
                                    std::span<const double> value, std::span<const double> weight,
                                    double binarize, NaiveBayesScorer::Scratch& scratch) {
  for (std::size_t j = 0; j < labels(); ++j) statistics_.label_weight[j] += weight[j];
  add_values(id, value, binarize, scratch, AddToAll{statistics_.labels, weight});
}

void NaiveBayesCounts::add(const ChainData& data, double binarize) {
  NaiveBayesScorer::Scratch scratch;
  const AttributeLists& node = data.node;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    for (std::uint64_t p = data.sequence_begin[n]; p < data.sequence_begin[n + 1]; ++p) {
      if (!is_one_label(data.label[p])) continue;
      const std::uint64_t begin = node.begin[p], size = node.begin[p + 1] - begin;
      const auto value = node.value.empty() ? std::span<const double>()
                                            : std::span(node.value).subspan(begin, size);
      add(std::span(node.id).subspan(begin, size), value, data.label[p], data.sequence_weight(n),
          binarize, scratch);
    }
  }
}

void NaiveBayesCounts::sum(Ranks& ranks) {
  if (ranks.alone()) return;
  NaiveBayesStatistics& s = statistics_;
  if (std::ranges::find(s.event, AttributeEvent::gaussian) != s.event.end()) {
    throw UsageError(
        "the moments of gaussian attributes are for one process alone; start croft "
        "without mpirun, or choose another --event");
  }
  sum_counts(ranks, s.label_weight);
  sum_counts(ranks, s.numbers);
}

void NaiveBayesCounts::merge(const NaiveBayesCounts& other) {
  NaiveBayesStatistics& s = statistics_;
  const NaiveBayesStatistics& from = other.statistics_;
  assert(s.labels == from.labels && s.event == from.event);
  for (std::size_t j = 0; j < s.labels; ++j) s.label_weight[j] += from.label_weight[j];
  for (std::size_t a = 0; a < s.attributes(); ++a) {
    double* row = s.row(a);
    for (std::size_t j = 0; j < s.labels; ++j) {
      if (s.event[a] != AttributeEvent::gaussian) {
        row[j] += from.row(a)[j];
        continue;
      }
      Moments moments = moments_of(row, s.labels, j);
      moments.merge(moments_of(from.row(a), s.labels, j));
      set_moments(moments, s.labels, j, row);
    }
  }
}

}  // namespace croft
