#include "inference/graph/bounds/mini_bucket_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "core/infinity.h"
#include "croft/inference/elimination_order.h"

namespace croft {

namespace {

constexpr std::size_t kMostNeighbours = 256;
constexpr double kSimple = 3e7,
                 kNotTooLarge = 3e8;  // sums of cubes of neighbours, which min-fill takes

// The scores of a term that its messages have left it, for the states that are left.
std::vector<double> table_of(Reparametrisation& scores, Reparametrisation::Term t,
                             const std::vector<std::vector<State>>& states) {
  const auto scope = scores.scope(t);
  std::vector<double> table;
  std::vector<std::size_t> at(scope.size(), 0);
  std::vector<State> x(scope.size());
  for (;;) {
    for (std::size_t k = 0; k < at.size(); ++k) x[k] = states[scope[k]][at[k]];
    double score = scores.graph().score_of(scores.factor(t), x);
    if (score > -kInf) {
      for (std::size_t k = 0; k < at.size(); ++k) score -= scores.message(t, k)[x[k]];
    }
    table.push_back(score);
    std::size_t k = at.size();
    while (k > 0 && ++at[k - 1] == states[scope[k - 1]].size()) at[--k] = 0;
    if (k == 0) return table;
  }
}

}  // namespace

std::vector<State> RestOfGraph::whole(const std::vector<State>& x) const {
  std::vector<State> all;
  for (const auto& each : states) all.push_back(each[0]);
  for (std::size_t k = 0; k < variables.size(); ++k) all[variables[k]] = states[variables[k]][x[k]];
  return all;
}

std::optional<RestOfGraph> rest_of(Reparametrisation& scores, double most) {
  RestOfGraph rest;
  const FactorGraph& graph = scores.graph();
  std::vector<Variable> own(graph.variables());
  rest.states.resize(graph.variables());
  double constant = scores.constant();
  for (Variable v = 0; v < graph.variables(); ++v) {
    const auto belief = scores.belief(v);
    std::vector<double> left;
    for (State s = 0; s < belief.size(); ++s) {
      if (belief[s] == -kInf) continue;
      rest.states[v].push_back(s);
      left.push_back(belief[s]);
    }
    if (left.size() == 1) {
      constant += left[0];
      continue;
    }
    own[v] = rest.graph.add_variable(left.size());
    rest.variables.push_back(v);
    rest.graph.add_factor({own[v]}, rest.graph.add_table(left));
  }
  rest.graph.add_factor({}, rest.graph.add_table(std::vector{constant}));
  for (Reparametrisation::Term t = 0; t < scores.terms(); ++t) {
    double joint = 1;
    std::vector<Variable> scope;
    for (const Variable v : scores.scope(t)) {
      joint *= static_cast<double>(rest.states[v].size());
      if (rest.states[v].size() > 1) scope.push_back(own[v]);
    }
    if ((most -= joint) < 0) return std::nullopt;
    rest.graph.add_factor(scope, rest.graph.add_table(table_of(scores, t, rest.states)));
  }
  return rest;
}

std::optional<std::vector<Variable>> order_for_mini_buckets(const FactorGraph& graph) {
  std::vector<std::vector<Variable>> near(graph.variables());
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) {
      for (const Variable u : graph.scope(f)) {
        if (u != v) near[v].push_back(u);
      }
    }
  }
  std::set<std::pair<std::size_t, Variable>> queue;
  for (Variable v = 0; v < near.size(); ++v) {
    std::ranges::sort(near[v]);
    const auto same = std::ranges::unique(near[v]);
    near[v].erase(same.begin(), same.end());
    queue.emplace(near[v].size(), v);
  }
  std::vector<Variable> order, merged;
  double cubes = 0;
  while (!queue.empty()) {
    const auto [count, v] = *queue.begin();
    if (count > kMostNeighbours) return std::nullopt;
    queue.erase(queue.begin());
    order.push_back(v);
    cubes += static_cast<double>(count) * static_cast<double>(count) * static_cast<double>(count);
    for (const Variable u : near[v]) {
      queue.erase({near[u].size(), u});
      merged.clear();
      std::ranges::set_union(near[u], near[v], std::back_inserter(merged));
      std::erase_if(merged, [u = u, v = v](Variable t) { return t == u || t == v; });
      near[u] = merged;
      queue.emplace(near[u].size(), u);
    }
    near[v].clear();
  }
  if (cubes > kNotTooLarge) return order;
  const std::size_t restarts = cubes > kSimple ? 1 : 4;
  EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = restarts};
  options.most_log2_states = std::numeric_limits<double>::infinity();  // buckets are split
  return find_elimination_order(graph, options).order;
}

