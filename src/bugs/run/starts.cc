#include "bugs/run/starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bugs/compile/tables.h"
#include "bugs/distributions.h"
#include "bugs/node_values.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/sum_block.h"
#include "core/words/counted.h"
#include "croft/core/interrupt.h"

namespace croft::bugs {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

class StartSearch {
 public:
  StartSearch(const ModelGraph& graph, const Arrays& inits, Random& random)
      : graph_(graph),
        random_(random),
        values_(graph.initial()),
        given_(graph.nodes(), 0),
        sums_(sum_groups(graph)) {
    set_inits(inits);
  }

  Start run() {
    for (int attempt = 0; attempt <= kAttempts; ++attempt) {
      fill(kFills[attempt == 0 ? 0 : 1 + attempt % 2]);
      if (repair()) return {std::move(values_), origins()};
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
  std::vector<Origin> origins() const;

  const ModelGraph& graph_;
  Random& random_;
  std::vector<double> values_;
  std::vector<std::uint8_t> given_;  // [nodes]
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
    const bool continuous = !distribution(node.distribution).discrete;
    set_node(step.id, typical == Typical::all || (continuous && (typical == Typical::continuous ||
                                                                 fixed_parameters(graph_, node))));
  }
  for (const SumGroup& group : sums_) meet_sums(graph_, group, given_, values_.data(), random_);
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

Start find_start(const ModelGraph& graph, const Arrays& inits, Random& random) {
  return StartSearch(graph, inits, random).run();
}

}  // namespace croft::bugs
