#include "bugs/samplers/blanket.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "bugs/distributions/densities.h"
#include "bugs/samplers/response_kernels.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

bool scalar_parameters(const ModelGraph& graph, const Node& node) {
  if (node.count != 1 || node.parameters > 3) return false;
  if (node.distribution == Id::interval || node.distribution == Id::normal_mixture ||
      node.distribution == Id::sum)
    return false;
  for (const Parameter& p : graph.parameters(node)) {
    if (p.count != 1) return false;
  }
  return node.distribution != Id::categorical;
}

}  // namespace

NodeView::NodeView(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  distribution_ = node.distribution;
  first_ = node.first;
  count_ = node.count;
  lower_ = node.lower;
  upper_ = node.upper;
  for (const Parameter& p : graph.parameters(node)) {
    const auto slots = graph.slots_of(p);
    slots_.insert(slots_.end(), slots.begin(), slots.end());
    views_.emplace_back(static_cast<const double*>(nullptr), slots.size());
  }
  numbers_.resize(slots_.size());
}

Parameters NodeView::parameters(const double* values) {
  for (std::size_t k = 0; k < slots_.size(); ++k) numbers_[k] = values[slots_[k]];
  std::size_t at = 0;  // again: a copy of this has other addresses
  for (Numbers& view : views_) {
    view = {numbers_.data() + at, view.size()};
    at += view.size();
  }
  return views_;
}

Bounds NodeView::truncation(const double* values) const {
  return {lower_ == kNothing ? -kUnbounded : values[lower_],
          upper_ == kNothing ? kUnbounded : values[upper_]};
}

double NodeView::log_density(const double* values, Part part) {
  const Parameters p = parameters(values);
  double sum = croft::bugs::log_density(distribution_, value(values), p, part);
  if (!truncated()) return sum;
  const Bounds bounds = truncation(values);
  const double x = values[first_];
  if (!(x >= bounds.lower && x <= bounds.upper)) return kNever;
  if (part == Part::of_value || distribution_ == Id::flat || !std::isfinite(sum)) return sum;
  if (!has_last_ || last_parameters_ != numbers_ || last_bounds_.lower != bounds.lower ||
      last_bounds_.upper != bounds.upper) {
    last_normaliser_ = log_interval_probability(distribution_, bounds, p);
    last_parameters_ = numbers_;
    last_bounds_ = bounds;
    has_last_ = true;
  }
  return last_normaliser_ > kNever ? sum - last_normaliser_ : kNever;
}

std::optional<Bounds> interval_of_censored(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.observed || node.count != 1 || node.lower != kNothing || node.upper != kNothing ||
      !distribution(node.distribution).has_cdf || distribution(node.distribution).discrete)
    return std::nullopt;
  if (graph.children(id).empty() || !graph.dependents(id).empty()) return std::nullopt;
  Bounds bounds{-kUnbounded, kUnbounded};
  for (const NodeId c : graph.children(id)) {
    const Node& child = graph.node(c);
    if (!child.observed || graph.slot_of(child, 0) != node.first) return std::nullopt;
    if (child.distribution == Id::rounded) {
      const Slot digits = graph.slot_of(child, 1);
      if (!graph.fixed(digits)) return std::nullopt;
      const double half = 0.5 * std::pow(10, -graph.initial()[digits]);
      bounds.lower = std::max(bounds.lower, graph.initial()[child.first] - half);
      bounds.upper = std::min(bounds.upper, graph.initial()[child.first] + half);
      continue;
    }
    if (child.distribution != Id::interval) return std::nullopt;
    const auto cuts = graph.slots_of(graph.parameters(child)[1]);
    for (const Slot s : cuts) {
      if (!graph.fixed(s)) return std::nullopt;
    }
    const double place = graph.initial()[child.first];
    if (!(place >= 0 && place <= static_cast<double>(cuts.size()))) return std::nullopt;
    const auto at = static_cast<std::size_t>(place);
    if (at > 0) bounds.lower = std::max(bounds.lower, graph.initial()[cuts[at - 1]]);
    if (at < cuts.size()) bounds.upper = std::min(bounds.upper, graph.initial()[cuts[at]]);
  }
  return bounds;
}

Blanket::Blanket(const ModelGraph& graph, std::span<const NodeId> nodes,
                 std::span<const NodeId> leave_out)
    : graph_(graph) {
  operations_ = graph.dependents_of(nodes);
  std::vector<std::uint8_t> moving(graph.slots());
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    std::fill_n(moving.begin() + node.first, node.count, std::uint8_t{1});
  }
  for (const OperationId id : operations_) {
    const Operation& o = graph.operation(id);
    const auto arguments = graph.arguments(o);
    if (std::any_of(arguments.begin(), arguments.end(), [&](Slot s) { return moving[s] != 0; }))
      std::fill_n(moving.begin() + o.out, o.outputs, std::uint8_t{1});
  }
  sort_operations();
  for (const NodeId child : graph.children_of(nodes)) {
    if (std::find(leave_out.begin(), leave_out.end(), child) == leave_out.end())
      add_child(child, moving);
  }
}

