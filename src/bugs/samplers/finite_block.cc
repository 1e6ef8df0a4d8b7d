#include <algorithm>
#include <cmath>
#include <vector>

#include "bugs/distributions/densities.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/single_site.h"

namespace croft::bugs {
namespace {

class FiniteBlock : public Sampler {
 public:
  FiniteBlock(const ModelGraph& graph, std::span<const NodeId> nodes)
      : nodes_(nodes.begin(), nodes.end()), blanket_(graph, nodes_, nodes_) {
    for (const NodeId id : nodes_) {
      slots_.push_back(graph.node(id).first);
      laws_.emplace_back(graph, id);
    }
    ranges_.resize(nodes_.size());
  }
  std::string name() const override { return "finite block"; }
  std::span<const NodeId> nodes() const override { return nodes_; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      ranges_[k] = support(laws_[k].distribution(), laws_[k].parameters(values));
      values[slots_[k]] = ranges_[k].lower;
    }
    blanket_.begin(values);
    weights_.clear();
    do {
      weights_.push_back(log_density(values));
    } while (next(values));
    const double most = *std::max_element(weights_.begin(), weights_.end());
    double total = 0;
    for (double& w : weights_) total += w = std::exp(w - most);
    // After the last state the nodes are back at the first one.
    double left = random.uniform() * total;
    std::size_t chosen = 0;
    for (std::size_t at = 0; at < weights_.size(); ++at) {
      if (!(weights_[at] > 0)) continue;
      chosen = at;
      if (left < weights_[at]) break;
      left -= weights_[at];
    }
    for (std::size_t at = 0; at < chosen; ++at) next(values);
    blanket_.run(values);
  }

 private:
  double log_density(double* values) {
    blanket_.run(values);  // a node's law may depend on another one
    double sum = 0;
    for (NodeView& law : laws_) {
      sum += law.log_density(values, Part::whole);
      if (!(sum > kNever)) return kNever;
    }
    return sum + blanket_.log_likelihood(values);
  }
  // The state after this one, the first node fastest; false after the last.
  bool next(double* values) {
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      if (++values[slots_[k]] <= ranges_[k].upper) return true;
      values[slots_[k]] = ranges_[k].lower;
    }
    return false;
  }

  std::vector<NodeId> nodes_;
  std::vector<Slot> slots_;
  std::vector<NodeView> laws_;
  Blanket blanket_;
  std::vector<Bounds> ranges_;
  std::vector<double> weights_;  // [joint states]
};

}  // namespace

SamplerPointer make_finite_block(const ModelGraph& graph, std::span<const NodeId> nodes) {
  constexpr double kMostStates = 64;  // a joint draw costs a value of the density for each
  double states = 1;
  for (const NodeId id : nodes) {
    if (make_finite(graph, id) == nullptr) return nullptr;
    std::vector<std::vector<double>> numbers;
    for (const Parameter& p : graph.parameters(graph.node(id))) {
      std::vector<double>& values = numbers.emplace_back();
      for (const Slot s : graph.slots_of(p)) values.push_back(graph.initial()[s]);
    }
    const Bounds range =
        support(graph.node(id).distribution, std::vector<Numbers>(numbers.begin(), numbers.end()));
    states *= range.upper - range.lower + 1;
    if (!(states <= kMostStates)) return nullptr;
  }
  return nodes.size() < 2 ? nullptr : std::make_unique<FiniteBlock>(graph, nodes);
}

}  // namespace croft::bugs
