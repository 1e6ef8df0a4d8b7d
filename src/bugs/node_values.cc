#include "bugs/node_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bugs/distributions/cumulative.h"

namespace croft::bugs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The parameters' numbers, each beside each other; memory is kept by each thread.
class Gathered {
 public:
  Gathered(const ModelGraph& graph, const Node& node, const double* values) {
    thread_local std::vector<double> numbers;
    thread_local std::vector<Numbers> spans;
    std::size_t count = 0;
    for (const Parameter& p : graph.parameters(node)) count += p.count;
    if (numbers.size() < count) numbers.resize(count);
    spans.clear();
    double* out = numbers.data();
    for (const Parameter& p : graph.parameters(node)) {
      double* const begin = out;
      for (const Slot s : graph.slots_of(p)) *out++ = values[s];
      spans.emplace_back(begin, out);
    }
    parameters_ = spans;
  }
  Parameters parameters() const { return parameters_; }

 private:
  Parameters parameters_;
};

bool truncated(const Node& node) { return node.lower != kNothing || node.upper != kNothing; }

bool is_flat(const Node& node) { return node.distribution == DistributionId::flat; }

Bounds bounds_of(const Node& node, const double* values) {
  return {node.lower == kNothing ? -kInfinity : values[node.lower],
          node.upper == kNothing ? kInfinity : values[node.upper]};
}

}  // namespace

bool fixed_parameters(const ModelGraph& graph, const Node& node) {
  for (const Parameter& p : graph.parameters(node)) {
    for (const Slot s : graph.slots_of(p)) {
      if (!graph.fixed(s)) return false;
    }
  }
  return (node.lower == kNothing || graph.fixed(node.lower)) &&
         (node.upper == kNothing || graph.fixed(node.upper));
}

bool support_moves(const ModelGraph& graph, const Node& node) {
  const auto moves = [&](std::initializer_list<std::size_t> parameters) {
    return std::ranges::any_of(parameters,
                               [&](std::size_t k) { return !graph.fixed(graph.slot_of(node, k)); });
  };
  for (const Slot s : {node.lower, node.upper}) {
    if (s != kNothing && !graph.fixed(s)) return true;
  }
  switch (node.distribution) {
    case DistributionId::uniform:
      return moves({0, 1});
    case DistributionId::pareto:
    case DistributionId::binomial:
    case DistributionId::multinomial:
      return moves({1});
    case DistributionId::beta_binomial:
      return moves({2});
    case DistributionId::hypergeometric:
      return moves({0, 1, 2});
    default:
      return false;
  }
}

Bounds possible_values(const ModelGraph& graph, const Node& node) {
  const auto parameters = graph.parameters(node);
  const double* const initial = graph.initial().data();
  Bounds bounds{-kInfinity, kInfinity};
  switch (node.distribution) {
    case DistributionId::bernoulli:
      bounds = {0, 1};
      break;
    case DistributionId::categorical:
      bounds = {1, static_cast<double>(parameters[0].count)};
      break;
    case DistributionId::interval:
      bounds = {0, static_cast<double>(parameters[1].count)};
      break;
    case DistributionId::ordered_logit:
    case DistributionId::ordered_probit:
      bounds = {1, static_cast<double>(parameters[1].count) + 1};
      break;
    default:
      if (fixed_parameters(graph, node)) {
        bounds = support(node.distribution, Gathered(graph, node, initial).parameters());
      } else if (node.distribution == DistributionId::binomial ||
                 node.distribution == DistributionId::beta_binomial) {
        const Slot size = graph.slot_of(node, parameters.size() - 1);
        if (graph.fixed(size)) bounds = {0, initial[size]};
      }
  }
  if (node.lower != kNothing && graph.fixed(node.lower)) {
    bounds.lower = std::max(bounds.lower, std::ceil(initial[node.lower]));
  }
  if (node.upper != kNothing && graph.fixed(node.upper)) {
    bounds.upper = std::min(bounds.upper, std::floor(initial[node.upper]));
  }
  return bounds;
}

bool can_be_drawn(const ModelGraph& graph, const Node& node, const double* values) {
  const Gathered given(graph, node, values);
  if (!parameters_fit(node.distribution, given.parameters())) return false;
  return !truncated(node) || log_interval_probability(node.distribution, bounds_of(node, values),
                                                      given.parameters()) > -kInfinity;
}

double log_density_of(const ModelGraph& graph, const Node& node, const double* values) {
  const Gathered given(graph, node, values);
  const Numbers own(values + node.first, node.count);
  const double whole = log_density(node.distribution, own, given.parameters());
  if (!truncated(node) || whole == -kInfinity) return whole;
  const Bounds bounds = bounds_of(node, values);
  if (!(own[0] >= bounds.lower && own[0] <= bounds.upper)) return -kInfinity;
  if (is_flat(node)) return whole;  // what it is divided by is a constant
  const double inside = log_interval_probability(node.distribution, bounds, given.parameters());
  return inside == -kInfinity ? -kInfinity : whole - inside;
}

bool draw_node(const ModelGraph& graph, const Node& node, double* values, Random& random) {
  const Gathered given(graph, node, values);
  if (is_flat(node) || !parameters_fit(node.distribution, given.parameters())) return false;
  if (!truncated(node)) {
    draw(node.distribution, given.parameters(), random, std::span(values + node.first, node.count));
    return true;
  }
  const double drawn =
      draw_truncated(node.distribution, bounds_of(node, values), given.parameters(), random);
  if (std::isnan(drawn)) return false;
  values[node.first] = drawn;
  return true;
}

bool set_typical(const ModelGraph& graph, const Node& node, double* values) {
  const Gathered given(graph, node, values);
  if (!parameters_fit(node.distribution, given.parameters())) return false;
  if (!truncated(node)) {
    typical_value(node.distribution, given.parameters(),
                  std::span(values + node.first, node.count));
    return true;
  }
  const Bounds bounds = bounds_of(node, values);
  if (is_flat(node)) {
    const auto [low, high] = bounds;
    values[node.first] = std::isinf(low)    ? high - 1
                         : std::isinf(high) ? low + 1
                                            : low + (high - low) / 2;
    return low < high;
  }
  const double mass = log_interval_probability(node.distribution, bounds, given.parameters());
  if (!(mass > -kInfinity)) return false;
  constexpr double kFar = -20;
  if (mass < kFar || !is_moderate(node.distribution, bounds, given.parameters())) {
    Random one(1);  // any draw of a far tail is near the others
    const double drawn = draw_truncated(node.distribution, bounds, given.parameters(), one);
    if (std::isnan(drawn)) return false;
    values[node.first] = drawn;
    return true;
  }
  // The median of what the bounds leave.
  const double before =
      distribution(node.distribution).discrete ? std::ceil(bounds.lower) - 1 : bounds.lower;
  const double below = cdf(node.distribution, before, given.parameters());
  const double above = complement_cdf(node.distribution, bounds.upper, given.parameters());
  const double half = std::exp(mass) / 2;
  const double median =
      below <= above ? quantile(node.distribution, below + half, given.parameters())
                     : complement_quantile(node.distribution, above + half, given.parameters());
  values[node.first] = std::fmin(std::fmax(median, bounds.lower), bounds.upper);
  return true;
}

}  // namespace croft::bugs