// By level, then function: still each after what it uses.  Where no vectors come of it, the order
// stays: levels take a look at every argument, and tables that are picked from have many.
void Blanket::sort_operations() {
  constexpr std::ptrdiff_t kShortest = 8;  // of a vector
  const auto count = [&](Function f) {
    return std::ranges::count(operations_, f,
                              [&](OperationId id) { return graph_.operation(id).function; });
  };
  if (operations_.empty()) return;
  if (count(Function::exp) < kShortest && count(Function::ilogit) < kShortest) {
    batches_ = {{0, static_cast<std::uint32_t>(operations_.size()), Function::negate, false}};
    return;
  }
  std::unordered_map<Slot, std::uint32_t> levels;  // of outputs
  std::vector<std::pair<std::uint32_t, OperationId>> order;
  for (const OperationId id : operations_) {
    const Operation& o = graph_.operation(id);
    std::uint32_t level = 0;
    for (const Slot s : graph_.arguments(o)) {
      const auto it = levels.find(s);
      if (it != levels.end()) level = std::max(level, it->second + 1);
    }
    for (Slot s = o.out; s < o.out + o.outputs; ++s) levels[s] = level;
    order.emplace_back(level, id);
  }
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return graph_.operation(a.second).function < graph_.operation(b.second).function;
  });
  std::uint32_t level = 0;
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    operations_[k] = order[k].second;
    const Function function = graph_.operation(operations_[k]).function;
    const bool vectors = function == Function::exp || function == Function::ilogit;
    const bool same =
        !batches_.empty() && batches_.back().vectors == vectors &&
        (!vectors || (batches_.back().function == function && order[k].first == level));
    if (same) {
      ++batches_.back().count;
    } else {
      batches_.push_back({k, 1, function, vectors});
    }
    level = order[k].first;
  }
  // Short ones go with their neighbours.
  std::vector<Batch> joined;
  for (Batch batch : batches_) {
    batch.vectors = batch.vectors && batch.count >= kShortest;
    if (!joined.empty() && !joined.back().vectors && !batch.vectors) {
      joined.back().count += batch.count;
    } else {
      joined.push_back(batch);
    }
  }
  batches_ = std::move(joined);
}

void Blanket::run(double* values) {
  for (const Batch& batch : batches_) {
    const auto which = std::span(operations_).subspan(batch.first, batch.count);
    if (!batch.vectors) {
      graph_.evaluate(which, values);
      continue;
    }
    scratch_.resize(batch.count);
    for (std::uint32_t k = 0; k < batch.count; ++k)
      scratch_[k] = values[graph_.operation(which[k]).a];
    (batch.function == Function::exp ? exponentials : logistics)(scratch_.data(), scratch_.data(),
                                                                 batch.count);
    for (std::uint32_t k = 0; k < batch.count; ++k)
      values[graph_.operation(which[k]).out] = scratch_[k];
  }
}

