#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "bugs/node_values.h"
#include "bugs/samplers/single_site.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;

// The change of all numbers that exchanges two labels of the classes: what is picked by one class
// and what is picked by the other, and the classes themselves.
class Exchange {
 public:
  // classes : by slot, whether a class is there
  Exchange(const ModelGraph& graph, const std::vector<NodeId>& nodes,
           const std::vector<std::uint8_t>& classes, double a, double b)
      : graph_(graph), classes_(classes), a_(a), b_(b) {
    for (const NodeId id : nodes) {
      end_if_interrupted();
      fits_ = fits_ && add_law(graph.node(id));
    }
    for (const OperationId o : graph.dependents_of(nodes)) {
      end_if_interrupted();
      fits_ = fits_ && add_pick(graph.operation(o));
    }
  }
  // Pairs of slots whose numbers change places.  Empty where the model does not fit.
  std::vector<std::pair<Slot, Slot>> pairs() const {
    std::vector<std::pair<Slot, Slot>> pairs;
    if (!fits_ || !picks_) return pairs;
    for (const auto& [s, t] : image_)
      if (s < t) pairs.emplace_back(s, t);
    return pairs;
  }
  // Probabilities of class 1 of two: p becomes 1 - p.
  const std::set<Slot>& complements() const { return complements_; }

 private:
  std::size_t moved(std::size_t label) const {
    const auto x = static_cast<double>(label);
    return static_cast<std::size_t>(x == a_ ? b_ : x == b_ ? a_ : x);
  }

  // Probabilities of the classes change places; where a class picks them, so do their rows.
  bool add_law(const Node& node) {
    if (node.distribution == Id::bernoulli) {
      const Slot p = graph_.slot_of(node, 0);
      if (graph_.node_of(p) != kNothing && !graph_.fixed(p)) complements_.insert(p);
      return true;
    }
    const auto p = graph_.slots_of(graph_.parameters(node)[0]);
    const OperationId o = graph_.operation_of(p[0]);
    if (o != kNothing && graph_.operation(o).function == Function::pick &&
        graph_.operation(o).out == p[0] && graph_.operation(o).outputs == p.size()) {
      rows_.insert(o);
      return add_pick(graph_.operation(o));
    }
    for (std::size_t k = 0; k < p.size(); ++k)
      if (!change(p[k], p[moved(k + 1) - 1])) return false;
    return true;
  }

  bool add_pick(const Operation& o) {
    if (o.function != Function::pick) return true;
    const auto arguments = graph_.arguments(o);
    const auto table = arguments.subspan(std::size_t{2} * o.aux);
    const bool of_law = rows_.contains(graph_.operation_of(o.out));
    for (std::size_t at = 0; at < table.size(); ++at) {
      const std::size_t m = at % o.outputs, to_m = of_law ? moved(m + 1) - 1 : m;
      std::size_t rest = at / o.outputs, to = 0, stride = 1;
      for (std::size_t d = 0; d < o.aux; ++d) {
        const auto extent = static_cast<std::size_t>(graph_.initial()[arguments[o.aux + d]]);
        const std::size_t subscript = rest % extent;
        const auto offset = offset_of(arguments[d]);
        picks_ = picks_ || offset;
        const std::size_t image = offset && subscript + 1 >= *offset
                                      ? moved(subscript + 1 - *offset) + *offset - 1
                                      : subscript;
        if (image >= extent) return false;
        to += image * stride;
        rest /= extent;
        stride *= extent;
      }
      if (!change(table[at], table[to * o.outputs + to_m])) return false;
    }
    return true;
  }

  // The offset of a subscript z or z + 1 from its class: 0 or 1.
  std::optional<std::size_t> offset_of(Slot subscript) const {
    if (classes_[subscript] != 0) return 0;
    const OperationId id = graph_.operation_of(subscript);
    if (id == kNothing || graph_.operation(id).function != Function::add) return std::nullopt;
    const Operation& o = graph_.operation(id);
    const Slot z = classes_[o.a] != 0 ? o.a : o.b, added = z == o.a ? o.b : o.a;
    if (classes_[z] == 0 || !graph_.fixed(added) || !(graph_.initial()[added] >= 0))
      return std::nullopt;
    return static_cast<std::size_t>(graph_.initial()[added]);
  }

  // s gets what t has.  Numbers that are computed follow from what they are computed of; constants
  // and data stay.
  bool change(Slot s, Slot t) {
    if (s == t || (graph_.fixed(s) && graph_.fixed(t))) return true;
    if (graph_.node_of(s) != kNothing && graph_.node_of(t) != kNothing) {
      if (graph_.fixed(s) || graph_.fixed(t) || classes_[s] != 0 || classes_[t] != 0) return false;
      return image_.emplace(s, t).first->second == t;
    }
    const OperationId of_s = graph_.operation_of(s), of_t = graph_.operation_of(t);
    if (of_s == kNothing || of_t == kNothing) return false;
    const Operation &o = graph_.operation(of_s), &q = graph_.operation(of_t);
    if (o.function != q.function || o.aux != q.aux || o.count != q.count || s - o.out != t - q.out)
      return false;
    for (std::uint32_t k = 0; k < o.count; ++k)
      if (!change(graph_.arguments(o)[k], graph_.arguments(q)[k])) return false;
    return true;
  }

