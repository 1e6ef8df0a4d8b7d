// Small data for naive Bayes in a plain form, and its posterior by the definition: products of
// probabilities, each from a loop over all rows.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "train/kinds/naive_bayes_training.h"

namespace croft::testing_support {

// Every attribute has a value in each row; 0 is as if it were absent.
struct PlainTable {
  std::vector<AttributeKind> kind;       // [A]
  std::vector<std::vector<double>> row;  // [N][A]
  std::vector<Label> label;              // [N]
  std::vector<double> weight;            // [N]
  std::size_t labels = 0;

  std::size_t attributes() const { return kind.size(); }
  double weight_of(Label j) const {
    double sum = 0;
    for (std::size_t n = 0; n < row.size(); ++n) sum += label[n] == j ? weight[n] : 0;
    return sum;
  }
};

inline const char* const kColours = "colour";
inline const char* const kShapes = "shape";

// `count` attributes of one event model; of categorical ones each row has one of each column.
inline void append_attributes(AttributeEvent event, std::size_t count, Random& random,
                              PlainTable& table) {
  const std::size_t first = table.attributes();
  for (std::size_t a = 0; a < count; ++a) {
    const bool categorical = event == AttributeEvent::categorical;
    table.kind.push_back({event, !categorical ? "" : a < count / 2 ? kColours : kShapes});
  }
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    std::vector<double>& row = table.row[n];
    row.resize(first + count, 0.0);
    if (event == AttributeEvent::categorical) {
      row[first + random.below(count / 2)] = 1;
      row[first + count / 2 + random.below(count - count / 2)] = 1;
      continue;
    }
    for (std::size_t a = first; a < first + count; ++a) {
      row[a] = event == AttributeEvent::gaussian
                   ? random.normal() + static_cast<double>(table.label[n])
                   : static_cast<double>(random.below(3));
    }
  }
}

inline PlainTable random_table(std::size_t rows, std::size_t labels,
                               const std::vector<AttributeEvent>& events, Random& random) {
  PlainTable table;
  table.labels = labels;
  for (std::size_t n = 0; n < rows; ++n) {
    table.row.emplace_back();
    table.label.push_back(static_cast<Label>(n < labels ? n : random.below(labels)));
    table.weight.push_back(0.25 + random.uniform());
  }
  for (const AttributeEvent event : events) append_attributes(event, 4, random, table);
  return table;
}

inline NaiveBayesCounts empty_counts(const PlainTable& table) {
  NaiveBayesCounts counts;
  counts.add_labels(table.labels);
  for (const AttributeKind& kind : table.kind) counts.add_attribute(kind);
  return counts;
}

inline void add_rows(const PlainTable& table, std::size_t begin, std::size_t end, double binarize,
                     NaiveBayesCounts& counts) {
  NaiveBayesScorer::Scratch scratch;
  std::vector<std::uint32_t> id(table.attributes());
  for (std::uint32_t a = 0; a < id.size(); ++a) id[a] = a;
  for (std::size_t n = begin; n < end; ++n) {
    counts.add(id, table.row[n], table.label[n], table.weight[n], binarize, scratch);
  }
}

inline NaiveBayesCounts counts_of(const PlainTable& table, double binarize = 0) {
  NaiveBayesCounts counts = empty_counts(table);
  add_rows(table, 0, table.row.size(), binarize, counts);
  return counts;
}

inline NaiveBayesNames number_names() {
  return {[](std::size_t j) { return "y" + std::to_string(j); },
          [](std::size_t a) { return "a" + std::to_string(a); }};
}

// [L] log p(x, y = j) as the library has it.
inline std::vector<double> joint_of(const NaiveBayesCounts& counts,
                                    const NaiveBayesOptions& options,
                                    const std::vector<double>& x) {
  const NaiveBayesParameters parameters =
      naive_bayes_parameters(counts.statistics(), options, number_names());
  const NaiveBayesScorer scorer(counts.statistics(), parameters, options);
  NaiveBayesScorer::Scratch scratch;
  std::vector<std::uint32_t> id;
  std::vector<double> value, out(counts.labels());
  for (std::uint32_t a = 0; a < x.size(); ++a) {
    if (x[a] == 0) continue;
    id.push_back(a);
    value.push_back(x[a]);
  }
  scorer.score(id, value, scratch, out);
  return out;
}

