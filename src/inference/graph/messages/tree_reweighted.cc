#include "croft/inference/tree_reweighted.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "inference/graph/messages/pairwise_messages.h"

namespace croft {
namespace {

// Trees that are tried for an edge that none has yet.
constexpr std::size_t kMostTrees = 10000;

void check_messages(double damping, double tolerance, std::size_t max_iterations) {
  if (!(damping >= 0 && damping < 1)) {
    throw UsageError("damping must be at least 0 and less than 1");
  }
  if (!(tolerance > 0 && tolerance < kInf)) throw UsageError("the tolerance must be positive");
  if (max_iterations == 0) throw UsageError("max_iterations must be at least 1");
}

// A spanning forest: its edges, that to a variable's parent after those to its children.
struct SpanningForest {
  struct Step {
    std::uint32_t edge;
    bool second;  // the child is end[1] of the edge
  };
  double weight = 0;
  std::vector<Step> steps;
  std::vector<Variable> roots;
};

// Of the edges in the order given, each that closes no cycle.
SpanningForest spanning_forest(const PairwiseMessages& pairs,
                               std::span<const std::uint32_t> order) {
  const auto edges = pairs.edges();
  std::vector<Variable> piece(pairs.variables());
  std::iota(piece.begin(), piece.end(), Variable{0});
  const auto root = [&](Variable v) {
    while (piece[v] != v) v = piece[v] = piece[piece[v]];
    return v;
  };
  std::vector<std::vector<std::uint32_t>> at(pairs.variables());
  for (const std::uint32_t e : order) {
    const Variable a = root(edges[e].end[0]), b = root(edges[e].end[1]);
    if (a == b) continue;
    piece[a] = b;
    for (const Variable v : edges[e].end) at[v].push_back(e);
  }
  SpanningForest forest;
  std::vector<bool> seen(pairs.variables());
  std::vector<Variable> queue;
  for (Variable first = 0; first < pairs.variables(); ++first) {
    if (seen[first]) continue;
    seen[first] = true;
    forest.roots.push_back(first);
    queue.assign(1, first);
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const Variable v = queue[k];
      for (const std::uint32_t e : at[v]) {
        const bool second = edges[e].end[0] == v;
        const Variable child = edges[e].end[second ? 1 : 0];
        if (seen[child]) continue;
        seen[child] = true;
        forest.steps.push_back({e, second});
        queue.push_back(child);
      }
    }
  }
  std::ranges::reverse(forest.steps);
  return forest;
}

}  // namespace

void TreeReweightedOptions::validate() const {
  check_messages(damping, tolerance, max_iterations);
  if (trees == 0) throw UsageError("there must be at least one spanning tree");
}

class TreeReweighted::Run {
 public:
  Run(const FactorGraph& graph, const TreeReweightedOptions& options)
      : options_(options), pairs_(graph) {
    options_.validate();
    draw_forests();
    set_weights();
    improve_bound();
  }

  Convergence run(const GraphCallback& callback);

  const PairwiseMessages& pairs() const { return pairs_; }
  bool is_forest() const { return is_forest_; }
  bool contradiction() const { return pairs_.contradiction() || bound_ == -kInf; }
  double bound() const { return contradiction() ? -kInf : bound_; }
  TreeExpectations expectations(const FactorGraph& graph);

 private:
  void draw_forests();
  void set_weights();
  void improve_bound();
  double log_partition(const SpanningForest& forest);
  void move_weight(std::size_t step);
  void add_marginals(const SpanningForest& forest, std::vector<double>& node,
                     std::vector<std::vector<double>>& edge);

  TreeReweightedOptions options_;
  PairwiseMessages pairs_;
  std::vector<SpanningForest> forests_;
  std::vector<double> sum_;      // of what is below a variable; one after the other
  std::vector<std::size_t> at_;  // [variables]
  double bound_ = kInf;
  bool is_forest_ = false;
};

// Edges that few forests have come first, those with equal counts in random order.
void TreeReweighted::Run::draw_forests() {
  const std::size_t edges = pairs_.edges().size();
  Random random(options_.seed);
  std::vector<std::size_t> count(edges, 0);
  std::vector<std::uint32_t> order(edges);
  std::iota(order.begin(), order.end(), 0u);
  std::size_t missing = edges;
  while (forests_.size() < options_.trees || missing > 0) {
    shuffle(order, random);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t e) { return count[e]; });
    forests_.push_back(spanning_forest(pairs_, order));
    for (const auto& step : forests_.back().steps) missing -= count[step.edge]++ == 0;
    is_forest_ = forests_.back().steps.size() == edges;
    if (is_forest_) break;  // one has all
    if (forests_.size() == kMostTrees && missing > 0) {
      throw Error("the graph needs more than 10000 spanning trees to have each edge in one");
    }
  }
  for (SpanningForest& forest : forests_) {
    forest.weight = 1 / static_cast<double>(forests_.size());
  }
  at_.assign(1, 0);
  for (Variable v = 0; v < pairs_.variables(); ++v) at_.push_back(at_.back() + pairs_.states(v));
}

