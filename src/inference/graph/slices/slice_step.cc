#include "inference/graph/slices/slice_step.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/exact/scoped_table.h"

namespace croft {
namespace {

// Numbers and places of the quick way's tables: 256 MB.
constexpr double kMostNumbers = 1 << 25;
constexpr double kMostInterface = 1 << 26;  // joint states

// Of no effect but that an elimination order keeps its variables together.
void add_frame(FactorGraph& graph, const std::vector<Variable>& scope) {
  if (scope.empty()) return;
  if (count_states(graph, scope) > kMostInterface) {
    throw Error("what a slice depends on of the slice before has more than ",
                static_cast<std::uint64_t>(kMostInterface),
                " joint states, which exact filtering cannot keep");
  }
  graph.add_factor(scope, graph.add_sparse({}, {}, 0.0));
}

std::vector<double> logarithms_of(const Table& table) {
  std::vector<double> scores(table.values.size());
  for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = table.log_value(k) + table.offset;
  return scores;
}

}  // namespace

void set_total(Table& table, bool largest) {
  table.offset = 0;
  if (largest) return;
  double sum = 0;
  for (const double x : table.values) sum += table.logarithms ? std::exp(x) : x;
  table.offset = -std::log(sum);
}

SliceStep::SliceStep(const FactorGraph& graph, std::size_t n, const std::vector<Variable>& after,
                     double memory)
    : graph_(graph), after_(after), n_(n) {
  for (auto v = static_cast<Variable>(n); v < graph.variables(); ++v) before_.push_back(v);
  add_frame(graph_, before_);
  add_frame(graph_, after_);
  const GraphCallback go_on = until_interrupted();
  order_ = find_elimination_order(graph_, {.last = after_, .progress = go_on});
  const double bytes = JunctionTree(graph_, order_, go_on).bytes();
  if (bytes > memory) {
    throw Error("the clique tree of a slice takes ", static_cast<std::uint64_t>(bytes / 1e6),
                " MB, and it may take ", static_cast<std::uint64_t>(memory / 1e6));
  }
  kernel_ = SliceKernel::make(graph_, order_.order, before_, after_, kMostNumbers);
}

double SliceStep::run(const SliceGiven& given, const SliceWanted& wanted) {
  std::optional<double> log_total;
  if (kernel_) log_total = kernel_->run(given, wanted);
  if (!log_total) log_total = run_in_logarithms(given, wanted);
  if (*log_total > -kInf && wanted.after != nullptr) set_total(*wanted.after, wanted.largest);
  return *log_total;
}

FactorGraph SliceStep::with(const SliceGiven& given) const {
  FactorGraph graph = graph_;
  for (Variable v = 0; v < given.evidence.states.size(); ++v) {
    if (given.evidence.states[v] == kUnobserved) continue;
    std::vector<double> scores(graph.states(v), -kInf);
    scores[given.evidence.states[v]] = 0;
    graph.add_factor({v}, graph.add_table(scores));
  }
  for (const auto& [v, likelihoods] : given.evidence.likelihoods) {
    std::vector<double> scores;
    for (const double x : likelihoods) scores.push_back(std::log(x));
    graph.add_factor({v}, graph.add_table(scores));
  }
  const auto add = [&](const std::vector<Variable>& scope, const Table* table) {
    if (table != nullptr) graph.add_factor(scope, graph.add_table(logarithms_of(*table)));
  };
  add(before_, given.before);
  add(after_, given.after);
  return graph;
}

// Slower, for numbers of any size.
double SliceStep::run_in_logarithms(const SliceGiven& given, const SliceWanted& wanted) const {
  const FactorGraph graph = with(given);
  JunctionTree tree(graph, order_);
  double log_total = 0;
  if (wanted.largest) {
    BestAssignment best = tree.best();
    log_total = best.score;
    if (wanted.best != nullptr) *wanted.best = std::move(best.states);
  } else {
    log_total = tree.log_partition();
  }
  if (log_total == -kInf) return log_total;
  if (wanted.after != nullptr) *wanted.after = over(graph, after_, wanted.largest);
  if (wanted.before != nullptr) {
    SliceGiven rest = given;
    rest.before = nullptr;
    *wanted.before = over(with(rest), before_, false);
  }
  if (wanted.marginals != nullptr) {
    std::vector<std::vector<double>> p = tree.marginals().variable;
    std::move(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(n_), wanted.marginals->begin());
  }
  return log_total;
}

// All others summed out, or maximised.
Table SliceStep::over(FactorGraph graph, const std::vector<Variable>& scope, bool largest) const {
  const EliminationOrder order = find_elimination_order(graph, {.last = scope, .keep_last = true});
  JunctionTree tree(graph, order);
  const FactorGraph rest = largest ? tree.max_out() : tree.sum_out();
  std::vector<double> scores;
  std::vector<State> x(graph.variables(), 0);
  for (std::uint64_t k = 0; k < joint_states(graph, scope); ++k) {
    scores.push_back(rest.score(x));
    for (std::size_t at = scope.size(); at-- > 0;) {
      if (++x[scope[at]] < graph.states(scope[at])) break;
      x[scope[at]] = 0;
    }
  }
  return table_of_scores(std::move(scores));
}

}  // namespace croft
