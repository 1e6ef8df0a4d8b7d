#include <algorithm>
#include <cmath>
#include <limits>

#include "bugs/distributions/densities.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/single_site.h"
#include "bugs/samplers/stretch.h"
#include "bugs/samplers/univariate.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;

// A number, its prior, and what depends on it.
class OneNode : public Sampler {
 public:
  OneNode(const ModelGraph& graph, NodeId id)
      : id_(id), slot_(graph.node(id).first), prior_(graph, id), blanket_(graph, {&id_, 1}) {}
  std::span<const NodeId> nodes() const override { return {&id_, 1}; }

 protected:
  const NodeId id_;
  const Slot slot_;
  NodeView prior_;
  Blanket blanket_;
};

class Slice : public OneNode {
 public:
  using OneNode::OneNode;
  std::string name() const override { return "slice"; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    const Parameters parameters = prior_.parameters(values);
    const Bounds limits = prior_.truncation(values);
    Bounds bounds = support(prior_.distribution(), parameters);
    bounds = {std::max(bounds.lower, limits.lower), std::min(bounds.upper, limits.upper)};
    const Stretch stretch(bounds);
    double& x = values[slot_];
    const auto inside = [&](double at) { return bounds.lower < at && at < bounds.upper; };
    if (!inside(x)) {  // a start at an end of the support
      x = std::nextafter(x, x > bounds.lower ? bounds.lower : bounds.upper);
      blanket_.run(values);
    }
    const double old = x, y = stretch.y(x);
    if (!std::isfinite(y)) return;
    blanket_.begin(values);
    const auto prior = [&](double at) {
      return log_density(prior_.distribution(), {&x, 1}, parameters, Part::of_value) +
             stretch.log_slope(at);
    };
    const double here = prior(y) + blanket_.log_likelihood(values);
    const auto f = [&](double at) {
      x = at == y ? old : stretch.x(at);
      // What rounds to an end may have an infinite density there, and would never leave it.
      if (!inside(x)) return kNever;
      const double of_prior = prior(at);
      if (!(of_prior > kNever)) return kNever;
      return of_prior + blanket_.evaluate(values);
    };
    steps_.step(y, here, f, random);
  }
  void end_adaptation() override { steps_.end_adaptation(); }
  void archive(StateArchive& state) override { steps_.archive(state); }

 private:
  SliceSteps steps_;
};

class Finite : public OneNode {
 public:
  using OneNode::OneNode;
  std::string name() const override { return "finite"; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    const Parameters parameters = prior_.parameters(values);
    const Bounds limits = prior_.truncation(values);
    const Bounds range = support(prior_.distribution(), parameters);
    const double low = std::max(range.lower, std::ceil(limits.lower));
    const double high = std::min(range.upper, std::floor(limits.upper));
    double& x = values[slot_];
    weights_.clear();
    double most = kNever;
    blanket_.begin(values);
    for (x = low; x <= high; ++x) {
      double sum = log_density(prior_.distribution(), {&x, 1}, parameters, Part::of_value);
      if (sum > kNever) sum += blanket_.evaluate(values);
      most = std::max(most, sum);
      weights_.push_back(sum);
    }
    double total = 0;
    for (double& w : weights_) total += w = std::exp(w - most);
    double u = random.uniform() * total;
    std::size_t at = 0, last = 0;
    for (; at < weights_.size(); ++at) {
      if (!(weights_[at] > 0)) continue;
      last = at;
      if (u < weights_[at]) break;
      u -= weights_[at];
    }
    x = low + static_cast<double>(at < weights_.size() ? at : last);
    blanket_.run(values);
  }

 private:
  std::vector<double> weights_;
};

