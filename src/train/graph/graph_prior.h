// What the training of a general CRF takes over from a model, and what it keeps near to it.
#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "model/kinds/graph_model.h"
#include "train/weight_prior.h"

namespace croft {

// The weights of `init` in a layout's order, 0 where it has none: templates go by their names,
// features and labels too.  Features that the layout does not have are left out.  Throws Error,
// which names the template, where the same name stands for another interaction or other domains,
// and where the two have no weight in common.
std::vector<double> weights_of(const GraphModel& init, const CliqueSchema& schema,
                               const GraphLayout& layout, std::span<const StringTable> features);

// sqrt(variance) of each weight, given the variances of names TEMPLATE:FEATURE.
using VariancesOf = std::function<std::vector<double>(std::span<const std::string_view> names)>;
std::vector<double> graph_prior_scale(const VariancesOf& variances, const CliqueSchema& schema,
                                      const GraphLayout& layout,
                                      std::span<const StringTable> features);

}  // namespace croft
