// Weights of the variables of a general CRF by their labels.
//
// Where terms are of one variable each, c(y_v) multiplies the term of v.  Of any other objective it
// multiplies the weight of an instance, which then has one variable with a known label.
#pragma once
#include <span>
#include <vector>

#include "features/clique_data.h"
#include "train/methods/objectives.h"
#include "train/train_options.h"

namespace croft {

// Whether its terms are of one variable each.
bool has_terms_of_variables(Objective objective);

class VariableWeights {
 public:
  // Keeps the data by reference.  Balanced: n / (k n_y) of the labels of each domain, as
  // weigh_by_label() has it, over the variables of these instances.  Throws InputError for a label
  // in the file that no domain has.
  VariableWeights(const LabelWeights& weights, const CliqueData& data,
                  std::span<const GraphInstance> instances);

  // c of what is known of the variable, by its number in the data; 1 where nothing is.
  double operator()(std::uint32_t variable) const {
    const State known = data_.known(variable);
    return known == kUnobserved ? 1 : of_label_[data_.domain(variable)][known];
  }
  // Multiplies the weight of each instance by that of its label.  Throws UsageError, which names
  // the instance, where one has not one variable with a label.
  void weigh(std::span<GraphInstance> instances, Objective objective) const;

 private:
  const CliqueData& data_;
  std::vector<std::vector<double>> of_label_;  // [domains][labels]
};

}  // namespace croft
