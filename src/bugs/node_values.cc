#include "bugs/node_values.h"

#include <cmath>
#include <limits>
#include <vector>

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
  // The median of what the bounds leave.
  const double below = cdf(node.distribution, bounds.lower, given.parameters());
  const double above = complement_cdf(node.distribution, bounds.upper, given.parameters());
  const double inside = 1 - below - above;
  if (!(inside > 0)) return false;
  const double median =
      below <= above
          ? quantile(node.distribution, below + inside / 2, given.parameters())
          : complement_quantile(node.distribution, above + inside / 2, given.parameters());
  values[node.first] = std::fmin(std::fmax(median, bounds.lower), bounds.upper);
  return true;
}

}  // namespace croft::bugs
