#include "optimize/stochastic/lazy_weights.h"

#include <algorithm>

namespace croft {
namespace {

constexpr double kSmallestDecay = 1e-100;  // then w / P comes near to overflow

}  // namespace

LazyWeights::LazyWeights(const SampleLayout& layout, std::span<double> w, Kind kind)
    : layout_(layout), w_(w), kind_(kind), decay_at_(w.size(), 1.0) {
  if (kind == Kind::averaged) {
    decay_sum_at_.assign(w.size(), 0.0);
    sum_.assign(w.size(), 0.0);
  }
  if (kind == Kind::cumulative_l1) paid_.assign(w.size(), 0.0);
}

void LazyWeights::visit(std::span<const Run> runs) {
  switch (kind_) {
    case Kind::plain:
      for (const Run& run : runs) visit_plain(run);
      break;
    case Kind::averaged:
      for (const Run& run : runs) visit_averaged(run);
      break;
    case Kind::cumulative_l1:
      for (const Run& run : runs) visit_l1(run);
      break;
  }
}

// (SG.4)
void LazyWeights::visit_plain(const Run& run) {
  const double factor = decay_ / decay_at_[run.begin];
  decay_at_[run.begin] = decay_;
  double* w = w_.data() + run.begin;
  for (std::size_t k = 0; k < run.length; ++k) w[k] *= factor;
}

// (SG.4), (SG.7)
void LazyWeights::visit_averaged(const Run& run) {
  const double at = decay_at_[run.begin];
  const double factor = decay_ / at, weight = (decay_sum_ - decay_sum_at_[run.begin]) / at;
  decay_at_[run.begin] = decay_;
  decay_sum_at_[run.begin] = decay_sum_;
  double* w = w_.data() + run.begin;
  double* sum = sum_.data() + run.begin;
  for (std::size_t k = 0; k < run.length; ++k) {
    sum[k] += weight * w[k];
    w[k] *= factor;
  }
}

// (SG.6), on v = w / P, for which the decays do not exist.
void LazyWeights::visit_l1(const Run& run) {
  const double scale = 1 / decay_at_[run.begin];
  decay_at_[run.begin] = decay_;
  double* w = w_.data() + run.begin;
  double* q = paid_.data() + run.begin;
  for (std::size_t k = 0; k < run.length; ++k) {
    const double v = w[k] * scale;
    const double positive = std::max(0.0, v - (penalty_ + q[k]));
    const double negative = std::min(0.0, v + (penalty_ - q[k]));
    const double after = v > 0 ? positive : negative;
    q[k] += after - v;
    w[k] = after * decay_;
  }
}

void LazyWeights::end_step(double decay, double l1_step, bool counts) {
  decay_ *= decay;
  penalty_ += l1_step / decay_;
  if (counts) {
    decay_sum_ += decay_;
    ++count_;
  }
  if (decay_ < kSmallestDecay) settle();
}

void LazyWeights::settle() {
  visit(layout_.runs());
  for (double& q : paid_) q *= decay_;
  penalty_ *= decay_;
  forget_times();
}

void LazyWeights::forget_times() {
  decay_ = 1;
  decay_sum_ = 0;
  std::ranges::fill(decay_at_, 1.0);
  std::ranges::fill(decay_sum_at_, 0.0);
}

void LazyWeights::clear() {
  forget_times();
  penalty_ = 0;
  count_ = 0;
  std::ranges::fill(sum_, 0.0);
  std::ranges::fill(paid_, 0.0);
}

void LazyWeights::discount(double factor) {
  count_ *= factor;
  for (double& s : sum_) s *= factor;
}

void LazyWeights::write_average(std::span<double> out) const {
  const double scale = 1 / count_;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = scale * sum_[i];
}

void LazyWeights::archive(StateArchive& state) { state(penalty_, count_, sum_, paid_); }

}  // namespace croft