void Blanket::add_child(NodeId id, const std::vector<std::uint8_t>& moving) {
  const Node& node = graph_.node(id);
  if (const auto bounds = interval_of_censored(graph_, id)) {
    if (node.distribution == Id::weibull && bounds->lower > 0 && bounds->upper == kUnbounded) {
      weibulls_.push_back(
          {graph_.slot_of(node, 0), graph_.slot_of(node, 1), std::log(bounds->lower), true});
      return;
    }
    if (node.distribution == Id::normal || node.distribution == Id::log_normal) {
      add_normal_interval(node, *bounds);
      return;
    }
    views_.emplace_back(graph_, id);
    intervals_.push_back({static_cast<std::uint32_t>(views_.size() - 1), *bounds});
    return;
  }
  const bool plain = node.lower == kNothing && node.upper == kNothing;
  if (node.distribution == Id::categorical && plain && moving[node.first] == 0) {
    const auto slots = graph_.slots_of(graph_.parameters(node)[0]);
    categories_.push_back({node.first, static_cast<std::uint32_t>(category_slots_.size()),
                           static_cast<std::uint32_t>(slots.size())});
    category_slots_.insert(category_slots_.end(), slots.begin(), slots.end());
    return;
  }
  const bool bounds_move = (node.lower != kNothing && moving[node.lower] != 0) ||
                           (node.upper != kNothing && moving[node.upper] != 0);
  if (scalar_parameters(graph_, node) && moving[node.first] == 0 && !bounds_move) {
    Slot p[3] = {0, 0, 0};
    bool moves[3] = {};
    for (std::size_t k = 0; k < node.parameters; ++k) {
      p[k] = graph_.slot_of(node, k);
      moves[k] = moving[p[k]] != 0;
    }
    if ((node.distribution == Id::beta || node.distribution == Id::gamma) &&
        (plain || node.distribution == Id::beta)) {
      for (SharedTerm& term : shared_) {
        if (term.id == node.distribution && term.a == p[0] && term.b == p[1] &&
            term.lower == node.lower && term.upper == node.upper) {
          term.children.push_back(node.first);
          return;
        }
      }
      const auto still = [&](Slot s) { return s == kNothing || graph_.fixed(s); };
      shared_.push_back({.id = node.distribution,
                         .a = p[0],
                         .b = p[1],
                         .lower = node.lower,
                         .upper = node.upper,
                         .fixed_bounds = still(node.lower) && still(node.upper),
                         .children = {node.first}});
      return;
    }
    if (plain) {
      switch (node.distribution) {
        case Id::normal:
          (!moves[1]   ? normal_means_
           : !moves[0] ? normal_precisions_
                       : normals_)
              .push_back({node.first, p[0], p[1]});
          return;
        case Id::poisson:
          poissons_.push_back({node.first, p[0], 0});
          return;
        case Id::bernoulli:
          bernoullis_.push_back({node.first, p[0], 0});
          return;
        case Id::binomial:
          if (moves[1]) break;
          binomials_.push_back({node.first, p[0], p[1]});
          return;
        default:
          break;
      }
      scalars_.push_back({node.distribution, node.first, {p[0], p[1], p[2]}});
      return;
    }
  }
  views_.emplace_back(graph_, id);
  others_.push_back(static_cast<std::uint32_t>(views_.size() - 1));
}

void Blanket::add_normal_interval(const Node& node, Bounds bounds) {
  if (node.distribution == Id::log_normal)
    bounds = {std::log(std::max(bounds.lower, 0.0)), std::log(std::max(bounds.upper, 0.0))};
  NormalIntervals& all = normal_intervals_;
  const Slot mu = graph_.slot_of(node, 0), tau = graph_.slot_of(node, 1);
  const auto [it, is_new] =
      all.places.emplace(std::tuple(mu, tau, bounds.lower, bounds.upper), all.places.size());
  const std::size_t at = it->second;
  if (is_new && at == all.mu.size()) {
    const std::size_t size = at + kIntervalLanes;
    all.mu.resize(size, mu);
    all.tau.resize(size, tau);
    all.lower.resize(size, -kUnbounded);
    all.upper.resize(size, kUnbounded);
    all.weight.resize(size, 0);
  }
  all.mu[at] = mu;
  all.tau[at] = tau;
  all.lower[at] = bounds.lower;
  all.upper[at] = bounds.upper;
  all.weight[at] += 1;
}

double Blanket::normal_intervals_log_likelihood(const double* values) {
  NormalIntervals& all = normal_intervals_;
  const std::size_t n = all.mu.size();
  all.mus.resize(n);
  all.taus.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    all.mus[k] = values[all.mu[k]];
    all.taus[k] = values[all.tau[k]];
  }
  const double fast = normal_intervals(
      {all.lower.data(), all.upper.data(), all.weight.data(), all.mus.data(), all.taus.data()}, n);
  if (!std::isnan(fast)) return fast;
  double sum = 0;
  for (std::size_t k = 0; k < all.places.size(); ++k) {
    const Numbers parameters[] = {{&all.mus[k], 1}, {&all.taus[k], 1}};
    if (!parameters_fit(Id::normal, parameters)) return kNever;
    sum += all.weight[k] *
           log_interval_probability(Id::normal, {all.lower[k], all.upper[k]}, parameters);
  }
  return sum;
}

void Blanket::begin(const double* values) {
  for (SharedTerm& term : shared_) {
    term.log_sum = term.other_sum = 0;
    for (const Slot s : term.children) {
      const double x = values[s];
      term.log_sum += std::log(x);
      term.other_sum += term.id == Id::beta ? std::log1p(-x) : x;
    }
  }
}

