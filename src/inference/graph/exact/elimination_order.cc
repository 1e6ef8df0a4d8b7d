#include "croft/inference/elimination_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/exact/elimination.h"

namespace croft {
namespace {

constexpr double kStepsBetweenQuestions = 1 << 22;  // some milliseconds
constexpr double kStepsOfQueue = 256;
constexpr double kStepsBeforeDoubt = 1 << 26;  // whether there is any narrow order
constexpr double kStepsOfDoubt = 1 << 30;      // a second or so
constexpr std::size_t kPlainRestarts = 8;      // which differ in ties alone
constexpr double kMostNoise = 0.2;             // of logarithms of costs, in the tries after these
constexpr double kStepStates = 8;  // a try may take an eighth of the steps that the states do

// Of all searches for an order together.
class Steps {
 public:
  //   doubt : called once, where the search takes long
  Steps(const GraphCallback& progress, std::function<void()> doubt)
      : progress_(progress), doubt_(std::move(doubt)) {}

  // Counts the steps of one variable; its way through the queue takes some, too.
  void add(double steps) {
    done_ += steps;
    since_ += steps + kStepsOfQueue;
    if (since_ < kStepsBetweenQuestions) return;
    since_ = 0;
    if (doubt_ && done_ > kStepsBeforeDoubt) std::exchange(doubt_, nullptr)();
    GraphProgress now;
    now.iteration = static_cast<std::size_t>(done_ / 1e6);
    if (progress_ && !progress_(now)) {
      throw Interrupted("stopped while an elimination order was looked for");
    }
  }

 private:
  const GraphCallback& progress_;
  std::function<void()> doubt_;
  double done_ = 0, since_ = 0;  // the last question
};

// Fewer variables than the largest clique of any order has; at most `enough`.  No minor of a graph
// is wider than the graph, and none has a degree above its width: edges are contracted, each time
// that of the lowest degree with the neighbour that it shares the fewest others with (Gogate &
// Dechter 2004).
//   spend : told of steps;  after kStepsOfDoubt of them the width so far is the answer
std::size_t width_at_least(NeighbourLists lists, std::size_t enough,
                           const Elimination::Spend& spend) {
  double steps = 0;
  std::set<std::pair<std::size_t, Variable>> queue;
  for (Variable v = 0; v < lists.size(); ++v) {
    if (!lists[v].empty()) queue.emplace(lists[v].size(), v);
  }
  std::size_t width = 0;
  std::vector<Variable> merged;
  const auto replace = [&](Variable v, const std::vector<Variable>& list) {
    queue.erase({lists[v].size(), v});
    lists[v] = list;
    if (!list.empty()) queue.emplace(list.size(), v);
  };
  while (!queue.empty() && width < enough && steps < kStepsOfDoubt) {
    const auto [degree, v] = *queue.begin();
    width = std::max(width, degree);
    const std::vector<Variable> near = lists[v];
    double all = static_cast<double>(near.size());
    for (const Variable u : near) all += 2 * static_cast<double>(lists[u].size());
    steps += all;
    spend(all);
    std::size_t fewest = near.size();
    Variable into = near.front();
    for (const Variable u : near) {
      merged.clear();
      std::ranges::set_intersection(near, lists[u], std::back_inserter(merged));
      if (merged.size() >= fewest) continue;
      fewest = merged.size();
      into = u;
    }
    merged.clear();
    std::ranges::set_union(near, lists[into], std::back_inserter(merged));
    std::erase_if(merged, [v = v, into](Variable t) { return t == v || t == into; });
    const std::vector<Variable> joined = merged;
    replace(v, {});
    replace(into, joined);
    for (const Variable u : near) {
      if (u == into) continue;
      merged = lists[u];
      std::erase(merged, v);
      const auto at = std::ranges::lower_bound(merged, into);
      if (at == merged.end() || *at != into) merged.insert(at, into);
      replace(u, merged);
    }
  }
  return width;
}

// Every order has a clique of each scope that has a variable of it; its neighbours are not written
// down if it is too large.
void check_scopes(const FactorGraph& graph, const EliminationOptions& options) {
  std::vector<bool> stays(graph.variables());
  for (const Variable v : options.last) {
    if (v >= graph.variables()) throw UsageError("there is no variable " + std::to_string(v));
    stays[v] = options.keep_last;
  }
  const auto stays_here = [&](Variable v) { return stays[v]; };
  double largest = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (std::ranges::all_of(graph.scope(f), stays_here)) continue;
    double size = 0;
    for (const Variable v : graph.scope(f)) size += std::log2(static_cast<double>(graph.states(v)));
    largest = std::max(largest, size);
  }
  if (largest > options.most_log2_states) throw TooWide(largest);
}

// What a later try begins with: in seven of eight cases the best order up to somewhere.
std::vector<Variable> part_of(const std::vector<Variable>& best, Random& random) {
  if (best.empty() || random.below(8) == 0) return {};
  const auto end = static_cast<std::ptrdiff_t>(random.below(best.size()));
  return {best.begin(), best.begin() + end};
}

}  // namespace

