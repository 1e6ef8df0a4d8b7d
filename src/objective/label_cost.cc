#include "objective/label_cost.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "croft/core/error.h"

namespace croft {
namespace {

using LabelNumbers = std::unordered_map<std::string_view, Label>;

// The labels [first, last) that a field of a rule stands for.
std::pair<Label, Label> range_of(const std::optional<std::string>& name, const CostFile& file,
                                 const CostRule& rule, const LabelNumbers& numbers) {
  if (!name) return {0, static_cast<Label>(numbers.size())};
  const auto found = numbers.find(*name);
  if (found == numbers.end()) {
    throw InputError({file.name, rule.line}, "a label that the training data does not have", *name,
                     "correct its spelling, or delete the line; \\* is the label named *");
  }
  return {found->second, found->second + 1};
}

void check_cost(double cost) {
  if (std::isfinite(cost) && cost >= 0) return;
  throw UsageError("a cost of " + std::to_string(cost) +
                   "; the cost of a mistake must be a finite number of 0 or more");
}

}  // namespace

LabelCost hamming_cost(std::size_t labels, double cost) {
  return gold_label_cost(std::vector<double>(labels, cost));
}

LabelCost gold_label_cost(std::span<const double> by_gold) {
  Matrix<double> table(by_gold.size(), by_gold.size(), 0.0);
  for (std::size_t g = 0; g < by_gold.size(); ++g) {
    check_cost(by_gold[g]);
    std::ranges::fill(table[g], by_gold[g]);
    table(g, g) = 0;
  }
  return {std::move(table)};
}

LabelCost label_cost(Matrix<double> table) {
  for (std::size_t g = 0; g < table.rows(); ++g) {
    for (const double cost : table[g]) check_cost(cost);
    if (table(g, g) != 0) {
      throw UsageError("a cost of " + std::to_string(table(g, g)) +
                       " for a right prediction, which must cost 0");
    }
  }
  return {std::move(table)};
}

LabelCost label_cost(const CostFile& file, std::span<const std::string_view> names) {
  LabelNumbers numbers;
  for (Label j = 0; j < names.size(); ++j) numbers.emplace(names[j], j);
  Matrix<double> table(names.size(), names.size(), 0.0);
  for (const CostRule& rule : file.rules) {
    const auto [first_gold, last_gold] = range_of(rule.gold, file, rule, numbers);
    const auto [first, last] = range_of(rule.predicted, file, rule, numbers);
    for (Label g = first_gold; g < last_gold; ++g) {
      for (Label j = first; j < last; ++j) {
        if (j != g) table(g, j) = rule.cost;
      }
    }
  }
  return {std::move(table)};
}

void position_cost(const LabelCost& cost, const Gold& gold, std::size_t t, std::span<double> out) {
  position_cost(cost, gold.labels(t), out);
}

void position_cost(const LabelCost& cost, std::span<const Label> fitting, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  bool first = true;
  for (const Label g : fitting) {
    for (Label j = 0; j < out.size(); ++j) {
      out[j] = first ? cost(g, j) : std::min(out[j], cost(g, j));
    }
    first = false;
  }
}

}  // namespace croft