double Blanket::weibull_log_likelihood(const double* values) {
  scratch_.resize(weibulls_.size());
  for (std::size_t k = 0; k < weibulls_.size(); ++k)
    scratch_[k] = values[weibulls_[k].v] * weibulls_[k].log_x;
  exponentials(scratch_.data(), scratch_.data(), scratch_.size());  // x^v
  double sum = 0, product = 1;
  for (std::size_t k = 0; k < weibulls_.size(); ++k) {
    const WeibullTerm& t = weibulls_[k];
    const double v = values[t.v], rate = values[t.rate];
    if (!(v > 0) || !(rate > 0)) return kNever;
    sum -= rate * scratch_[k];
    if (t.censored) continue;
    sum += (v - 1) * t.log_x;
    product *= v * rate;
    if (!(product > 1e-150 && product < 1e150)) {
      sum += std::log(product);
      product = 1;
    }
  }
  return sum + std::log(product);
}

double Blanket::shared_log_likelihood(SharedTerm& term, const double* values) {
  const double a = values[term.a], b = values[term.b],
               n = static_cast<double>(term.children.size());
  if (!(a > 0) || !(b > 0)) return kNever;
  double sum = 0;
  if (term.id == Id::gamma) {
    sum = n * (a * std::log(b) - log_gamma(a)) + (a - 1) * term.log_sum - b * term.other_sum;
  } else {
    sum = (a - 1) * term.log_sum + (b - 1) * term.other_sum - n * log_beta_function(a, b);
  }
  if (term.lower == kNothing && term.upper == kNothing) return sum;
  if (a != term.last_a || b != term.last_b) {  // its bounds do not move with the node
    const Numbers views[] = {{&a, 1}, {&b, 1}};
    term.last_normaliser =
        log_interval_probability(term.id,
                                 {term.lower == kNothing ? -kUnbounded : values[term.lower],
                                  term.upper == kNothing ? kUnbounded : values[term.upper]},
                                 views);
    term.last_a = term.fixed_bounds ? a : 0;
    term.last_b = b;
  }
  return term.last_normaliser > kNever ? sum - n * term.last_normaliser : kNever;
}

double Blanket::log_likelihood(const double* values) {
  double sum = 0;
  for (const NormalTerm& t : normal_means_) {
    const double d = values[t.x] - values[t.mu];
    sum -= 0.5 * values[t.tau] * d * d;
  }
  for (const NormalTerm& t : normal_precisions_)
    sum += normal_density<Part::of_parameters>(values[t.x], values[t.mu], values[t.tau]);
  for (const NormalTerm& t : normals_)
    sum += normal_density<Part::of_parameters>(values[t.x], values[t.mu], values[t.tau]);
  for (const CountTerm& t : poissons_)
    sum += poisson_density<Part::of_parameters>(values[t.x], values[t.parameter]);
  double product = 1;  // of probabilities: one logarithm for many
  const auto multiply = [&](double p) {
    product *= p;
    if (product < 1e-200) {
      sum += std::log(product);
      product = 1;
    }
  };
  for (const CountTerm& t : bernoullis_) {
    const double p = values[t.parameter];
    if (!(p >= 0 && p <= 1)) return kNever;
    multiply(values[t.x] == 1 ? p : 1 - p);
  }
  for (const CountTerm& t : binomials_) {
    const double x = values[t.x], n = values[t.n], p = values[t.parameter];
    if (!(p >= 0 && p <= 1)) return kNever;
    sum += (x == 0 ? 0 : x * std::log(p)) + (x == n ? 0 : (n - x) * std::log1p(-p));
  }
  if (!weibulls_.empty()) sum += weibull_log_likelihood(values);
  for (const ScalarTerm& t : scalars_) {
    const double p[3] = {values[t.p[0]], values[t.p[1]], values[t.p[2]]};
    sum += scalar_density<Part::of_parameters>(t.id, values[t.x], p);
  }
  for (const CategoryTerm& t : categories_) {
    const Slot* const slots = category_slots_.data() + t.first;
    double total = 0;
    for (std::uint32_t k = 0; k < t.count; ++k) {
      const double p = values[slots[k]];
      if (!(p >= 0)) return kNever;
      total += p;
    }
    const double x = values[t.x];
    if (!(x >= 1 && x <= t.count)) return kNever;
    multiply(values[slots[static_cast<std::size_t>(x) - 1]] / total);
  }
  if (product != 1) sum += std::log(product);
  for (SharedTerm& term : shared_) sum += shared_log_likelihood(term, values);
  for (const std::uint32_t k : others_) sum += views_[k].log_density(values, Part::of_parameters);
  if (!normal_intervals_.mu.empty()) sum += normal_intervals_log_likelihood(values);
  for (const IntervalTerm& t : intervals_) {
    NodeView& view = views_[t.view];
    const Parameters p = view.parameters(values);
    if (!parameters_fit(view.distribution(), p)) return kNever;
    sum += log_interval_probability(view.distribution(), t.bounds, p);
  }
  return std::isnan(sum) ? kNever : sum;
}

}  // namespace croft::bugs
