#include <cmath>

#include "bugs/distributions/dense.h"
#include "bugs/distributions/densities.h"
#include "bugs/distributions/draws.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/single_site.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;
constexpr double kOpen = std::numeric_limits<double>::infinity();

// p(x) ~ x^(shape - 1) e^(-rate x): the prior's part, and where x has to be.
struct GammaPrior {
  double shape, rate;
  Bounds bounds;
};

class ConjugateGamma : public Sampler {
 public:
  struct Child {
    Id id;
    bool censored;
    Slot x, own, other;  // own: the parameter that is a multiple of the node
    Bounds bounds;
  };
  ConjugateGamma(const ModelGraph& graph, NodeId id, std::vector<Child> children)
      : graph_(graph), id_(id), prior_(graph, id), children_(std::move(children)) {
    const Node& node = graph.node(id);
    slot_ = node.first;
    for (std::size_t k = 0; k < node.parameters && k < 2; ++k) p_[k] = graph.slot_of(node, k);
  }
  std::string name() const override {
    return bounded() ? "truncated conjugate gamma" : "conjugate gamma";
  }
  std::span<const NodeId> nodes() const override { return {&id_, 1}; }
  bool bounded() const {
    return prior_.truncated() || prior_.distribution() == Id::uniform ||
           prior_.distribution() == Id::pareto;
  }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    const double old = values[slot_];
    GammaPrior posterior = prior(values, random);
    double shape = 0, rate = 0;  // of the children, in units where the node is 1
    for (const Child& c : children_) add(c, values, shape, rate);
    shape += posterior.shape;
    rate = posterior.rate + rate / old;
    double x = old;
    if (posterior.bounds.lower <= 0 && posterior.bounds.upper == kOpen) {
      if (shape > 0 && rate > 0) x = draw_gamma(shape, random) / rate;
    } else {
      x = draw_between(shape, rate, posterior.bounds, old, random);
    }
    // A draw that rounds to 0 or beyond all numbers has no place in the graph.
    if (!(x > 0) || !std::isfinite(x)) return;
    values[slot_] = x;
    graph_.evaluate(graph_.dependents(id_), values);
  }

 private:
  GammaPrior prior(const double* values, Random& random) const {
    const Bounds limits = prior_.truncation(values);
    const double a = values[p_[0]], b = values[p_[1]];
    GammaPrior p{1, 0, {std::max(0.0, limits.lower), limits.upper}};
    switch (prior_.distribution()) {
      case Id::gamma:
        p.shape = a, p.rate = b;
        break;
      case Id::exponential:
        p.rate = a;
        break;
      case Id::chi_squared:
        p.shape = 0.5 * a, p.rate = 0.5;
        break;
      case Id::scaled_gamma:  // dgamma(k/2, k b), b ~ dgamma(1/2, 1/s^2): b is drawn given x
        p.shape = 0.5 * b;
        p.rate = b * draw_gamma(0.5 * (b + 1), random) / (b * values[slot_] + 1 / (a * a));
        break;
      case Id::uniform:
        p.bounds = {std::max(p.bounds.lower, a), std::min(p.bounds.upper, b)};
        break;
      default:  // pareto: x^(-a - 1) from b on
        p.shape = -a;
        p.bounds.lower = std::max(p.bounds.lower, b);
    }
    return p;
  }

  static void add(const Child& c, const double* v, double& shape, double& rate) {
    const double x = v[c.x], own = v[c.own];
    if (c.censored) {  // P(X > lower) = exp(-rate of what comes before it)
      rate += own * (c.id == Id::weibull ? std::pow(c.bounds.lower, v[c.other]) : c.bounds.lower);
      return;
    }
    switch (c.id) {
      case Id::normal: {
        const double d = x - v[c.other];
        shape += 0.5;
        rate += 0.5 * own * d * d;
        break;
      }
      case Id::log_normal: {
        const double d = std::log(x) - v[c.other];
        shape += 0.5;
        rate += 0.5 * own * d * d;
        break;
      }
      case Id::poisson:
        shape += x, rate += own;
        break;
      case Id::gamma:
        shape += v[c.other], rate += own * x;
        break;
      case Id::exponential:
        shape += 1, rate += own * x;
        break;
      case Id::weibull:
        shape += 1, rate += own * std::pow(x, v[c.other]);
        break;
      case Id::laplace:
        shape += 1, rate += own * std::fabs(x - v[c.other]);
        break;
      default:
        shape += 1, rate += own * std::log(x / v[c.other]);
        break;  // pareto
    }
  }

  // By rejection where the bounds leave most of it, else by the cdf, else (shape <= 0, or a tail
  // beyond the digits of the cdf) one slice.
  static double draw_between(double shape, double rate, Bounds bounds, double old, Random& random) {
    if (shape > 0 && rate > 0) {
      for (int attempt = 0; attempt < 4; ++attempt) {
        const double x = draw_gamma(shape, random) / rate;
        if (x >= bounds.lower && x <= bounds.upper) return x;
      }
      const Numbers views[] = {{&shape, 1}, {&rate, 1}};
      const double x = draw_truncated(Id::gamma, bounds, views, random);
      if (std::isfinite(x) && x > 0) return x;
    }
    return slice_between(shape, rate, bounds, old, random);
  }
  static double slice_between(double shape, double rate, Bounds bounds, double old,
                              Random& random) {
    const auto f = [&](double x) { return (shape - 1) * std::log(x) - rate * x; };
    const double level = f(old) - draw_exponential(random);
    double low = bounds.lower, high = bounds.upper;
    if (high == kOpen) {
      high = 2 * old;
      while (f(high) > level && high < 1e300) high *= 2;
    }
    for (int k = 0; k < 2000; ++k) {  // from a bound of 1e300 down to 1e-300
      const double x = low + (high - low) * random.uniform();
      if (x > 0 && f(x) > level) return x;
      if (x == low || x == high) break;
      (x < old ? low : high) = x;
    }
    return old;
  }

  const ModelGraph& graph_;
  NodeId id_;
  Slot slot_ = 0, p_[2] = {0, 0};
  NodeView prior_;
  std::vector<Child> children_;
};

