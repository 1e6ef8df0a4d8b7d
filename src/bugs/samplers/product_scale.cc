#include "bugs/samplers/product_scale.h"

#include <algorithm>
#include <cmath>

#include "bugs/distributions/densities.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/univariate.h"

namespace croft::bugs {
namespace {

class ProductScale : public Sampler {
 public:
  ProductScale(const ModelGraph& graph, std::vector<NodeId> scales, std::vector<NodeId> scaled)
      : nodes_(std::move(scales)), scales_(nodes_.size()) {
    nodes_.insert(nodes_.end(), scaled.begin(), scaled.end());
    for (const NodeId id : nodes_) {
      slots_.push_back(graph.node(id).first);
      if (priors_.size() < scales_) {
        priors_.emplace_back(graph, id);
      } else {
        means_.push_back(graph.slot_of(graph.node(id), 0));
        precisions_.push_back(graph.slot_of(graph.node(id), 1));
      }
    }
  }
  std::string name() const override { return "scale of products"; }
  std::span<const NodeId> nodes() const override { return nodes_; }

  // With t = e^u:  f(u) = sum over S of ln p(s e^u) + |S| u + sum over B of ln p(b e^-u) - |B| u.
  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    double squares = 0, products = 0;  // of B's normal priors
    for (std::size_t k = scales_; k < slots_.size(); ++k) {
      const double b = values[slots_[k]], tau = values[precisions_[k - scales_]];
      squares += tau * b * b;
      products += tau * b * values[means_[k - scales_]];
    }
    old_.clear();
    for (std::size_t k = 0; k < scales_; ++k) old_.push_back(values[slots_[k]]);
    const double y = std::log(std::fabs(old_[0]));
    const double powers = static_cast<double>(scales_) - static_cast<double>(means_.size());
    double t = 1;
    // Where B has not left 0 there is nothing to hold t: neither from there nor to there.
    const double least = 1e-6 * static_cast<double>(means_.size());
    if (!std::isfinite(y) || !(squares > least)) return;
    const auto f = [&](double at) {
      const double u = at - y;
      t = at == y ? 1 : std::exp(u);
      if (!(t > 1e-100 && squares / (t * t) > least)) return kNever;
      double sum = powers * u - 0.5 * squares / (t * t) + products / t;
      for (std::size_t k = 0; k < scales_; ++k) {
        values[slots_[k]] = old_[k] * t;
        sum += priors_[k].log_density(values, Part::of_value);
      }
      return std::isnan(sum) ? kNever : sum;
    };
    const double here = f(y);
    if (!std::isfinite(here)) return;
    steps_.step(y, here, f, random);
    // The products are what they were, and so is everything after them.
    for (std::size_t k = scales_; k < slots_.size(); ++k) values[slots_[k]] /= t;
  }
  void end_adaptation() override { steps_.end_adaptation(); }
  void archive(StateArchive& state) override { steps_.archive(state); }

 private:
  std::vector<NodeId> nodes_;  // S, then B
  std::size_t scales_;
  std::vector<Slot> slots_, means_, precisions_;
  std::vector<NodeView> priors_;  // of S
  std::vector<double> old_;
  SliceSteps steps_;
};

// What a node is multiplied with, where that is all that happens to it; empty otherwise.
std::set<NodeId> partners(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Slot s = node.first;
  std::set<NodeId> found;
  if (node.count != 1 || graph.dependents(id).empty()) return {};
  for (const NodeId c : graph.children(id)) {
    const Node& child = graph.node(c);
    for (const Parameter& p : graph.parameters(child)) {
      const auto slots = graph.slots_of(p);
      if (std::find(slots.begin(), slots.end(), s) != slots.end()) return {};
    }
    if (child.lower == s || child.upper == s) return {};
  }
  for (const OperationId k : graph.dependents(id)) {
    const Operation& o = graph.operation(k);
    const auto arguments = graph.arguments(o);
    if (std::find(arguments.begin(), arguments.end(), s) == arguments.end()) continue;
    if (o.function != Function::multiply && o.function != Function::inner_product) return {};
    for (std::size_t a = 0; a + 1 < arguments.size(); a += 2) {
      if (arguments[a] != s && arguments[a + 1] != s) continue;
      const NodeId other = graph.node_of(arguments[a] == s ? arguments[a + 1] : arguments[a]);
      if (other == kNothing || other == id || graph.node(other).observed) return {};
      found.insert(other);
    }
  }
  return found;
}

}  // namespace

std::unique_ptr<Sampler> make_product_scale(const ModelGraph& graph, NodeId id,
                                            std::set<NodeId>& seen) {
  std::set<NodeId> scales = {id}, scaled;
  for (std::size_t before = 0; before != scales.size() + scaled.size();) {
    before = scales.size() + scaled.size();
    for (const NodeId s : std::set<NodeId>(scales)) {
      const std::set<NodeId> with = partners(graph, s);
      if (with.empty()) return nullptr;
      scaled.insert(with.begin(), with.end());
    }
    for (const NodeId b : std::set<NodeId>(scaled)) {
      const std::set<NodeId> with = partners(graph, b);
      if (with.empty()) return nullptr;
      scales.insert(with.begin(), with.end());
    }
  }
  if (scaled.size() < 2) return nullptr;
  const auto stands_alone = [&](NodeId n) {  // its prior does not depend on what is scaled
    for (const NodeId c : graph.children(n))
      if (scales.contains(c) || scaled.contains(c)) return false;
    return !(scales.contains(n) && scaled.contains(n));
  };
  for (const NodeId s : scales) {
    const Distribution& law = distribution(graph.node(s).distribution);
    if (!stands_alone(s) || law.discrete || law.value != Shape::scalar) return nullptr;
  }
  for (const NodeId b : scaled) {
    const Node& node = graph.node(b);
    if (!stands_alone(b) || node.distribution != DistributionId::normal || node.lower != kNothing ||
        node.upper != kNothing)
      return nullptr;
  }
  seen.insert(scales.begin(), scales.end());
  seen.insert(scaled.begin(), scaled.end());
  return std::make_unique<ProductScale>(graph, std::vector<NodeId>(scales.begin(), scales.end()),
                                        std::vector<NodeId>(scaled.begin(), scaled.end()));
}

}  // namespace croft::bugs
