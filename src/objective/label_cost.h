// What it costs to predict a label where another one is right.
#pragma once
#include <span>
#include <string_view>

#include "croft/core/matrix.h"
#include "croft/structure/gold.h"
#include "data/settings/field_files.h"

namespace croft {

// Delta(gold, predicted) for all pairs of labels, in nats: >= 0, and 0 for gold == predicted.
struct LabelCost {
  Matrix<double> table;  // [L][L], from the gold label to the predicted one

  std::size_t labels() const { return table.rows(); }
  double operator()(Label gold, Label predicted) const { return table(gold, predicted); }
};

// Every mistake costs the same.  Throws UsageError unless costs are finite and >= 0, as the next
// two.
LabelCost hamming_cost(std::size_t labels, double cost);
// A mistake costs what its gold label says; by_gold: [L].
LabelCost gold_label_cost(std::span<const double> by_gold);
// Any table [L][L] with a diagonal of 0.
LabelCost label_cost(Matrix<double> table);
// The rules of a file, later ones overriding earlier ones; `names` are the labels by number. Throws
// InputError (file, line) for a label that is not among them.
LabelCost label_cost(const CostFile& file, std::span<const std::string_view> names);

// out[j] = the cost of predicting j at position t: the smallest over the labels that t may have,
// which themselves cost 0 (all of them, where any label fits).  out: [L].
void position_cost(const LabelCost& cost, const Gold& gold, std::size_t t, std::span<double> out);
// The same from a list of the labels that t may have; none: any.
void position_cost(const LabelCost& cost, std::span<const Label> fitting, std::span<double> out);

}  // namespace croft