// The parameter of a law that a gamma variable may scale, and the one beside it.
bool scaled_parameter(Id id, std::size_t* own, std::size_t* other) {
  switch (id) {
    case Id::normal:
    case Id::log_normal:
    case Id::laplace:
      *own = 1, *other = 0;
      return true;
    case Id::gamma:
    case Id::weibull:
      *own = 1, *other = 0;
      return true;
    case Id::poisson:
    case Id::exponential:
      *own = 0, *other = 0;
      return true;
    case Id::pareto:
      *own = 0, *other = 1;
      return true;
    default:
      return false;
  }
}

class ConjugateBeta : public Sampler {
 public:
  struct Child {
    Id id;
    Slot x, other;
  };
  ConjugateBeta(const ModelGraph& graph, NodeId id, std::vector<Child> children)
      : graph_(graph), id_(id), prior_(graph, id), children_(std::move(children)) {
    const Node& node = graph.node(id);
    slot_ = node.first;
    a_ = graph.slot_of(node, 0);
    b_ = graph.slot_of(node, 1);
  }
  std::string name() const override {
    return prior_.truncated() ? "truncated conjugate beta" : "conjugate beta";
  }
  std::span<const NodeId> nodes() const override { return {&id_, 1}; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    const bool flat = prior_.distribution() == Id::uniform;  // on (0, 1)
    double a = flat ? 1 : values[a_], b = flat ? 1 : values[b_];
    for (const Child& c : children_) {
      const double x = values[c.x];
      switch (c.id) {
        case Id::bernoulli:
          a += x, b += 1 - x;
          break;
        case Id::binomial:
          a += x, b += values[c.other] - x;
          break;
        case Id::negative_binomial:
          a += values[c.other], b += x;
          break;
        default:
          a += 1, b += x - 1;
          break;  // geometric
      }
    }
    const Bounds limits = prior_.truncation(values);
    double x = -1;
    for (int attempt = 0; attempt < 8 && !(x > 0 && x < 1); ++attempt) {
      x = draw_beta(a, b, random);
      if (!(x >= limits.lower && x <= limits.upper)) x = -1;
    }
    if (!(x > 0 && x < 1) && prior_.truncated()) {
      const Numbers views[] = {{&a, 1}, {&b, 1}};
      x = draw_truncated(Id::beta, limits, views, random);
    }
    if (!(x > 0 && x < 1)) return;  // rounds to an end, where children have no density
    values[slot_] = x;
    graph_.evaluate(graph_.dependents(id_), values);
  }

 private:
  const ModelGraph& graph_;
  NodeId id_;
  Slot slot_, a_, b_;
  NodeView prior_;
  std::vector<Child> children_;
};

// Whether an array parameter is the node's elements, in their order, in every state, or by
// subscripts: then which operation picks.
struct Row {
  OperationId pick = kNothing;  // kNothing: always the node's elements
  std::vector<bool> places;     // of the subscripts, which give the node
};