EliminationRule elimination_rule(std::string_view name) {
  if (name == "min-fill") return EliminationRule::min_fill;
  if (name == "weighted-min-fill") return EliminationRule::weighted_min_fill;
  if (name == "min-weight") return EliminationRule::min_weight;
  if (name == "min-degree") return EliminationRule::min_degree;
  throw UsageError("there is no elimination rule " + in_quotes(name) +
                   "; there are min-fill, weighted-min-fill, min-weight, min-degree");
}

TooWide::TooWide(double log2_states)
    : Error("elimination takes at least 2^", static_cast<int>(log2_states),
            " joint states in every order that was tried, too many for an exact method; take an "
            "approximate one, such as --method belief-propagation, branch-and-bound or gibbs"),
      log2_states_(log2_states) {}

EliminationOrder find_elimination_order(const FactorGraph& graph,
                                        const EliminationOptions& options) {
  if (options.restarts < 1) throw UsageError("restarts must be at least 1");
  std::vector<EliminationRule> rules = options.rules;
  if (rules.empty()) {
    rules = {EliminationRule::min_fill, EliminationRule::min_weight,
             EliminationRule::weighted_min_fill};
  }
  check_scopes(graph, options);
  const NeighbourLists lists = neighbours_of(graph);
  Random random(options.seed);
  Steps steps(options.progress, [&] {
    const double limit = options.most_log2_states;
    if (options.keep_last || limit >= static_cast<double>(graph.variables())) return;
    const auto width = static_cast<double>(width_at_least(
        lists, static_cast<std::size_t>(limit) + 1, [&](double n) { steps.add(n); }));
    if (width > limit) throw TooWide(width);
  });
  const Elimination::Spend spend = [&](double count) { steps.add(count); };
  std::vector<Elimination> starts;  // [rules]
  EliminationOrder best;
  const double infinite = std::numeric_limits<double>::infinity();
  double most = infinite, too_wide = infinite, work = 0;
  std::optional<double> best_bytes;  // worked out where there is another order to compare with
  const auto bytes_of_best = [&] {
    if (!best_bytes) best_bytes = JunctionTree(graph, best, options.progress).bytes();
    return *best_bytes;
  };
  try {
    for (std::size_t k = 0; k < options.restarts; ++k) {
      if (most == infinite && too_wide < infinite) break;  // other ties will not help
      for (std::size_t r = 0; r < rules.size(); ++r) {
        if (k + work > 0 && work > most) return best;
        if (k == 0) {
          starts.emplace_back(graph, lists, rules[r], spend);
          starts.back().postpone(options.last, options.keep_last);
        }
        Elimination run = starts[r];
        const std::vector<Variable> first =
            k < kPlainRestarts ? std::vector<Variable>() : part_of(best.order, random);
        if (k >= kPlainRestarts) run.set_noise(kMostNoise * random.uniform());
        EliminationOrder found = run.run(most, options.most_log2_states, first, random, spend);
        work += kStepStates * (run.work() - (k > 0 ? starts[r].work() : 0)) +
                static_cast<double>(graph.variables());
        if (found.log2_largest > options.most_log2_states) {
          too_wide = std::min(too_wide, found.log2_largest);
        }
        if (found.order.empty()) continue;
        const double total = std::exp2(found.log2_total);
        if (total >= most) continue;
        const double bytes =
            best.order.empty() ? 0 : JunctionTree(graph, found, options.progress).bytes();
        if (!best.order.empty() && bytes > bytes_of_best()) continue;
        if (!best.order.empty()) best_bytes = bytes;
        most = total;
        best = std::move(found);
      }
    }
  } catch (const Interrupted&) {
    if (most == infinite) throw;
  }
  if (most == infinite && too_wide < infinite) throw TooWide(too_wide);
  return best;
}

EliminationOrder cost_of_order(const FactorGraph& graph, std::vector<Variable> order) {
  std::vector<Variable> sorted = order;
  std::ranges::sort(sorted);
  std::vector<Variable> all;
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) >= 2) all.push_back(v);
  }
  if (sorted != all) {
    throw UsageError("an elimination order must have every variable of two states or more once");
  }
  NeighbourLists lists = neighbours_of(graph);
  EliminationOrder result{.order = std::move(order)};
  double total = 0;
  for (const Variable v : result.order) {
    double size = std::log2(static_cast<double>(graph.states(v)));
    for (const Variable u : lists[v]) size += std::log2(static_cast<double>(graph.states(u)));
    result.log2_largest = std::max(result.log2_largest, size);
    total += std::exp2(size);
    for (const Variable u : lists[v]) {
      std::vector<Variable> merged;
      std::ranges::set_union(lists[u], lists[v], std::back_inserter(merged));
      std::erase_if(merged, [&](Variable t) { return t == u || t == v; });
      lists[u] = std::move(merged);
    }
  }
  result.log2_total = total > 0 ? std::log2(total) : 0;
  return result;
}

}  // namespace croft
