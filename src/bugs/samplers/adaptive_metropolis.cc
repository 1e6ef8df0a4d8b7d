#include "bugs/samplers/adaptive_metropolis.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bugs/distributions/densities.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/stretch.h"
#include "bugs/samplers/univariate.h"

namespace croft::bugs {
namespace {

constexpr double kAcceptance = 0.3;
constexpr double kWarm = 100;  // states before their covariance is used
constexpr int kTries = 3;      // for one update

// Mean and covariance of the states so far; at first the way from the start counts, and is
// forgotten later.
class RunningCovariance {
 public:
  explicit RunningCovariance(std::size_t size)
      : mean_(size), squares_(size * size), change_(size) {}

  void add(std::span<const double> y) {
    count_ += 1;
    if (count_ == kWarm || count_ == 4 * kWarm) {
      for (double& each : squares_) each *= 10 / weight_;
      weight_ = 10;
    }
    weight_ += 1;
    const std::size_t n = mean_.size();
    for (std::size_t i = 0; i < n; ++i) {
      change_[i] = y[i] - mean_[i];
      mean_[i] += change_[i] / weight_;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) squares_[i * n + j] += change_[i] * (y[j] - mean_[j]);
    }
  }
  double count() const { return count_; }

  // The lower triangle L with S = L L'; false where S is singular.
  bool factor(std::vector<double>& l) const {
    const std::size_t n = mean_.size();
    l.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = squares_[i * n + j] / weight_;
        if (i == j) sum *= 1 + 1e-9;
        for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
        if (i == j && !(sum > 1e-200)) return false;
        l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
      }
    }
    return true;
  }
  void archive(StateArchive& state) {
    state(count_), state(weight_), state(mean_), state(squares_);
  }

 private:
  double count_ = 0, weight_ = 0;
  std::vector<double> mean_, squares_, change_;  // squares: lower triangle, row by row
};

class AdaptiveMetropolis : public Sampler {
 public:
  AdaptiveMetropolis(const ModelGraph& graph, std::span<const NodeId> nodes)
      : nodes_(nodes.begin(), nodes.end()),
        blanket_(graph, nodes_),
        covariance_(nodes_.size()),
        log_scale_(std::log(2.38 / std::sqrt(static_cast<double>(nodes_.size())))) {
    for (const NodeId id : nodes_) {
      slots_.push_back(graph.node(id).first);
      priors_.emplace_back(graph, id);
    }
  }
  std::string name() const override { return "adaptive Metropolis block"; }
  std::span<const NodeId> nodes() const override { return nodes_; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    if (!stretch(values)) return;
    if (adapting_) learn();
    if (!ready_) return;
    blanket_.begin(values);
    double here = log_prior(values) + blanket_.evaluate(values);
    for (int attempt = 0; attempt < kTries; ++attempt) here = attempt_move(values, here, random);
  }
  void end_adaptation() override { adapting_ = false; }
  void archive(StateArchive& state) override {
    covariance_.archive(state);
    state(factor_), state(log_scale_), state(tries_), state(adapting_), state(ready_);
  }

 private:
  // y of the present values; false at an end of a support.
  bool stretch(const double* values) {
    stretches_.clear();
    bounds_.clear();
    y_.clear();
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      const Bounds limits = priors_[k].truncation(values);
      const Bounds range = support(priors_[k].distribution(), priors_[k].parameters(values));
      bounds_.push_back({std::max(range.lower, limits.lower), std::min(range.upper, limits.upper)});
      stretches_.emplace_back(bounds_[k]);
      y_.push_back(stretches_[k].y(values[slots_[k]]));
      if (!std::isfinite(y_[k])) return false;
    }
    return true;
  }

  void learn() {
    covariance_.add(y_);
    const double count = covariance_.count();
    // Seldom: a factor costs more than a state.
    if (count >= kWarm && std::fmod(count, kWarm / 4) == 0) ready_ = covariance_.factor(factor_);
  }

  double log_prior(const double* values) {
    double sum = 0;
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      sum += priors_[k].log_density(values, Part::of_value) + stretches_[k].log_slope(y_[k]);
    }
    return sum;
  }

  // Returns ln p of what it leaves, from that of what it found.
  double attempt_move(double* values, double here, Random& random) {
    const std::size_t n = slots_.size();
    old_y_ = y_;
    old_values_.clear();
    for (const Slot slot : slots_) old_values_.push_back(values[slot]);
    normals_.clear();
    for (std::size_t k = 0; k < n; ++k) normals_.push_back(random.normal());
    const double scale = std::exp(log_scale_);
    bool inside = true;
    for (std::size_t i = 0; i < n; ++i) {
      double step = 0;
      for (std::size_t j = 0; j <= i; ++j) step += factor_[i * n + j] * normals_[j];
      y_[i] += scale * step;
      const double x = stretches_[i].x(y_[i]);
      values[slots_[i]] = x;
      // What rounds to an end of the support may have an infinite density there.
      inside = inside && bounds_[i].lower < x && x < bounds_[i].upper;
    }
    double there = inside ? log_prior(values) : kNever;
    if (there > kNever) there += blanket_.evaluate(values);
    const double chance = there > kNever ? std::exp(std::min(0.0, there - here)) : 0;
    const bool moves = random.uniform() < chance;
    if (adapting_) {
      tries_ += 1;
      log_scale_ += (chance - kAcceptance) / std::pow(1 + tries_, 0.6);
    }
    if (moves) return there;
    y_ = old_y_;
    for (std::size_t k = 0; k < n; ++k) values[slots_[k]] = old_values_[k];
    blanket_.run(values);
    return here;
  }

  std::vector<NodeId> nodes_;
  std::vector<Slot> slots_;
  std::vector<NodeView> priors_;
  Blanket blanket_;
  RunningCovariance covariance_;
  std::vector<double> factor_;
  double log_scale_, tries_ = 0;
  bool adapting_ = true, ready_ = false;
  std::vector<Stretch> stretches_;  // scratch
  std::vector<Bounds> bounds_;
  std::vector<double> y_, old_y_, old_values_, normals_;
};

}  // namespace

std::unique_ptr<Sampler> make_adaptive_metropolis(const ModelGraph& graph,
                                                  std::span<const NodeId> nodes) {
  if (nodes.size() < 2) return nullptr;
  for (const NodeId id : nodes) {
    const Distribution& law = distribution(graph.node(id).distribution);
    if (graph.node(id).count != 1 || law.discrete || law.value != Shape::scalar) return nullptr;
  }
  for (const NodeId child : graph.children_of(nodes)) {
    if (std::find(nodes.begin(), nodes.end(), child) != nodes.end()) return nullptr;
  }
  return std::make_unique<AdaptiveMetropolis>(graph, nodes);
}

}  // namespace croft::bugs