std::optional<Row> row_of_node(const ModelGraph& graph, const Node& node,
                               std::span<const Slot> slots) {
  if (slots.size() != node.count) return std::nullopt;
  const auto runs = [&](const Slot* first, Slot from) {
    for (std::uint32_t k = 0; k < node.count; ++k)
      if (first[k] != from + k) return false;
    return true;
  };
  if (runs(slots.data(), node.first)) return Row{};
  const OperationId id = graph.operation_of(slots[0]);
  if (id == kNothing) return std::nullopt;
  const Operation& o = graph.operation(id);
  if (o.function != Function::pick || o.outputs != node.count || !runs(slots.data(), o.out))
    return std::nullopt;
  const auto arguments = graph.arguments(o);
  for (std::size_t d = 0; d < o.aux; ++d) {
    const Slot s = arguments[d];
    if (s >= node.first && s < node.first + node.count) return std::nullopt;
  }
  Row row{id, {}};
  for (std::size_t k = std::size_t{2} * o.aux; k < arguments.size(); k += o.outputs) {
    const bool is_node = runs(arguments.data() + k, node.first);
    for (std::uint32_t m = 0; m < o.outputs && !is_node; ++m) {
      const Slot s = arguments[k + m];
      if (s >= node.first && s < node.first + node.count) return std::nullopt;
    }
    row.places.push_back(is_node);
  }
  return row;
}

bool picks_node(const ModelGraph& graph, const Row& row, const double* values) {
  if (row.pick == kNothing) return true;
  const Operation& o = graph.operation(row.pick);
  const std::size_t place = picked_place(o, graph.arguments(o), values);
  return place < row.places.size() && row.places[place];
}

// An array whose law, given the rest, is its prior's with other parameters.
class ConjugateArray : public Sampler {
 public:
  ConjugateArray(const ModelGraph& graph, NodeId id) : graph_(graph), id_(id), prior_(graph, id) {}
  std::span<const NodeId> nodes() const override { return {&id_, 1}; }

 protected:
  void draw_from(Id law, Parameters parameters, double* values, Random& random) const {
    const Node& node = graph_.node(id_);
    draw(law, parameters, random, {values + node.first, node.count});
    graph_.evaluate(graph_.dependents(id_), values);
  }

  const ModelGraph& graph_;
  const NodeId id_;
  NodeView prior_;
};

class ConjugateDirichlet : public ConjugateArray {
 public:
  struct Child {
    Row row;
    Slot x;
    bool counts;  // dmulti
  };
  ConjugateDirichlet(const ModelGraph& graph, NodeId id, std::vector<Child> children)
      : ConjugateArray(graph, id), children_(std::move(children)) {
    alpha_.resize(graph.node(id).count);
  }
  std::string name() const override { return "conjugate Dirichlet"; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    const Numbers prior = prior_.parameters(values)[0];
    std::copy(prior.begin(), prior.end(), alpha_.begin());
    for (const Child& c : children_) {
      if (!picks_node(graph_, c.row, values)) continue;
      if (!c.counts) {
        alpha_[static_cast<std::size_t>(values[c.x]) - 1] += 1;
        continue;
      }
      for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] += values[c.x + k];
    }
    const Numbers views[] = {alpha_};
    draw_from(Id::dirichlet, views, values, random);
  }

 private:
  std::vector<Child> children_;
  std::vector<double> alpha_;
};

// dwish(R, k) of the precision of n normal vectors: dwish(R + sum of (x - mu)(x - mu)', k + n).
class ConjugateWishart : public ConjugateArray {
 public:
  struct Child {
    Row row;
    Slot x;
    std::vector<Slot> mu;
  };
  ConjugateWishart(const ModelGraph& graph, NodeId id, std::vector<Child> children)
      : ConjugateArray(graph, id), children_(std::move(children)) {}
  std::string name() const override { return "conjugate Wishart"; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    double k = prior(values, random);
    for (const Child& c : children_) {
      if (!picks_node(graph_, c.row, values)) continue;
      k += 1;
      const std::size_t n = c.mu.size();
      for (std::size_t j = 0; j < n; ++j) {
        const double d = values[c.x + j] - values[c.mu[j]];
        for (std::size_t i = 0; i < n; ++i)
          scale_[i + j * n] += (values[c.x + i] - values[c.mu[i]]) * d;
      }
    }
    const Numbers views[] = {scale_, {&k, 1}};
    draw_from(Id::wishart, views, values, random);
  }

 private:
  // Its matrix, and its degrees of freedom.  dscaled.wishart(s, k) is dwish(2 k diag(b), k + p - 1)
  // with b_i ~ dgamma(1/2, 1/s_i^2): b is drawn given the node.
  double prior(const double* values, Random& random) {
    const Parameters given = prior_.parameters(values);
    const double k = given[1][0];
    if (prior_.distribution() == Id::wishart) {
      scale_.assign(given[0].begin(), given[0].end());
      return k;
    }
    const Numbers own = prior_.value(values), s = given[0];
    const auto p = static_cast<double>(s.size());
    scale_.assign(own.size(), 0.0);
    for (std::size_t i = 0; i < s.size(); ++i) {
      const std::size_t at = i * (s.size() + 1);
      const double b = draw_gamma(0.5 * (k + p), random) / (k * own[at] + 1 / (s[i] * s[i]));
      scale_[at] = 2 * k * b;
    }
    return k + p - 1;
  }