namespace {

constexpr std::size_t kFewestKnown = 1 << 11, kMostKnown = 1 << 20;  // 24 MB at most

std::uint64_t mixed(std::uint64_t a) {
  a = (a ^ (a >> 31)) * 0x9e3779b97f4a7c15;
  return a ^ (a >> 29);
}

std::uint64_t index_of(const MiniBuckets::Function& f, const std::vector<State>& x) {
  std::uint64_t index = 0;
  for (std::size_t k = 0; k < f.scope.size(); ++k) index += f.strides[k] * x[f.scope[k]];
  return index;
}

}  // namespace

MiniBucketSearch::MiniBucketSearch(const MiniBuckets& buckets)
    : buckets_(buckets),
      x_(buckets.places(), 0),
      levels_(buckets.places()),
      kept_(buckets.places(), 0),
      known_(kFewestKnown) {
  for (Place v = 0; v < buckets.places(); ++v) {
    double log2_states = 0;
    for (const Place u : buckets.context(v)) {
      log2_states += std::log2(static_cast<double>(buckets.states(u)));
    }
    // Where all above is in the context, it never comes back.
    const Place above = buckets.parent(v);
    const bool returns = above != MiniBuckets::kNowhere &&
                         buckets.context(v).size() <= buckets.context(above).size();
    kept_[v] = returns && log2_states < 60 && !buckets.exact_below(v);
  }
}

std::uint64_t MiniBucketSearch::context_number(Place v) const {
  std::uint64_t number = 0;
  for (const Place u : buckets_.context(v)) number = number * buckets_.states(u) + x_[u];
  return number;
}

MiniBucketSearch::Known& MiniBucketSearch::known(Place v, std::uint64_t context) {
  return known_[mixed(context * 0x2545f4914f6cdd1d + v) % known_.size()];
}

void MiniBucketSearch::keep(const Known& what) {
  if (++kept_since_ > known_.size() && known_.size() < kMostKnown) {
    kept_since_ = 0;
    const std::vector<Known> old = std::exchange(known_, std::vector<Known>(8 * known_.size()));
    for (const Known& each : old) {
      if (each.v != MiniBuckets::kNowhere) known(each.v, each.context) = each;
    }
  }
  known(what.v, what.context) = what;
}

double MiniBucketSearch::crossing(Place v) const {
  double sum = 0;
  for (const std::uint32_t id : buckets_.crossing(v)) {
    const auto& f = buckets_.functions()[id];
    sum += f.values[index_of(f, x_)];
  }
  return sum;
}

void MiniBucketSearch::expand(Place v) {
  Level& level = levels_[v];
  const std::size_t n = buckets_.states(v);
  const auto& children = buckets_.children(v);
  level.bounds.resize(n);
  level.below.resize(n * children.size());
  level.found.resize(children.size());
  level.tries.resize(n);
  std::ranges::fill(level.bounds, 0.0);
  x_[v] = 0;
  for (const std::uint32_t id : buckets_.factors_at(v)) {
    const auto& f = buckets_.functions()[id];
    const double* row = f.values.data() + index_of(f, x_);
    for (std::size_t s = 0; s < n; ++s) level.bounds[s] += row[s];
  }
  for (std::size_t c = 0; c < children.size(); ++c) {
    double above = 0;  // of messages that go past v
    double* below = level.below.data() + c * n;
    std::fill_n(below, n, 0.0);
    for (const std::uint32_t id : buckets_.crossing(children[c])) {
      const auto& f = buckets_.functions()[id];
      const double* row = f.values.data() + index_of(f, x_);
      if (f.scope.empty() || f.scope.back() != v) {
        above += *row;
      } else {
        for (std::size_t s = 0; s < n; ++s) below[s] += row[s];
      }
    }
    for (std::size_t s = 0; s < n; ++s) {
      below[s] += above;
      level.bounds[s] += below[s];
    }
  }
  std::iota(level.tries.begin(), level.tries.end(), State{0});
  std::ranges::stable_sort(level.tries, std::greater<>(), [&](State s) { return level.bounds[s]; });
}

