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
      : graph_(graph), nodes_(nodes.begin(), nodes.end()), blanket_(graph, nodes_, nodes_) {
    for (const NodeId id : nodes_) {
      slots_.push_back(graph.node(id).first);
      laws_.emplace_back(graph, id);
    }
    ranges_.resize(nodes_.size());
    of_laws_.resize(nodes_.size());
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const std::span<const NodeId> changed(nodes_.data(), k + 1);
      Changes& level = levels_.emplace_back();
      level.operations = graph.dependents_of(changed);
      const std::vector<NodeId> children = graph.children_of(changed);
      for (std::size_t j = 0; j < nodes_.size(); ++j) {
        if (j <= k || std::find(children.begin(), children.end(), nodes_[j]) != children.end()) {
          level.laws.push_back(j);
        }
      }
    }
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
    std::size_t level = levels_.size() - 1;  // all are new
    do {
      weights_.push_back(log_density(values, levels_[level]));
      level = next(values);
    } while (level < levels_.size());
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
  // What moves when the first nodes do: operations, and laws by their place.
  struct Changes {
    std::vector<OperationId> operations;
    std::vector<std::size_t> laws;
  };

  double log_density(double* values, const Changes& changes) {
    graph_.evaluate(changes.operations, values);
    for (const std::size_t k : changes.laws) {
      of_laws_[k] = laws_[k].log_density(values, Part::whole);
    }
    double sum = 0;
    for (const double each : of_laws_) sum += each;
    return sum > kNever ? sum + blanket_.log_likelihood(values) : kNever;
  }
  // The state after this one, the first node fastest: the last node that it changes.  After the
  // last state it is the first one again, and the answer their number.
  std::size_t next(double* values) {
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      if (++values[slots_[k]] <= ranges_[k].upper) return k;
      values[slots_[k]] = ranges_[k].lower;
    }
    return slots_.size();
  }

  const ModelGraph& graph_;
  std::vector<NodeId> nodes_;
  std::vector<Slot> slots_;
  std::vector<NodeView> laws_;
  Blanket blanket_;
  std::vector<Bounds> ranges_;
  std::vector<Changes> levels_;  // [nodes]
  std::vector<double> of_laws_;  // [nodes] ln p
  std::vector<double> weights_;  // [joint states]
};

}  // namespace

SamplerPointer make_finite_block(const ModelGraph& graph, std::span<const NodeId> nodes) {
  constexpr double kMostStates = 12;  // a joint draw costs a value of the density for each
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
