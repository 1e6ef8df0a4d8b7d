#include "train/graph/graph_unlabelled.h"

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"

namespace croft {

double GraphWithUnlabelled::evaluate(std::span<const double> w, std::span<double> gradient) {
  if (prior_ != nullptr) {
    weights_.resize(w.size());
    for (std::size_t k = 0; k < w.size(); ++k) weights_[k] = prior_->weight(k, w[k]);
    w = weights_;
  }
  double value = f_.evaluate(w, gradient);
  part_.add(w, value, gradient);
  if (prior_ != nullptr && !prior_->scale.empty()) {
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] *= prior_->scale[k];
  }
  return value;
}

std::vector<GraphInstance> with_hidden(std::span<const GraphInstance> instances) {
  std::vector<GraphInstance> out;
  std::ranges::copy_if(instances, std::back_inserter(out), [](const GraphInstance& each) {
    return std::ranges::find(each.known, kUnobserved) != each.known.end();
  });
  return out;
}

void check_entropy(const CliqueSchema& schema) {
  for (const CliqueTemplate& each : schema.templates) {
    const bool forbids_alone = each.penalty && std::isinf(*each.penalty);
    if (!each.scores || forbids_alone) continue;
    throw UsageError("--entropy is of scores that are weights times features, and the template '",
                     each.name, "' has ",
                     each.penalty ? Message("a finite penalty") : "scores that are given",
                     "; leave out --entropy (--expectations go with it)");
  }
}

}  // namespace croft
