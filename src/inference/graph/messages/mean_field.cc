#include "croft/inference/mean_field.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "inference/graph/exact/expected_scores.h"
#include "inference/graph/messages/mean_field_start.h"

namespace croft {
namespace {

class NaiveMeanField {
 public:
  explicit NaiveMeanField(const FactorGraph& graph)
      : graph_(graph), factors_of_(graph), expected_(graph) {}

  void start(VariableMarginals q) { q_ = std::move(q); }
  const VariableMarginals& marginals() const { return q_; }

  // Through all variables; returns the largest change.
  double iterate() {
    double change = 0;
    for (Variable v = 0; v < graph_.variables(); ++v) change = std::max(change, update(v));
    return change;
  }

  // (GV.11)
  double bound() {
    CompensatedSum sum;
    for (Factor f = 0; f < graph_.factors(); ++f) {
      if (graph_.scope(f).empty()) {
        sum.add(graph_.score_of(f, {}));
        continue;
      }
      const std::vector<double>& p = q_[graph_.scope(f)[0]];
      scores_.assign(p.size(), 0);
      expected_.add(f, 0, q_, scores_.data());
      for (std::size_t x = 0; x < p.size(); ++x) {
        if (p[x] > 0) sum.add(p[x] * scores_[x]);
      }
    }
    for (const std::vector<double>& p : q_) sum.add(entropy(p));
    return sum.value();
  }

 private:
  // q_v(x) ~ exp sum_f E[theta_f | x_v = x]                                         (GV.12)
  double update(Variable v) {
    std::vector<double>& p = q_[v];
    scores_.assign(p.size(), 0);
    for (const Factor f : factors_of_.of(v)) {
      const auto scope = graph_.scope(f);
      const auto k = static_cast<std::size_t>(std::ranges::find(scope, v) - scope.begin());
      expected_.add(f, k, q_, scores_.data());
    }
    const double high = *std::ranges::max_element(scores_);
    if (high == -kInf) return 0;  // the others give weight to what is forbidden: theirs to change
    double sum = 0, change = 0;
    for (double& each : scores_) sum += each = std::exp(each - high);
    for (std::size_t x = 0; x < p.size(); ++x) {
      change = std::max(change, std::abs(scores_[x] / sum - p[x]));
      p[x] = scores_[x] / sum;
    }
    return change;
  }

  const FactorGraph& graph_;
  FactorLists factors_of_;
  ExpectedScores expected_;
  VariableMarginals q_;
  std::vector<double> scores_;
};

}  // namespace

void MeanFieldOptions::validate() const {
  if (!(tolerance > 0 && tolerance < kInf)) throw UsageError("the tolerance must be positive");
  if (max_iterations == 0) throw UsageError("max_iterations must be at least 1");
  if (starts == 0) throw UsageError("there must be at least one start");
}

MeanFieldResult mean_field(const FactorGraph& graph, const MeanFieldOptions& options,
                           const GraphCallback& callback) {
  NaiveMeanField field(graph);
  MeanFieldResult result = ascend(graph, options, callback, field);
  bool joins = false;
  for (Factor f = 0; f < graph.factors(); ++f) joins |= graph.scope(f).size() > 1;
  if (!joins || result.contradiction) result.kind = ResultKind::exact;
  return result;
}

}  // namespace croft
