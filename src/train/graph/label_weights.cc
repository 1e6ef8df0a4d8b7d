#include "train/graph/label_weights.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {

bool has_terms_of_variables(Objective objective) {
  return objective == Objective::pseudolikelihood ||
         objective == Objective::piecewise_pseudolikelihood;
}

VariableWeights::VariableWeights(const LabelWeights& weights, const CliqueData& data,
                                 std::span<const GraphInstance> instances)
    : data_(data) {
  const std::vector<Domain>& domains = data.schema().domains;
  for (const Domain& each : domains) of_label_.emplace_back(each.labels.size(), 0.0);
  if (weights.file) {
    std::vector<std::string_view> names;
    for (const Domain& each : domains) {
      for (const std::string& label : each.labels) {
        if (std::ranges::find(names, label) == names.end()) names.emplace_back(label);
      }
    }
    const std::vector<double> found = croft::weights_of(*weights.file, names);
    for (std::size_t d = 0; d < domains.size(); ++d) {
      for (std::size_t y = 0; y < domains[d].labels.size(); ++y) {
        const auto at = std::ranges::find(names, domains[d].labels[y]) - names.begin();
        of_label_[d][y] = found[static_cast<std::size_t>(at)];
      }
    }
    return;
  }
  for (const GraphInstance& instance : instances) {
    for (const std::uint32_t v : instance.variable) {
      if (data.known(v) != kUnobserved) ++of_label_[data.domain(v)][data.known(v)];
    }
  }
  for (std::vector<double>& count : of_label_) {
    double all = 0;
    for (const double n : count) all += n;
    const auto seen = std::ranges::count_if(count, [](double n) { return n > 0; });
    for (double& n : count) n = n > 0 ? all / static_cast<double>(seen) / n : 1;
  }
}

void VariableWeights::weigh(std::span<GraphInstance> instances, Objective objective) const {
  for (GraphInstance& each : instances) {
    const auto known = [](State s) { return s != kUnobserved; };
    const auto labels = std::ranges::count_if(each.known, known);
    if (labels != 1) {
      throw UsageError("--class-weights with --objective ", info(objective, Structure::graph).name,
                       " is of instances with one label, and the instance ",
                       in_quotes(data_.group_name(each.variable.front())), " has ", labels,
                       "; take --objective pseudolikelihood, whose terms are of one variable each");
    }
    const auto at = std::ranges::find_if(each.known, known) - each.known.begin();
    each.weight *= (*this)(each.variable[static_cast<std::size_t>(at)]);
  }
}

}  // namespace croft