// f of the whole number below y, which has length 1: y is uniform in it.
class DiscreteSlice : public OneNode {
 public:
  using OneNode::OneNode;
  std::string name() const override { return "discrete slice"; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    const Parameters parameters = prior_.parameters(values);
    const Bounds limits = prior_.truncation(values);
    double& x = values[slot_];
    blanket_.begin(values);
    const auto prior = [&] {
      if (x < limits.lower || x > limits.upper) return kNever;
      return log_density(prior_.distribution(), {&x, 1}, parameters, Part::of_value);
    };
    const double here = prior() + blanket_.log_likelihood(values);
    const auto f = [&](double y) {
      x = std::floor(y);
      const double of_prior = prior();
      return of_prior > kNever ? of_prior + blanket_.evaluate(values) : kNever;
    };
    steps_.step(x + random.uniform(), here, f, random);
  }
  void end_adaptation() override { steps_.end_adaptation(); }
  void archive(StateArchive& state) override { steps_.archive(state); }

 private:
  SliceSteps steps_;
};

class Censored : public Sampler {
 public:
  Censored(const ModelGraph& graph, NodeId id, Bounds bounds)
      : id_(id),
        slot_(graph.node(id).first),
        prior_(graph, id),
        bounds_(bounds),
        log_bounds_{std::log(std::max(bounds.lower, 0.0)), std::log(std::max(bounds.upper, 0.0))} {}
  std::string name() const override { return "censored"; }
  std::span<const NodeId> nodes() const override { return {&id_, 1}; }
  void update(ChainState& state, Random& random) override {
    const Parameters parameters = prior_.parameters(state.values.data());
    double x = 0;
    if (prior_.distribution() == Id::log_normal) {
      x = std::exp(draw_truncated(Id::normal, log_bounds_, parameters, random));
      x = std::clamp(x, bounds_.lower, bounds_.upper);  // rounding
    } else {
      x = draw_truncated(prior_.distribution(), bounds_, parameters, random);
    }
    // A value that rounds to the lower end would be below its cut point.
    if (std::isfinite(x)) state.values[slot_] = x > bounds_.lower ? x : std::nextafter(x, INFINITY);
  }

 private:
  NodeId id_;
  Slot slot_;
  NodeView prior_;
  Bounds bounds_, log_bounds_;
};

class Copy : public Sampler {
 public:
  Copy(const ModelGraph& graph, NodeId id) : graph_(graph), id_(id) {}
  std::string name() const override { return "cut"; }
  std::span<const NodeId> nodes() const override { return {&id_, 1}; }
  void update(ChainState& state, Random& /*random*/) override {
    const Node& node = graph_.node(id_);
    state.values[node.first] = state.values[graph_.slot_of(node, 0)];
    graph_.evaluate(graph_.dependents(id_), state.values.data());
  }

 private:
  const ModelGraph& graph_;
  NodeId id_;
};

}  // namespace

SamplerPointer make_copy(const ModelGraph& graph, NodeId id) {
  return std::make_unique<Copy>(graph, id);
}

SamplerPointer make_slice(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Distribution& law = distribution(node.distribution);
  if (node.count != 1 || law.discrete || law.value != Shape::scalar) return nullptr;
  return std::make_unique<Slice>(graph, id);
}

SamplerPointer make_finite(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.count != 1 || !distribution(node.distribution).discrete) return nullptr;
  switch (node.distribution) {
    case Id::bernoulli:
      break;
    case Id::categorical:
    case Id::interval:
    case Id::ordered_logit:
    case Id::ordered_probit:
      break;
    case Id::binomial:
    case Id::beta_binomial: {
      const Slot n = graph.slot_of(node, node.distribution == Id::binomial ? 1 : 2);
      if (!graph.fixed(n) || graph.initial()[n] > 100) return nullptr;
      break;
    }
    default:
      return nullptr;
  }
  return std::make_unique<Finite>(graph, id);
}

SamplerPointer make_discrete_slice(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.count != 1 || !distribution(node.distribution).discrete) return nullptr;
  return std::make_unique<DiscreteSlice>(graph, id);
}

SamplerPointer make_censored(const ModelGraph& graph, NodeId id) {
  const auto bounds = interval_of_censored(graph, id);
  return bounds ? std::make_unique<Censored>(graph, id, *bounds) : nullptr;
}

}  // namespace croft::bugs