MiniBucketSearch::Value MiniBucketSearch::solve_state(Place v, State s, double target) {
  Level& level = levels_[v];
  const auto& children = buckets_.children(v);
  const std::size_t n = buckets_.states(v);
  Value value{level.bounds[s], true};
  for (std::size_t c = 0; c < children.size(); ++c) {
    const double bound = level.below[c * n + s];
    x_[v] = s;
    const Value of_child = solve(children[c], bound, target - (value.score - bound));
    if (stopped_) return {kInf, false};
    level.found[c] = of_child.score;
    value.score += of_child.score - bound;
    value.reached = value.reached && of_child.reached;
    if (value.score <= target) return {value.score, value.reached && c + 1 == children.size()};
  }
  return value;
}

// Over the states of v, after expand(v); never less than what it is, and no target ends it early.
MiniBucketSearch::Value MiniBucketSearch::sum(Place v) {
  std::vector<double> scores;
  for (State s = 0; s < buckets_.states(v); ++s) {
    scores.push_back(levels_[v].bounds[s] == -kInf ? -kInf : solve_state(v, s, -kInf).score);
    if (stopped_) return {kInf, false};
  }
  const double most = *std::ranges::max_element(scores);
  if (most == -kInf) return {-kInf, true};
  double total = 0;
  for (const double each : scores) total += std::exp(each - most);
  return {most + std::log(total), true};
}

// Exact where more than `target`.
MiniBucketSearch::Value MiniBucketSearch::solve(Place v, double bound, double target) {
  if (buckets_.exact_below(v)) return {bound, true};
  if (bound <= target) return {bound, false};
  if (!(*goes_on_)()) stopped_ = true;
  if (stopped_) return {kInf, false};
  const std::uint64_t context = kept_[v] ? context_number(v) : 0;
  if (kept_[v]) {
    const Known& seen = known(v, context);
    if (seen.v == v && seen.context == context && (seen.reached || seen.score <= target)) {
      return {seen.score, seen.reached};
    }
  }
  expand(v);
  if (buckets_.is_summed(v)) {
    const Value value = sum(v);
    if (kept_[v] && !stopped_) keep({v, true, context, value.score});
    return value;
  }
  double reached = -kInf, most = -kInf;  // by an assignment; that none exceeds
  for (const State s : levels_[v].tries) {
    const double limit = std::max(target, reached);
    if (levels_[v].bounds[s] <= limit) {
      most = std::max(most, levels_[v].bounds[s]);
      break;
    }
    const Value value = solve_state(v, s, limit);
    if (stopped_) return {kInf, false};
    most = std::max(most, value.score);
    if (value.reached) reached = std::max(reached, value.score);
  }
  const Value value{std::max(most, reached), reached >= most};
  if (kept_[v]) keep({v, value.reached, context, value.score});
  return value;
}

// Goes down again where a value is reached; what has been found out makes that quick.
bool MiniBucketSearch::decode(Place v, double score) {
  if (buckets_.is_summed(v)) return true;
  expand(v);
  const double slack = 1e-9 * std::max(1.0, std::abs(score));
  const Level& level = levels_[v];
  for (const State s : level.tries) {
    if (level.bounds[s] < score - slack) break;
    const Value value = solve_state(v, s, score - 2 * slack);
    if (stopped_) return false;
    if (!value.reached || value.score < score - slack) continue;
    x_[v] = s;
    const auto& children = buckets_.children(v);
    for (std::size_t c = 0; c < children.size(); ++c) {
      if (!decode(children[c], level.found[c])) return false;
    }
    return true;
  }
  return false;
}

const std::vector<State>& MiniBucketSearch::guess() {
  for (std::size_t v = x_.size(); v-- > 0 && !buckets_.is_summed(static_cast<Place>(v));) {
    expand(static_cast<Place>(v));
    x_[v] = levels_[v].tries[0];
  }
  return x_;
}

MiniBucketSearch::Outcome MiniBucketSearch::run(double target,
                                                const std::function<bool()>& goes_on) {
  goes_on_ = &goes_on;
  stopped_ = false;
  double sum = buckets_.bound();
  bool reached = true;
  std::vector<double> scores;
  for (const Place root : buckets_.roots()) {
    if (sum <= target) return Outcome::none;
    const double bound = crossing(root);
    const Value value = solve(root, bound, target - (sum - bound));
    if (stopped_) return Outcome::stopped;
    sum += value.score - bound;
    reached = reached && value.reached;
    scores.push_back(value.score);
  }
  if (sum <= target || !reached) return Outcome::none;
  for (std::size_t r = 0; r < scores.size(); ++r) {
    if (!decode(buckets_.roots()[r], scores[r])) return Outcome::stopped;
  }
  best_ = sum;
  return Outcome::found;
}

}  // namespace croft
