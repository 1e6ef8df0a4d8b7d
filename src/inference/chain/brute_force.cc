#include "croft/inference/brute_force.h"

#include <cmath>

namespace croft {
namespace {

using Visit = std::function<void(const std::vector<Label>&, long double)>;

void extend(const ChainScores<double>& scores, std::vector<Label>& y, long double sum,
            const Visit& visit) {
  const std::size_t t = y.size();
  if (t == scores.length()) {
    visit(y, sum);
    return;
  }
  for (Label j = 0; j < scores.labels(); ++j) {
    long double next = sum + scores.state(t, j);
    if (t > 0) {
      next += scores.transitions->at(y.back(), j);
      if (const double* extra = scores.overlay_row(t, y.back())) next += extra[j];
    }
    if (std::isinf(next)) continue;
    y.push_back(j);
    extend(scores, y, next, visit);
    y.pop_back();
  }
}

}  // namespace

void for_each_labelling(const ChainScores<double>& scores, const Visit& visit) {
  std::vector<Label> y;
  extend(scores, y, 0, visit);
}

BruteForceResult brute_force(const ChainScores<double>& scores) {
  const std::size_t length = scores.length(), labels = scores.labels();
  BruteForceResult result;
  result.best_score = result.log_partition = -std::numeric_limits<double>::infinity();
  result.state.assign(length, labels, 0);
  result.edge.assign(length, Matrix<double>(labels, labels, 0.0));

  long double best = -std::numeric_limits<long double>::infinity();
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    if (s > best || (length == 0 && result.best_score < 0)) {
      best = s;
      result.best = y;
      result.best_score = static_cast<double>(s);
    }
  });
  long double total = 0;  // relative to the best, so that exp cannot overflow
  for_each_labelling(
      scores, [&](const std::vector<Label>&, long double s) { total += std::exp(s - best); });
  if (total > 0) result.log_partition = static_cast<double>(best + std::log(total));
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double s) {
    const double p = static_cast<double>(std::exp(s - best) / total);
    for (std::size_t t = 0; t < length; ++t) {
      result.state(t, y[t]) += p;
      if (t > 0) result.edge[t](y[t - 1], y[t]) += p;
    }
  });
  return result;
}

}  // namespace croft
