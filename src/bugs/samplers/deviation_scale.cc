#include "bugs/samplers/deviation_scale.h"

#include <algorithm>
#include <cmath>

#include "bugs/distributions/densities.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/power_law.h"
#include "bugs/samplers/univariate.h"

namespace croft::bugs {
namespace {

class DeviationScale : public Sampler {
 public:
  DeviationScale(const ModelGraph& graph, NodeId id, std::vector<NodeId> members, double power)
      : graph_(graph),
        nodes_(std::move(members)),
        blanket_(graph, nodes_),
        prior_(graph, id),
        id_(id),
        slot_(graph.node(id).first),
        exponent_(-2 / power) {
    for (const NodeId member : nodes_) {
      const Node& node = graph.node(member);
      members_.push_back({node.first, graph.slot_of(node, 0), graph.slot_of(node, 1)});
    }
    nodes_.push_back(id);
  }
  std::string name() const override { return "scale of deviations"; }
  std::span<const NodeId> nodes() const override { return nodes_; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    double& node = values[slot_];
    double squares = 0;  // the move leaves it as it is
    deviations_.resize(members_.size());
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const Member& m = members_[k];
      deviations_[k] = values[m.value] - values[m.mean];
      squares += values[m.precision] * deviations_[k] * deviations_[k];
    }
    if (!(node > 0) || !(squares > 1e-6 * static_cast<double>(members_.size()))) return;
    const double old = node, y = std::log(old);
    blanket_.begin(values);
    const double here =
        prior_.log_density(values, Part::of_value) + y + blanket_.log_likelihood(values);
    if (!std::isfinite(here)) return;
    const auto f = [&](double at) {
      node = at == y ? old : std::exp(at);
      if (!(node > 1e-290 && node < 1e290)) return kNever;
      const double of_prior = prior_.log_density(values, Part::of_value);
      if (!(of_prior > kNever)) return kNever;
      const double s = at == y ? 1 : std::exp((at - y) / exponent_);
      for (std::size_t k = 0; k < members_.size(); ++k)
        values[members_[k].value] = values[members_[k].mean] + s * deviations_[k];
      return of_prior + at + blanket_.evaluate(values);
    };
    steps_.step(y, here, f, random);
    graph_.evaluate(graph_.dependents(id_), values);
  }
  void end_adaptation() override { steps_.end_adaptation(); }
  void archive(StateArchive& state) override { steps_.archive(state); }

 private:
  struct Member {
    Slot value, mean, precision;
  };
  const ModelGraph& graph_;
  std::vector<NodeId> nodes_;
  Blanket blanket_;
  NodeView prior_;
  NodeId id_;
  Slot slot_;
  double exponent_;
  std::vector<Member> members_;
  std::vector<double> deviations_;
  SliceSteps steps_;
};

}  // namespace

std::unique_ptr<Sampler> make_deviation_scale(const ModelGraph& graph, NodeId id) {
  const auto children = graph.children(id);
  if (graph.node(id).count != 1 || children.size() < 2) return nullptr;
  const std::vector<NodeId> members(children.begin(), children.end());
  std::vector<Slot> precisions;
  for (const NodeId c : members) {
    const Node& child = graph.node(c);
    if (child.observed || child.distribution != DistributionId::normal || child.lower != kNothing ||
        child.upper != kNothing)
      return nullptr;
    precisions.push_back(graph.slot_of(child, 1));
  }
  // No member may be in the mean of another, nor in the node's own prior.
  for (const NodeId c : graph.children_of(members)) {
    if (c == id || std::ranges::binary_search(members, c)) return nullptr;
  }
  const auto power = power_of(graph, id, precisions);
  if (!power) return nullptr;
  return std::make_unique<DeviationScale>(graph, id, members, *power);
}

}  // namespace croft::bugs
