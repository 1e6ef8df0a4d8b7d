// Naive Bayes: given its label, the attributes of a position are independent of each other.
//
//   log p(x, y) = log p(y) + sum_a log p(x_a | y)                                            (G.1)
//
// Each attribute has an event model, and the numbers of a label are kept so that the sum is over
// few attributes.  Equation numbers (G.n): docs/math/generative.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace croft {
class Json;
class Record;

// What the value of an attribute is.  multinomial, complement: how often it occurs; bernoulli:
// whether it does; gaussian: a measurement; categorical: 1, one of several attributes that are the
// values of one column.
enum class AttributeEvent : std::uint8_t {
  multinomial,
  bernoulli,
  complement,
  gaussian,
  categorical
};
std::string_view event_name(AttributeEvent event);
std::optional<AttributeEvent> event_from_name(std::string_view name);
// Values are how often something occurs, and so not below 0.
constexpr bool counts_occurrences(AttributeEvent event) {
  return event != AttributeEvent::bernoulli && event != AttributeEvent::gaussian;
}
// Values of one position that are named several times count as their sum, which these are not
// linear in.
constexpr bool needs_sums(AttributeEvent event) {
  return event == AttributeEvent::bernoulli || event == AttributeEvent::gaussian;
}

// What an attribute is, by its name.
struct AttributeKind {
  AttributeEvent event = AttributeEvent::multinomial;
  std::string_view column;  // of a categorical one: what it is a value of; part of the name
};
using EventRule = std::function<AttributeKind(std::string_view name)>;
// One event model for all.  The column of a categorical attribute is its name up to the first `=`,
// all of it where there is none.
EventRule one_event(AttributeEvent event);
// Of a table: an attribute with the name of a column in `numeric` is gaussian; any other is
// NAME=CELL, where NAME is a column in `categorical`, the longest that fits.
EventRule table_events(std::vector<std::string> numeric, std::vector<std::string> categorical);

enum class LabelPrior { learnt, uniform, given };

struct NaiveBayesOptions {
  double alpha = 1;              // what each count is before any data (Lidstone); >= 0
  double binarize = 0;           // bernoulli: an attribute occurs where its value is above; >= 0
  double variance_floor = 1e-9;  // gaussian: share of the largest variance, added to all; >= 0
  bool norm = false;             // complement: weights of a label sum to 1
  bool absent_is_missing =
      false;  // gaussian: an attribute that is absent says nothing; else it is 0
  LabelPrior prior = LabelPrior::learnt;
  std::vector<double> given_prior = {};  // [L] by label, with LabelPrior::given; sums to 1

  // Throws UsageError for a number that is out of range.
  void validate() const;
};
Json options_json(const NaiveBayesOptions& options);
NaiveBayesOptions options_of(const Record& record);  // the inverse, of a model's meta

// Sufficient statistics.  All numbers are sums over positions, weighted.
//   numbers [A][width][L]; of an attribute and label, by event model:
//     multinomial, complement, categorical : [0] sum of the values
//     bernoulli                            : [0] weight of the positions where it occurs
//     gaussian                             : [0] weight of those that have it, [1] mean of the
//                                            values, [2] sum of their squared distances to it
struct NaiveBayesStatistics {
  std::size_t labels = 0;
  std::size_t width = 1;              // 3 where an attribute is gaussian, else 1
  std::vector<AttributeEvent> event;  // [A]
  std::vector<std::uint32_t> column;  // [A] of categorical ones; empty: there are none
  std::vector<std::string> columns;   // their names
  std::vector<double> label_weight;   // [L] weight of the positions
  std::vector<double> numbers;

  std::size_t attributes() const { return event.size(); }
  std::size_t stride() const { return width * labels; }
  double* row(std::size_t a) { return numbers.data() + a * stride(); }
  const double* row(std::size_t a) const { return numbers.data() + a * stride(); }
};

// What follows from them.
//   rows [A][width][L]: of an attribute and label j
//     multinomial, categorical : [0] log p(a | j)                                            (G.4)
//     complement               : [0] its weight                                              (G.6)
//     bernoulli                : [0] log p(a | j) - log p(not a | j)                          (G.3)
//     gaussian                 : [0] mean, [1] variance, [2] -log sqrt(2 pi variance)         (G.2)
struct NaiveBayesParameters {
  std::vector<double> prior;     // [L] log p(y = j); 0 where all attributes are complement
  std::vector<double> constant;  // [L] what is said by attributes that are absent: bernoulli's
                                 // sum of log p(not a | j), gaussian's of [2] where absent is 0
  std::vector<double> rows;
  double largest_variance = 0;  // of gaussian attributes, over all labels
};

// log p(x, y) of positions, from parameters that someone else owns.
// Threads: no hidden state; share it.
class NaiveBayesScorer {
 public:
  NaiveBayesScorer() = default;
  //   event : [A]; rows : [A][width][L]; prior, constant : [L]
  //   sums  : whether an attribute needs_sums()
  // What a damaged `event` says makes a wrong number, and no access outside of `rows`.
  NaiveBayesScorer(std::span<const AttributeEvent> event, std::span<const double> prior,
                   std::span<const double> constant, std::span<const double> rows,
                   std::size_t width, bool sums, const NaiveBayesOptions& options);
  NaiveBayesScorer(const NaiveBayesStatistics& statistics, const NaiveBayesParameters& parameters,
                   const NaiveBayesOptions& options);

  struct Scratch {
    std::vector<std::pair<std::uint32_t, double>> sorted;
    std::vector<std::uint32_t> id;
    std::vector<double> value;
  };
  // out[j] = log p(x, y = j).  Ids that are not below A are left out.
  //   value : parallel to id; empty: all 1
  //   cost  : O(attributes of the position * L); with gaussian ones whose absence is 0, O(A L)
  void score(std::span<const std::uint32_t> id, std::span<const double> value, Scratch& scratch,
             std::span<double> out) const;

  std::size_t labels() const { return prior_.size(); }
  std::size_t attributes() const { return event_.size(); }

 private:
  void add_listed(std::span<const std::uint32_t> id, std::span<const double> value,
                  double* out) const;
  void add_gaussians(std::span<const std::uint32_t> id, std::span<const double> value,
                     double* out) const;
  void add_gaussian(std::size_t a, double x, double* out) const;

  std::span<const AttributeEvent> event_;
  std::span<const double> prior_, constant_, rows_;
  std::size_t width_ = 1;
  double binarize_ = 0;
  bool gaussian_ = false, all_gaussians_ = false, sums_ = false;
};

// The values of attributes that are named several times added up, in increasing order of ids; what
// is so already is handed on as it is.
struct AttributeSums {
  std::span<const std::uint32_t> id;
  std::span<const double> value;
};
AttributeSums sum_attributes(std::span<const std::uint32_t> id, std::span<const double> value,
                             NaiveBayesScorer::Scratch& scratch);

}  // namespace croft