void TreeReweighted::Run::set_weights() {
  std::vector<double> weights(pairs_.edges().size(), 0);
  for (const SpanningForest& forest : forests_) {
    for (const auto& step : forest.steps) weights[step.edge] += forest.weight;
  }
  pairs_.set_weights(std::move(weights));
}

// Of the tree's scores as the messages have moved them, but for the constant.
double TreeReweighted::Run::log_partition(const SpanningForest& forest) {
  sum_.resize(at_.back());
  for (Variable v = 0; v < pairs_.variables(); ++v) {
    for (State x = 0; x < pairs_.states(v); ++x) sum_[at_[v] + x] = pairs_.own_score(v, x);
  }
  const auto log_sum = [](std::size_t count, const auto& term) {
    double high = -kInf, sum = 0;
    for (std::size_t k = 0; k < count; ++k) high = std::max(high, term(k));
    if (high == -kInf) return high;
    for (std::size_t k = 0; k < count; ++k) sum += std::exp(term(k) - high);
    return high + std::log(sum);
  };
  for (const auto& step : forest.steps) {
    const auto& edge = pairs_.edges()[step.edge];
    const Variable child = edge.end[step.second], parent = edge.end[!step.second];
    for (State y = 0; y < pairs_.states(parent); ++y) {
      if (sum_[at_[parent] + y] == -kInf) continue;
      sum_[at_[parent] + y] += log_sum(pairs_.states(child), [&](std::size_t k) {
        const auto x = static_cast<State>(k);
        const double below = sum_[at_[child] + x];
        if (below == -kInf) return below;
        return below + (step.second ? pairs_.edge_score(step.edge, y, x)
                                    : pairs_.edge_score(step.edge, x, y));
      });
    }
  }
  CompensatedSum total;
  for (const Variable v : forest.roots) {
    total.add(log_sum(pairs_.states(v), [&](std::size_t x) { return sum_[at_[v] + x]; }));
  }
  return total.value();
}

void TreeReweighted::Run::improve_bound() {
  if (contradiction()) return;
  CompensatedSum bound(pairs_.constant());
  for (const SpanningForest& forest : forests_) {
    if (forest.weight > 0) bound.add(forest.weight * log_partition(forest));
  }
  bound_ = std::min(bound_, bound.value());
}

// The forest's share of the expectations, after log_partition(forest) has left its sums.
//   node : [variables' states];  edge : [edges][joint states], over their probabilities
void TreeReweighted::Run::add_marginals(const SpanningForest& forest, std::vector<double>& node,
                                        std::vector<std::vector<double>>& edge) {
  std::vector<double> p(at_.back(), 0), given;
  const auto to_probabilities = [](std::vector<double>& logs) {
    const double high = *std::ranges::max_element(logs);
    double sum = 0;
    for (double& each : logs) sum += each = std::exp(each - high);
    for (double& each : logs) each /= sum;
  };
  for (const Variable v : forest.roots) {
    given.assign(sum_.begin() + static_cast<std::ptrdiff_t>(at_[v]),
                 sum_.begin() + static_cast<std::ptrdiff_t>(at_[v + 1]));
    to_probabilities(given);
    std::ranges::copy(given, p.begin() + static_cast<std::ptrdiff_t>(at_[v]));
  }
  for (std::size_t k = forest.steps.size(); k-- > 0;) {
    const auto& [e, second] = forest.steps[k];
    const auto& ends = pairs_.edges()[e].end;
    const Variable child = ends[second], parent = ends[!second];
    const std::size_t columns = pairs_.states(ends[1]);
    const double share = forest.weight / pairs_.weights()[e];
    given.resize(pairs_.states(child));
    for (State y = 0; y < pairs_.states(parent); ++y) {
      const double above = p[at_[parent] + y];
      if (above == 0) continue;
      for (State x = 0; x < given.size(); ++x) {
        given[x] = sum_[at_[child] + x] +
                   (second ? pairs_.edge_score(e, y, x) : pairs_.edge_score(e, x, y));
      }
      to_probabilities(given);
      for (State x = 0; x < given.size(); ++x) {
        const double both = above * given[x];
        p[at_[child] + x] += both;
        edge[e][second ? y * columns + x : x * columns + y] += share * both;
      }
    }
  }
  for (std::size_t k = 0; k < p.size(); ++k) node[k] += forest.weight * p[k];
}