  std::vector<Child> children_;
  std::vector<double> scale_;
};

}  // namespace

SamplerPointer make_conjugate_gamma(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  switch (node.distribution) {
    case Id::gamma:
    case Id::exponential:
    case Id::chi_squared:
    case Id::pareto:
    case Id::scaled_gamma:
      break;
    case Id::uniform: {
      const Slot lower = graph.slot_of(node, 0);
      if (!graph.fixed(lower) || graph.initial()[lower] < 0) return nullptr;
      break;
    }
    default:
      return nullptr;
  }
  const std::vector<Dependence> depends = dependence_on(graph, {&id, 1});
  std::vector<ConjugateGamma::Child> children;
  for (const NodeId c : graph.children(id)) {
    const Node& child = graph.node(c);
    std::size_t own = 0, other = 0;
    if (child.count != 1 || child.lower != kNothing || child.upper != kNothing ||
        !scaled_parameter(child.distribution, &own, &other))
      return nullptr;
    const Slot own_slot = graph.slot_of(child, own), other_slot = graph.slot_of(child, other);
    if (depends[own_slot] != Dependence::scale) return nullptr;
    if (own != other && depends[other_slot] != Dependence::none) return nullptr;
    const auto bounds = interval_of_censored(graph, c);
    if (bounds) {
      if ((child.distribution != Id::weibull && child.distribution != Id::exponential) ||
          bounds->upper != kOpen || !(bounds->lower >= 0))
        return nullptr;
    }
    children.push_back({child.distribution, bounds.has_value(), child.first, own_slot, other_slot,
                        bounds.value_or(Bounds{0, 0})});
  }
  if (children.empty()) return nullptr;
  return std::make_unique<ConjugateGamma>(graph, id, std::move(children));
}

SamplerPointer make_conjugate_beta(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.distribution == Id::uniform) {
    const Slot a = graph.slot_of(node, 0), b = graph.slot_of(node, 1);
    if (!graph.fixed(a) || !graph.fixed(b) || graph.initial()[a] != 0 || graph.initial()[b] != 1)
      return nullptr;
  } else if (node.distribution != Id::beta) {
    return nullptr;
  }
  if (!graph.dependents(id).empty()) return nullptr;
  std::vector<ConjugateBeta::Child> children;
  for (const NodeId c : graph.children(id)) {
    const Node& child = graph.node(c);
    if (child.lower != kNothing || child.upper != kNothing) return nullptr;
    switch (child.distribution) {
      case Id::bernoulli:
      case Id::binomial:
      case Id::negative_binomial:
      case Id::geometric:
        break;
      default:
        return nullptr;
    }
    if (graph.slot_of(child, 0) != node.first) return nullptr;
    const Slot other = child.parameters > 1 ? graph.slot_of(child, 1) : Slot{0};
    if (child.parameters > 1 && other == node.first) return nullptr;
    children.push_back({child.distribution, child.first, other});
  }
  return std::make_unique<ConjugateBeta>(graph, id, std::move(children));
}

SamplerPointer make_conjugate_dirichlet(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.distribution != Id::dirichlet) return nullptr;
  std::vector<ConjugateDirichlet::Child> children;
  for (const NodeId c : graph.children(id)) {
    const Node& child = graph.node(c);
    const bool counts = child.distribution == Id::multinomial;
    if (!counts && child.distribution != Id::categorical) return nullptr;
    if (child.lower != kNothing || child.upper != kNothing) return nullptr;
    const auto row = row_of_node(graph, node, graph.slots_of(graph.parameters(child)[0]));
    if (!row) return nullptr;
    if (counts && graph.node_of(graph.slot_of(child, 1)) == id) return nullptr;
    children.push_back({*row, child.first, counts});
  }
  return std::make_unique<ConjugateDirichlet>(graph, id, std::move(children));
}

SamplerPointer make_conjugate_wishart(const ModelGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.distribution != Id::wishart && node.distribution != Id::scaled_wishart) return nullptr;
  const std::vector<Dependence> depends = dependence_on(graph, {&id, 1});
  std::vector<ConjugateWishart::Child> children;
  for (const NodeId c : graph.children(id)) {
    const Node& child = graph.node(c);
    if (child.distribution != Id::multivariate_normal) return nullptr;
    const auto row = row_of_node(graph, node, graph.slots_of(graph.parameters(child)[1]));
    if (!row) return nullptr;
    const auto mu = graph.slots_of(graph.parameters(child)[0]);
    for (const Slot s : mu) {
      if (depends[s] != Dependence::none) return nullptr;
    }
    children.push_back({*row, child.first, {mu.begin(), mu.end()}});
  }
  return std::make_unique<ConjugateWishart>(graph, id, std::move(children));
}

}  // namespace croft::bugs
