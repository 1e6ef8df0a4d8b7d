#include "inference/graph/sampling/conditional_tables.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "inference/graph/sampling/gibbs_kernels.h"

namespace croft {
namespace {

constexpr std::uint64_t kTableStates = 4096;                   // of a variable and its neighbours
constexpr std::size_t kMostThresholds = std::size_t{1} << 26;  // of all tables
constexpr std::uint32_t kSelf = 0xffffffff, kFixed = 0xfffffffe;

// Each potential's first equal.
std::vector<PotentialId> equal_potentials(const FactorGraph& graph) {
  const auto listed = [&](PotentialId id) {
    const PotentialKind kind = graph.potential(id).kind;
    return kind == PotentialKind::sparse        ? graph.listed(id)
           : kind == PotentialKind::cardinality ? graph.ranges(id)
                                                : std::span<const std::uint64_t>();
  };
  const auto compare = [&](PotentialId a, PotentialId b) {
    const Potential &p = graph.potential(a), &q = graph.potential(b);
    const auto shape = [](const Potential& each) {
      return std::tie(each.kind, each.odd, each.count, each.counted, each.alike);
    };
    if (shape(p) != shape(q)) return shape(p) < shape(q) ? -1 : 1;
    const auto m = graph.numbers(a), n = graph.numbers(b);
    const auto [i, j] = std::ranges::mismatch(m, n);
    if (i != m.end()) return *i < *j ? -1 : 1;
    const auto s = listed(a), t = listed(b);
    const auto [k, l] = std::ranges::mismatch(s, t);
    if (k != s.end()) return *k < *l ? -1 : 1;
    const auto [c, d] = std::ranges::mismatch(graph.counted(a), graph.counted(b));
    if (c != graph.counted(a).end()) return *c < *d ? -1 : 1;
    return 0;
  };
  std::vector<PotentialId> order(graph.potentials()), first(graph.potentials());
  for (PotentialId id = 0; id < order.size(); ++id) order[id] = id;
  std::ranges::sort(order, [&](PotentialId a, PotentialId b) {
    const int sign = compare(a, b);
    return sign != 0 ? sign < 0 : a < b;
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && compare(order[k - 1], order[k]) == 0;
    first[order[k]] = same ? first[order[k - 1]] : order[k];
  }
  return first;
}

}  // namespace

ConditionalTables::ConditionalTables(const FactorGraph& graph, const FactorLists& factors,
                                     double temperature)
    : graph_(graph),
      factors_(factors),
      temperature_(temperature),
      shape_(graph.variables(), 0),
      place_(graph.variables(), 0),
      same_(equal_potentials(graph)) {
  for (Variable v = 0; v < graph.variables(); ++v) {
    const bool few = graph.states(v) > 1 && find_neighbours(v);
    begin_.push_back(neighbour_.size());
    if (few) add(v);
  }
}

// False, and none, where there are too many joint states.
bool ConditionalTables::find_neighbours(Variable v) {
  const std::size_t begin = neighbour_.size();
  std::uint64_t joint = graph_.states(v);
  for (const Factor f : factors_.of(v)) {
    for (const Variable u : graph_.scope(f)) {
      if (u == v || graph_.states(u) < 2) continue;
      if (std::find(neighbour_.begin() + static_cast<std::ptrdiff_t>(begin), neighbour_.end(), u) !=
          neighbour_.end()) {
        continue;
      }
      neighbour_.push_back(u);
      joint *= graph_.states(u);
      if (joint > kTableStates) {
        neighbour_.resize(begin);
        return false;
      }
    }
  }
  if (joint > kTableStates) return false;
  std::sort(neighbour_.begin() + static_cast<std::ptrdiff_t>(begin), neighbour_.end());
  return true;
}

void ConditionalTables::add(Variable v) {
  const auto others = neighbours(v);
  const auto own = static_cast<std::uint32_t>(graph_.states(v));
  std::vector<std::uint32_t> shape{own}, strides(others.size());
  std::uint32_t size = own - 1;
  for (std::size_t k = others.size(); k-- > 0;) {
    strides[k] = size;
    size *= static_cast<std::uint32_t>(graph_.states(others[k]));
    shape.push_back(static_cast<std::uint32_t>(graph_.states(others[k])));
  }

  std::vector<std::vector<std::uint32_t>> roles;  // of each factor: its numbers, who is where
  for (const Factor f : factors_.of(v)) {
    std::vector<std::uint32_t>& role = roles.emplace_back();
    role.push_back(same_[graph_.potential_of(f)]);
    for (const Variable u : graph_.scope(f)) {
      const auto at = std::ranges::lower_bound(others, u);
      role.push_back(u == v                 ? kSelf
                     : graph_.states(u) < 2 ? kFixed
                                            : static_cast<std::uint32_t>(at - others.begin()));
    }
  }
  std::ranges::sort(roles);
  std::vector<std::uint32_t> key = shape;
  for (const auto& role : roles) {
    key.push_back(static_cast<std::uint32_t>(role.size()));
    key.insert(key.end(), role.begin(), role.end());
  }
  const auto known = tables_.find(key);
  if (known == tables_.end() && thresholds_.size() + size > kMostThresholds) return;

  const auto [place, is_new] =
      shapes_.try_emplace(std::move(shape), static_cast<std::uint32_t>(strides_.size()));
  if (is_new) strides_.push_back(std::move(strides));
  shape_[v] = place->second;
  place_[v] = known != tables_.end() ? known->second : make_table(v);
  if (known == tables_.end()) tables_.emplace(std::move(key), place_[v]);
}

std::uint32_t ConditionalTables::make_table(Variable v) {
  const auto at = static_cast<std::uint32_t>(thresholds_.size());
  const auto others = neighbours(v);
  std::vector<State> x(others.size(), 0);
  for (bool more = true; more;) {
    make_row(v, x);
    more = false;
    for (std::size_t k = others.size(); k-- > 0 && !more;) {
      more = ++x[k] < graph_.states(others[k]);
      if (!more) x[k] = 0;
    }
  }
  return at;
}

// P(x_v <= s) for all states but the last, as numbers below 2^31.
void ConditionalTables::make_row(Variable v, std::span<const State> x) {
  const auto others = neighbours(v);
  scores_.assign(graph_.states(v), 0.0);
  std::vector<State> states;
  for (const Factor f : factors_.of(v)) {
    std::size_t self = 0;
    states.clear();
    for (const Variable u : graph_.scope(f)) {
      if (u == v) self = states.size();
      const bool other = u != v && graph_.states(u) > 1;
      const auto k = static_cast<std::size_t>(std::ranges::lower_bound(others, u) - others.begin());
      states.push_back(other ? x[k] : 0);
    }
    for (State s = 0; s < scores_.size(); ++s) {
      states[self] = s;
      scores_[s] += graph_.score_of(f, states);
    }
  }
  const double high = *std::ranges::max_element(scores_);
  double sum = 0;
  for (double& score : scores_) {
    // From an assignment that is allowed no row without an allowed state is ever reached.
    score = std::isinf(high) ? 1 : std::exp((score - high) / temperature_);
    sum += score;
  }
  double below = 0;
  for (std::size_t s = 0; s + 1 < scores_.size(); ++s) {
    below += scores_[s];
    thresholds_.push_back(static_cast<std::uint32_t>(std::llround(below / sum * kOne)));
  }
}

}  // namespace croft