  const ModelGraph& graph_;
  const std::vector<std::uint8_t>& classes_;
  double a_, b_;
  bool fits_ = true, picks_ = false;
  std::set<OperationId> rows_;  // that pick the law of a class
  std::set<Slot> complements_;
  std::map<Slot, Slot> image_;
};

class Relabel : public Sampler {
 public:
  Relabel(const ModelGraph& graph, std::span<const NodeId> classes, double first, double last)
      : graph_(graph), nodes_(classes.begin(), classes.end()) {
    std::vector<std::uint8_t> is_class(graph.slots());
    for (const NodeId id : nodes_) is_class[graph.node(id).first] = 1;
    std::vector<NodeId> moved = nodes_;
    for (double a = first; a < last; ++a) {
      for (double b = a + 1; b <= last; ++b) {
        const Exchange exchange(graph, nodes_, is_class, a, b);
        Labels labels{a, b, exchange.pairs(), exchange.complements()};
        if (labels.pairs.empty()) continue;
        for (const auto& [s, t] : labels.pairs)
          moved.insert(moved.end(), {graph.node_of(s), graph.node_of(t)});
        for (const Slot s : labels.complements) moved.push_back(graph.node_of(s));
        exchanges_.push_back(std::move(labels));
      }
    }
    std::ranges::sort(moved);
    moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
    operations_ = graph.dependents_of(moved);
    touched_ = graph.children_of(moved);
    touched_.insert(touched_.end(), moved.begin(), moved.end());
    std::ranges::sort(touched_);
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  }
  bool fits() const { return !exchanges_.empty(); }
  std::string name() const override { return "labels of classes"; }
  std::span<const NodeId> nodes() const override { return nodes_; }

  // Metropolis steps: all exchanges in the burn-in, then one of them at random.
  void update(ChainState& state, Random& random) override {
    if (++updates_ % every_ != 0) return;
    double here = log_density(state.values);
    if (adapting_) {
      for (const Labels& labels : exchanges_) attempt(labels, state.values, &here, random);
    } else {
      attempt(exchanges_[random.below(exchanges_.size())], state.values, &here, random);
    }
  }
  void end_adaptation() override {
    adapting_ = false;
    if (chances_ > kOften * tries_) every_ = 1;
  }
  void archive(StateArchive& state) override {
    state(adapting_), state(updates_), state(every_), state(chances_), state(tries_);
  }

 private:
  static constexpr int kSeldom = 10;       // updates: an exchange costs a value of the density
  static constexpr double kOften = 0.02;   // of exchanges are made: it is tried in each update
  static constexpr double kAlike = 1e-10;  // relative: what rounding leaves of equal densities
  struct Labels {
    double a, b;
    std::vector<std::pair<Slot, Slot>> pairs;
    std::set<Slot> complements;
  };

  // An exchange that changes nothing is never made: initial values say which class is which.  The
  // rule is the same from both sides, so it leaves the posterior as it is.
  void attempt(const Labels& labels, std::vector<double>& values, double* here, Random& random) {
    old_ = values;
    exchange(labels, values);
    const double there = log_density(values), gain = there - *here;
    const bool alike = std::fabs(gain) <= kAlike * (1 + std::fabs(there) + std::fabs(*here));
    const double chance = alike || std::isnan(gain) ? 0 : std::exp(std::min(0.0, gain));
    if (adapting_) chances_ += chance, tries_ += 1;
    if (random.uniform() < chance) {
      *here = there;
    } else {
      values = old_;
    }
  }

  void exchange(const Labels& labels, std::vector<double>& values) const {
    for (const auto& [s, t] : labels.pairs) std::swap(values[s], values[t]);
    for (const Slot s : labels.complements) values[s] = 1 - values[s];
    for (const NodeId id : nodes_) {
      double& z = values[graph_.node(id).first];
      z = z == labels.a ? labels.b : z == labels.b ? labels.a : z;
    }
    graph_.evaluate(operations_, values.data());
  }
  double log_density(const std::vector<double>& values) const {
    double sum = 0;
    for (const NodeId id : touched_) sum += log_density_of(graph_, graph_.node(id), values.data());
    return std::isnan(sum) ? -INFINITY : sum;
  }

  const ModelGraph& graph_;
  std::vector<NodeId> nodes_, touched_;
  std::vector<double> old_;
  std::vector<OperationId> operations_;
  std::vector<Labels> exchanges_;
  bool adapting_ = true;
  int updates_ = 0, every_ = kSeldom;
  double chances_ = 0, tries_ = 0;  // in the burn-in
};

}  // namespace

SamplerPointer make_relabel(const ModelGraph& graph, std::span<const NodeId> classes) {
  constexpr double kMostLabels = 6;  // exchanges: 15
  const auto last_of = [&](NodeId id) {
    const Node& node = graph.node(id);
    if (node.distribution == Id::bernoulli) return 1.0;
    return node.distribution == Id::categorical ? graph.parameters(node)[0].count : 0.0;
  };
  const double last = last_of(classes[0]);
  if (!(last >= 1 && last <= kMostLabels) ||
      !std::ranges::all_of(classes, [&](NodeId id) { return last_of(id) == last; }))
    return nullptr;
  const double first = graph.node(classes[0]).distribution == Id::bernoulli ? 0 : 1;
  auto move = std::make_unique<Relabel>(graph, classes, first, last);
  return move->fits() ? std::move(move) : nullptr;
}

}  // namespace croft::bugs