TreeExpectations TreeReweighted::Run::expectations(const FactorGraph& graph) {
  if (contradiction()) {
    throw Error("the graph allows no assignment: Z is 0, and there are no expectations");
  }
  std::vector<double> node(at_.back(), 0);
  std::vector<std::vector<double>> edge;
  for (const auto& each : pairs_.edges()) {
    edge.emplace_back(pairs_.states(each.end[0]) * pairs_.states(each.end[1]), 0.0);
  }
  CompensatedSum bound(pairs_.constant());
  for (const SpanningForest& forest : forests_) {
    if (forest.weight == 0) continue;
    bound.add(forest.weight * log_partition(forest));
    add_marginals(forest, node, edge);
  }
  TreeExpectations result{bound.value(), {}};
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    std::vector<double>& out = result.factor.emplace_back();
    if (scope.empty()) {
      out.assign(1, 1.0);
    } else if (scope.size() == 1) {
      out.assign(node.begin() + static_cast<std::ptrdiff_t>(at_[scope[0]]),
                 node.begin() + static_cast<std::ptrdiff_t>(at_[scope[0] + 1]));
    } else {
      const std::uint32_t e = pairs_.edge_of_factor()[f];
      out = edge[e];
      if (pairs_.edges()[e].end[0] == scope[0]) continue;
      const std::size_t rows = graph.states(scope[0]), columns = graph.states(scope[1]);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) out[i * columns + j] = edge[e][j * rows + i];
      }
    }
  }
  return result;
}

// (GV.10): towards the tree of the largest mutual information.
void TreeReweighted::Run::move_weight(std::size_t step) {
  const std::size_t edges = pairs_.edges().size();
  std::vector<double> information(edges);
  for (std::size_t e = 0; e < edges; ++e) information[e] = pairs_.mutual_information(e);
  std::vector<std::uint32_t> order(edges);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t e) { return information[e]; });
  const double share = 2 / (static_cast<double>(step) + 4);
  for (SpanningForest& forest : forests_) forest.weight *= 1 - share;
  forests_.push_back(spanning_forest(pairs_, order));
  forests_.back().weight = share;
  set_weights();
}

Convergence TreeReweighted::Run::run(const GraphCallback& callback) {
  Convergence end;
  for (std::size_t step = 0; step <= options_.tree_steps; ++step) {
    if (contradiction()) break;
    if (step > 0) move_weight(step - 1);
    end.converged = false;
    for (std::size_t k = 0; k < options_.max_iterations && !end.converged; ++k) {
      end.residual = pairs_.sweep(options_.damping);
      improve_bound();
      ++end.iterations;
      if (contradiction()) break;
      end.converged = end.residual <= options_.tolerance;
      GraphProgress progress;
      progress.iteration = end.iterations;
      progress.residual = end.residual;
      progress.value = bound();
      if (callback && !callback(progress)) return end;
    }
    if (is_forest_) break;
  }
  if (contradiction()) {
    end.converged = true;
    end.residual = 0;
  }
  return end;
}

TreeReweighted::TreeReweighted(const FactorGraph& graph, const TreeReweightedOptions& options)
    : graph_(graph), run_(std::make_unique<Run>(graph, options)) {}
TreeReweighted::~TreeReweighted() = default;

Convergence TreeReweighted::run(const GraphCallback& callback) { return run_->run(callback); }
bool TreeReweighted::contradiction() const { return run_->contradiction(); }
ResultKind TreeReweighted::kind() const {
  return run_->is_forest() || contradiction() ? ResultKind::exact : ResultKind::upper_bound;
}
double TreeReweighted::bound() const { return run_->bound(); }

VariableMarginals TreeReweighted::beliefs() const {
  if (contradiction()) {
    throw Error("the graph allows no assignment: Z is 0, and there are no beliefs");
  }
  VariableMarginals all;
  for (Variable v = 0; v < run_->pairs().variables(); ++v) all.push_back(run_->pairs().belief(v));
  return all;
}

TreeExpectations TreeReweighted::expectations() const { return run_->expectations(graph_); }

std::vector<double> TreeReweighted::edge_probabilities() const {
  std::vector<double> p;
  for (const std::uint32_t e : run_->pairs().edge_of_factor()) {
    p.push_back(e == PairwiseMessages::kNoEdge ? 1 : run_->pairs().weights()[e]);
  }
  return p;
}

void FractionalOptions::validate() const {
  check_messages(damping, tolerance, max_iterations);
  if (!(weight > 0 && weight < kInf)) throw UsageError("the weight of entropies must be positive");
}

FractionalResult fractional_propagation(const FactorGraph& graph, const FractionalOptions& options,
                                        const GraphCallback& callback) {
  options.validate();
  PairwiseMessages pairs(graph);
  pairs.set_weights(std::vector<double>(pairs.edges().size(), options.weight));
  FractionalResult result;
  Convergence& end = result.convergence;
  while (end.iterations < options.max_iterations && !end.converged && !pairs.contradiction()) {
    end.residual = pairs.sweep(options.damping);
    ++end.iterations;
    end.converged = end.residual <= options.tolerance;
    GraphProgress progress;
    progress.iteration = end.iterations;
    progress.residual = end.residual;
    if (callback && !callback(progress)) break;
  }
  result.contradiction = pairs.contradiction();
  if (result.contradiction) {
    result.log_partition = -kInf;
    return result;
  }
  result.log_partition = pairs.free_energy();
  for (Variable v = 0; v < pairs.variables(); ++v) result.beliefs.push_back(pairs.belief(v));
  return result;
}

}  // namespace croft
