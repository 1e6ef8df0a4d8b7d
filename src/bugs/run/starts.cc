#include "bugs/run/starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bugs/compile/tables.h"
#include "bugs/distributions.h"
#include "bugs/node_values.h"
#include "bugs/sampler.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/sum_block.h"
#include "core/words/counted.h"
#include "croft/core/interrupt.h"

namespace croft::bugs {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

// The middle 90 % of a prior with fixed parameters.
struct Middle {
  double lower, upper;
};

// Empty for a vague prior: a chain that starts at a draw from it may take long to come back.
std::optional<Middle> informative_middle(const ModelGraph& graph, const Node& node) {
  constexpr double kWide = 12, kManyTimes = 100;
  const Distribution& law = distribution(node.distribution);
  if (law.discrete || !law.has_cdf || law.value != Shape::scalar || node.lower != kNothing ||
      node.upper != kNothing || node.distribution == DistributionId::flat ||
      node.distribution == DistributionId::copied || !fixed_parameters(graph, node))
    return std::nullopt;
  std::vector<Numbers> parameters;
  std::vector<double> numbers;
  for (const Parameter& p : graph.parameters(node))
    for (const Slot s : graph.slots_of(p)) numbers.push_back(graph.initial()[s]);
  for (const Parameter& p : graph.parameters(node)) {
    if (p.count != 1) return std::nullopt;
    parameters.emplace_back(&numbers[parameters.size()], 1);
  }
  if (!parameters_fit(node.distribution, parameters)) return std::nullopt;
  const Middle middle{quantile(node.distribution, 0.05, parameters),
                      quantile(node.distribution, 0.95, parameters)};
  if (!(middle.upper - middle.lower <= kWide)) return std::nullopt;
  const bool of_scale = support(node.distribution, parameters).lower == 0;
  if (of_scale && !(middle.upper <= kManyTimes * middle.lower)) return std::nullopt;
  return middle;
}

class StartSearch {
 public:
  StartSearch(const ModelGraph& graph, const Arrays& inits, Random& random)
      : graph_(graph),
        random_(random),
        values_(graph.initial()),
        given_(graph.nodes(), 0),
        targets_(graph.nodes(), kNowhere),
        sums_(sum_groups(graph)) {
    set_inits(inits);
  }

  Start run(const Spread& spread) {
    for (int attempt = 0; attempt <= kAttempts; ++attempt) {
      fill(kFills[attempt == 0 ? 0 : 1 + attempt % 2]);
      if (!repair()) continue;
      if (spread.chain > 0) go_apart(spread);
      return {std::move(values_), origins()};
    }
    const NodeId id = impossible().front();
    if (given_[id] != 0) {
      throw Error(place_of(graph_.where(id)), ": the initial value ",
                  fmt::format("{}", values_[graph_.node(id).first]),
                  " is impossible with those that it depends on: ", in_quotes(graph_.name(id)));
    }
    const Node& node = graph_.node(id);
    throw Error(place_of(graph_.where(id)), ": no start was found in which ",
                node.observed && node.count == 1
                    ? fmt::format("the observed value {} of ", values_[node.first])
                    : "",
                in_quotes(graph_.name(id)), " is possible for ",
                distribution(node.distribution).name,
                "; give initial values of what it depends on");
  }

 private:
  static constexpr int kAttempts = 40;
  // Which nodes start at a typical value; the others at a draw.
  enum class Typical : std::uint8_t { continuous, roots, all };
  static constexpr Typical kFills[] = {Typical::continuous, Typical::roots, Typical::all};

  void set_inits(const Arrays& inits);
  void fill(Typical typical);
  void set_node(NodeId id, bool typical);
  bool possible(NodeId id) const {
    const double p = log_density_of(graph_, graph_.node(id), values_.data());
    return p > kImpossible;  // false for NaN
  }
  std::vector<NodeId> impossible() const;
  bool repair();
  bool set_targets(const Spread& spread);
  void go_apart(const Spread& spread);
  double log_density() const;
  std::vector<Origin> origins() const;

