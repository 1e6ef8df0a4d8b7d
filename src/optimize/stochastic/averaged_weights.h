// Weights that are moved sample by sample, and their average over all samples without extra work.
//
//   average = w - u / T,   u = sum_c (c - 1) delta_c                                       (SG.21)
//
// where delta_c is the update at sample c of T, counted from 1: it is part of T - c + 1 weights.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "core/exact_sum.h"
#include "croft/core/matrix.h"
#include "croft/core/state_archive.h"
#include "croft/optimize/sparse_vector.h"

namespace croft {

class AveragedWeights {
 public:
  // w is the average after publish(), or where that is not asked for, the weights all along.
  AveragedWeights(std::span<double> w, bool average)
      : w_(w),
        own_(average ? AlignedVector<double>(w.begin(), w.end()) : AlignedVector<double>()),
        x_(average ? std::span(own_) : w),
        weighted_(own_.size()) {}

  std::span<const double> current() const { return x_; }

  // current += scale * change, at the sample that is under way.
  void add(double scale, const SparseVector& change) {
    for (const auto& [k, d] : change.entries()) x_[k] += scale * d;
    if (weighted_.empty()) return;
    const double weight = samples_ * scale;
    for (const auto& [k, d] : change.entries()) weighted_[k] += weight * d;
  }
  void end_sample() { ++samples_; }
  //   to_come : samples at which the weights will stay as they are; the average has them, too
  void publish(double to_come = 0) {
    if (weighted_.empty()) return;
    const double scale = 1 / (samples_ + to_come);
    for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = x_[i] - scale * weighted_[i];
  }

  // Between two samples: the weights, and the average, of processes that learn side by side become
  // their means (McDonald, Hall & Mann 2010).  To the average the weights' way there is one update.
  //   w is then published
  void mix(Ranks& ranks, double to_come) {
    if (ranks.alone()) return publish(to_come);
    const AlignedVector<double> before(x_.begin(), x_.end());
    mean_of_all(ranks, x_);
    for (std::size_t i = 0; i < weighted_.size(); ++i) {
      weighted_[i] += samples_ * (x_[i] - before[i]);
    }
    if (weighted_.empty()) return;
    if (samples_ + to_come > 0) {
      publish(to_come);
    } else {
      std::ranges::copy(x_, w_.begin());  // of a process without samples
    }
    mean_of_all(ranks, w_);
  }

  // All but w.
  void archive(StateArchive& state) { state(std::span(own_), std::span(weighted_), samples_); }

 private:
  std::span<double> w_;
  AlignedVector<double> own_;     // the weights, where w is an average
  std::span<double> x_;           // the weights: own_ or w
  std::vector<double> weighted_;  // u
  double samples_ = 0;            // that have ended: c - 1
};

}  // namespace croft