inline std::vector<double> posterior_of(std::vector<double> joint) {
  double largest = joint[0], sum = 0;
  for (const double each : joint) largest = std::max(largest, each);
  for (double& each : joint) sum += each = std::exp(each - largest);
  for (double& each : joint) each /= sum;
  return joint;
}

// By the definition, from the rows themselves.
class PlainNaiveBayes {
 public:
  PlainNaiveBayes(const PlainTable& table, const NaiveBayesOptions& options)
      : table_(table), options_(options) {}

  double joint(const std::vector<double>& x, Label j) const {
    double product = table_.weight_of(j) / total();
    for (std::size_t a = 0; a < table_.attributes(); ++a) product *= factor(x[a], a, j);
    return product;
  }
  // p(x_a | j)
  double factor(double x, std::size_t a, Label j) const {
    switch (table_.kind[a].event) {
      case AttributeEvent::multinomial:
        return std::pow(share(a, j,
                              [&](std::size_t b) {
                                return table_.kind[b].event == AttributeEvent::multinomial;
                              }),
                        x);
      case AttributeEvent::categorical:
        return std::pow(share(a, j,
                              [&](std::size_t b) {
                                return table_.kind[b].event == AttributeEvent::categorical &&
                                       table_.kind[b].column == table_.kind[a].column;
                              }),
                        x);
      case AttributeEvent::bernoulli: {
        const double p =
            (occurrences(a, j) + options_.alpha) / (table_.weight_of(j) + 2 * options_.alpha);
        return x > options_.binarize ? p : 1 - p;
      }
      case AttributeEvent::gaussian: {
        const double v = variance(a, j) + options_.variance_floor * largest_variance();
        const double d = x - mean(a, j);
        return std::exp(-d * d / (2 * v)) / std::sqrt(2 * std::numbers::pi * v);
      }
      case AttributeEvent::complement:
        break;
    }
    return 1;
  }

 private:
  double total() const {
    double sum = 0;
    for (const double w : table_.weight) sum += w;
    return sum;
  }
  double sum(std::size_t a, Label j) const {
    double out = 0;
    for (std::size_t n = 0; n < table_.row.size(); ++n) {
      if (table_.label[n] == j) out += table_.weight[n] * table_.row[n][a];
    }
    return out;
  }
  template <class Among>
  double share(std::size_t a, Label j, const Among& among) const {
    double all = 0;
    for (std::size_t b = 0; b < table_.attributes(); ++b) {
      if (among(b)) all += sum(b, j) + options_.alpha;
    }
    return (sum(a, j) + options_.alpha) / all;
  }
  double occurrences(std::size_t a, Label j) const {
    double out = 0;
    for (std::size_t n = 0; n < table_.row.size(); ++n) {
      if (table_.label[n] == j && table_.row[n][a] > options_.binarize) out += table_.weight[n];
    }
    return out;
  }
  double mean(std::size_t a, Label j) const { return sum(a, j) / table_.weight_of(j); }
  double variance(std::size_t a, Label j) const {
    double out = 0;
    for (std::size_t n = 0; n < table_.row.size(); ++n) {
      const double d = table_.row[n][a] - mean(a, j);
      if (table_.label[n] == j) out += table_.weight[n] * d * d;
    }
    return out / table_.weight_of(j);
  }
  double largest_variance() const {
    double largest = 0;
    for (std::size_t a = 0; a < table_.attributes(); ++a) {
      if (table_.kind[a].event != AttributeEvent::gaussian) continue;
      double m = 0, v = 0;
      for (std::size_t n = 0; n < table_.row.size(); ++n) m += table_.weight[n] * table_.row[n][a];
      m /= total();
      for (std::size_t n = 0; n < table_.row.size(); ++n) {
        v += table_.weight[n] * (table_.row[n][a] - m) * (table_.row[n][a] - m);
      }
      largest = std::max(largest, v / total());
    }
    return largest;
  }
  const PlainTable& table_;
  const NaiveBayesOptions& options_;
};

}  // namespace croft::testing_support