  const ModelGraph& graph_;
  Random& random_;
  std::vector<double> values_;
  std::vector<std::uint8_t> given_;  // [nodes]
  std::vector<double> targets_;      // [nodes]: where a spread start is; kNowhere: not spread
  double share_ = 0;                 // of the way from the typical value to the target
  const std::vector<SumGroup> sums_;
};

void StartSearch::set_inits(const Arrays& inits) {
  std::vector<std::uint32_t> known(graph_.nodes(), 0);
  for (const auto& [name, array] : inits) {
    const auto fail = [&](const Message& problem) {
      throw Error("initial values of ", in_quotes(name), ": ", problem);
    };
    const auto found = graph_.arrays().find(name);
    if (found == graph_.arrays().end()) continue;  // told by unknown_inits
    const NamedArray& target = found->second;
    if (array.values.size() != target.slots.size()) {
      fail(Message("they are ", array.values.size(), ", and the array has ",
                   counted(target.slots.size(), "element")));
    }
    for (std::size_t k = 0; k < array.values.size(); ++k) {
      if (std::isnan(array.values[k])) continue;
      const Slot slot = target.slots[k];
      const NodeId id = slot == kNothing ? kNothing : graph_.node_of(slot);
      const std::string element = element_name(name, target.dimensions, k);
      if (id == kNothing) fail(Message(element, " is not drawn: no relation with ~ is of it"));
      if (graph_.node(id).observed) fail(Message(element, " is observed: the data has its value"));
      values_[slot] = array.values[k];
      ++known[id];
      given_[id] = 1;
    }
  }
  for (NodeId id = 0; id < graph_.nodes(); ++id) {
    if (known[id] != 0 && known[id] != graph_.node(id).count) {
      throw Error("initial values of ", in_quotes(graph_.name(id)), ": only ",
                  std::to_string(known[id]), " of its ", std::to_string(graph_.node(id).count),
                  " elements have one");
    }
  }
}

void StartSearch::set_node(NodeId id, bool typical) {
  const Node& node = graph_.node(id);
  if (const auto interval = interval_of_censored(graph_, id)) {
    std::vector<std::vector<double>> numbers;
    for (const Parameter& p : graph_.parameters(node)) {
      std::vector<double>& values = numbers.emplace_back();
      for (const Slot s : graph_.slots_of(p)) values.push_back(values_[s]);
    }
    const std::vector<Numbers> parameters(numbers.begin(), numbers.end());
    if (parameters_fit(node.distribution, parameters)) {
      const double x = draw_truncated(node.distribution, *interval, parameters, random_);
      if (!std::isnan(x)) {  // one that rounds to the lower end would be below its cut point
        values_[node.first] = x > interval->lower ? x : std::nextafter(x, INFINITY);
        return;
      }
    }
    // The law has no mass there yet: any value of the interval.
    const auto [lower, upper] = *interval;
    values_[node.first] = std::isinf(lower)   ? upper - std::abs(upper) - 1
                          : std::isinf(upper) ? lower + std::abs(lower) + 1
                                              : lower + (upper - lower) / 2;
    return;
  }
  if (typical || !draw_node(graph_, node, values_.data(), random_))
    set_typical(graph_, node, values_.data());
}

// Everything that is not given, in order.
void StartSearch::fill(Typical typical) {
  for (const Step& step : graph_.forward()) {
    if (!step.is_node) {
      graph_.evaluate(step.id, values_.data());
      continue;
    }
    if (given_[step.id] != 0) continue;
    const Node& node = graph_.node(step.id);
    if (share_ > 0 && !std::isnan(targets_[step.id])) {
      set_typical(graph_, node, values_.data());
      values_[node.first] += share_ * (targets_[step.id] - values_[node.first]);
      continue;
    }
    const bool continuous = !distribution(node.distribution).discrete;
    set_node(step.id, typical == Typical::all || (continuous && (typical == Typical::continuous ||
                                                                 fixed_parameters(graph_, node))));
  }
  for (const SumGroup& group : sums_) meet_sums(graph_, group, given_, values_.data(), random_);
}

// Each spread chain has its own place in a prior's middle, from one end to the other, in an order
// that changes from node to node.  One of three chains starts low and one starts high.
bool StartSearch::set_targets(const Spread& spread) {
  const std::size_t parts = spread.chains - 1;
  bool any = false;
  for (const NodeId id : graph_.sampled()) {
    if (given_[id] != 0) continue;
    const std::optional<Middle> middle = informative_middle(graph_, graph_.node(id));
    if (!middle) continue;
    Random turn(spread.seed ^ ((std::uint64_t{id} + 1) * 0x9E3779B97F4A7C15u));
    const std::size_t turned = (spread.chain + turn.below(parts)) % parts;
    const std::size_t part = turn.below(2) == 0 ? turned : parts - 1 - turned;
    double at = random_.uniform();
    if (parts > 1) {
      at = (static_cast<double>(part) + 0.2 * (at - 0.5)) / static_cast<double>(parts - 1);
      at = std::clamp(at, 0.0, 1.0);
    }
    targets_[id] = middle->lower + at * (middle->upper - middle->lower);
    any = true;
  }
  return any;
}

double StartSearch::log_density() const {
  double sum = 0;
  for (NodeId id = 0; id < graph_.nodes(); ++id) {
    if (graph_.node(id).informative) sum += log_density_of(graph_, graph_.node(id), values_.data());
  }
  return sum;
}

// Moves the start to the targets, or less far where the density falls off or is 0.
void StartSearch::go_apart(const Spread& spread) {
  if (!set_targets(spread)) return;
  constexpr double kLoss = 10;  // of a node's log density: a value 4 or 5 deviations away
  const std::vector<double> typical = values_;
  const double least = log_density() - kLoss * static_cast<double>(graph_.observed().size() +
                                                                   graph_.sampled().size());
  for (share_ = 1; share_ > 0.1; share_ /= 2) {
    end_if_interrupted();
    try {
      fill(Typical::continuous);
      if (log_density() >= least && impossible().empty()) return;
    } catch (const InputError&) {  // a subscript is outside its array there
    }
  }
  values_ = typical;
}

std::vector<Origin> StartSearch::origins() const {
  std::vector<Origin> origins;
  for (NodeId id = 0; id < graph_.nodes(); ++id) {
    const bool root = !distribution(graph_.node(id).distribution).discrete &&
                      fixed_parameters(graph_, graph_.node(id));
    origins.push_back(given_[id] != 0 ? Origin::given : root ? Origin::root : Origin::other);
  }
  return origins;
}

std::vector<NodeId> StartSearch::impossible() const {
  std::vector<NodeId> nodes;
  for (NodeId id = 0; id < graph_.nodes(); ++id) {
    if (graph_.node(id).informative && !possible(id)) nodes.push_back(id);
  }
  return nodes;
}

// Draws anew what impossible nodes depend on, as long as that helps.
bool StartSearch::repair() {
  std::vector<NodeId> faults = impossible();
  if (faults.empty()) return true;
  std::vector<std::vector<NodeId>> movable(graph_.nodes());  // that are not given, by child
  for (const NodeId id : graph_.sampled()) {
    if (given_[id] != 0) continue;
    movable[id].push_back(id);
    for (const NodeId child : graph_.children(id)) movable[child].push_back(id);
  }
  const std::size_t most = 200 + 20 * faults.size();
  for (std::size_t step = 0; step < most && !faults.empty(); ++step) {
    if (interruption) throw Interrupted("interrupted");
    const std::vector<NodeId>& from = movable[faults[random_.below(faults.size())]];
    if (from.empty()) return false;
    const NodeId id = from[random_.below(from.size())];
    const Node& node = graph_.node(id);
    const std::vector<double> before(values_.begin() + node.first,
                                     values_.begin() + node.first + node.count);
    const auto affected = graph_.children(id);
    const auto count = [&] {
      auto sum = static_cast<std::size_t>(!possible(id));
      for (const NodeId child : affected) sum += possible(child) ? 0 : 1;
      return sum;
    };
    const std::size_t were = count();
    set_node(id, random_.below(4) == 0);
    graph_.evaluate(graph_.dependents(id), values_.data());
    const std::size_t are = count();
    if (are > were) {
      std::ranges::copy(before, values_.begin() + node.first);
      graph_.evaluate(graph_.dependents(id), values_.data());
    } else if (are < were) {
      faults = impossible();
    }
  }
  return faults.empty();
}

}  // namespace

std::vector<std::string> unknown_inits(const ModelGraph& graph, const Arrays& inits) {
  std::vector<std::string> names;
  for (const auto& [name, array] : inits) {
    if (!graph.arrays().contains(name)) names.push_back(name);
  }
  return names;
}

Start find_start(const ModelGraph& graph, const Arrays& inits, Random& random,
                 const Spread& spread) {
  return StartSearch(graph, inits, random).run(spread);
}

}  // namespace croft::bugs
