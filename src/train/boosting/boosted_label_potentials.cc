#include "train/boosting/boosted_label_potentials.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "train/boosting/regression_tree_fit.h"

namespace croft {
namespace {

constexpr std::size_t kBlock = 4096;  // positions of a task

}  // namespace

LabelPotentialFunction::LabelPotentialFunction(const ChainData& data, std::size_t labels,
                                               std::size_t width, ThreadPool& pool)
    : data_(data), labels_(labels), width_(width), pool_(pool), workers_(pool.threads()) {
  assert(data.sequences() == data.positions());
  for (Worker& worker : workers_) {
    worker.expected.resize(labels);
    worker.known.resize(labels);
  }
}

double LabelPotentialFunction::evaluate(const Potentials& potentials, PotentialGradient::Part,
                                        PotentialGradient& out) {
  const std::size_t positions = data_.positions();
  out.width = width_;
  out.state.resize((width_ == 1 ? labels_ : 1) * positions * 2 * TreeGradient::stride(width_));
  out.transition.assign(labels_ * labels_, 0.0);
  out.curvature.assign(labels_ * labels_, 0.0);
  CompensatedSum value;
  pool_.run_ordered((positions + kBlock - 1) / kBlock,
                    [&](std::size_t b, std::size_t w) {
                      CompensatedSum sum;
                      for (std::size_t p = b * kBlock; p < std::min(positions, (b + 1) * kBlock);
                           ++p) {
                        sum.add(evaluate_position(p, potentials.state[p], workers_[w], out));
                      }
                      workers_[w].value = sum.value();
                    },
                    [&](std::size_t, std::size_t w) { value.add(workers_[w].value); });
  return value.value();
}

double LabelPotentialFunction::evaluate_position(std::size_t p, std::span<const double> score,
                                                 Worker& worker, PotentialGradient& out) const {
  const double weight = data_.sequence_weight(p);
  const std::span<const Label> set = data_.known_labels(p);
  const Label label = data_.label[p];
  const double highest = *std::max_element(score.begin(), score.end());
  double sum = 0, value = 0;
  for (std::size_t y = 0; y < labels_; ++y) {
    worker.expected[y] = std::exp(score[y] - highest);
    sum += worker.expected[y];
  }
  const double log_z = highest + std::log(sum);
  for (double& each : worker.expected) each /= sum;
  if (is_one_label(label)) {
    std::ranges::fill(worker.known, 0.0);
    worker.known[label] = 1;
    value = log_z - score[label];
  } else if (label == kAnyLabel) {
    worker.known = worker.expected;
  } else {
    double best = score[set[0]], rest = 0;
    for (const Label y : set) best = std::max(best, score[y]);
    for (const Label y : set) rest += std::exp(score[y] - best);
    const double log_known = best + std::log(rest);
    std::ranges::fill(worker.known, 0.0);
    for (const Label y : set) worker.known[y] = std::exp(score[y] - log_known);
    value = log_z - log_known;
  }
  const double factor =
      labels_ > 1 ? static_cast<double>(labels_) / static_cast<double>(labels_ - 1) : 1.0;
  const std::size_t stride = TreeGradient::stride(width_), positions = data_.positions();
  for (std::size_t y = 0; y < labels_; ++y) {
    const std::size_t at = width_ == 1 ? (y * positions + p) * 2 : p * 2 * stride + y;
    out.state[at] = static_cast<float>(weight * (worker.expected[y] - worker.known[y]));
    out.state[at + stride] =
        static_cast<float>(factor * curvature(weight * worker.expected[y], weight));
  }
  return weight * value;
}

}  // namespace croft
