#include "inference/graph/exact/elimination.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace croft {
namespace {

constexpr std::size_t kHub = 256;  // neighbours

// Rounded so that sums of a few thousand are exact: equal costs are equal, however they came about.
double exact_log2(std::size_t states) {
  constexpr double kUnit = 1.0 / (1ULL << 32);
  return std::round(std::log2(static_cast<double>(states)) / kUnit) * kUnit;
}

}  // namespace

NeighbourLists neighbours_of(const FactorGraph& graph) {
  NeighbourLists lists(graph.variables());
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable u : graph.scope(f)) {
      if (graph.states(u) < 2) continue;
      for (const Variable v : graph.scope(f)) {
        if (u != v && graph.states(v) >= 2) lists[u].push_back(v);
      }
    }
  }
  for (std::vector<Variable>& list : lists) {
    std::ranges::sort(list);
    const auto rest = std::ranges::unique(list);
    list.erase(rest.begin(), rest.end());
  }
  return lists;
}

Elimination::Elimination(const FactorGraph& graph, NeighbourLists lists, EliminationRule rule,
                         const Spend& spend)
    : rule_(rule),
      lists_(std::move(lists)),
      place_(lists_.size()),
      log2_(lists_.size()),
      weight_(lists_.size(), 1.0),
      log2_size_(lists_.size()),
      around_(lists_.size()),
      missing_(lists_.size()),
      key_(lists_.size()),
      gone_(lists_.size()),
      late_(lists_.size()),
      mark_(lists_.size()),
      touched_(lists_.size()) {
  for (Variable v = 0; v < lists_.size(); ++v) {
    log2_[v] = exact_log2(graph.states(v));
    if (rule == EliminationRule::weighted_min_fill) {
      weight_[v] = static_cast<double>(graph.states(v));
    }
    if (graph.states(v) >= 2) changed_.push_back(v);
    for (std::uint32_t k = 0; k < lists_[v].size(); ++k) {  // sorted: places come in order
      place_[lists_[v][k]].push_back(k);
    }
  }
  for (const Variable v : changed_) {
    log2_size_[v] = log2_[v];
    for (const Variable u : lists_[v]) {
      log2_size_[v] += log2_[u];
      around_[v] += weight_[u];
    }
  }
  if (counts_missing()) count_missing(spend);
}

// Triangles, each from the corner that has the fewest neighbours: a hub's list is not gone through
// for each of its leaves.
void Elimination::count_missing(const Spend& spend) {
  std::vector<std::vector<double>> known(lists_.size());  // [variables][neighbours] that both have
  for (const Variable v : changed_) known[v].assign(lists_[v].size(), 0);
  const auto is_above = [&](Variable u, Variable v) {
    return std::pair(lists_[u].size(), u) > std::pair(lists_[v].size(), v);
  };
  std::vector<std::vector<std::uint32_t>> above(lists_.size());  // places of neighbours
  for (const Variable v : changed_) {
    for (std::uint32_t k = 0; k < lists_[v].size(); ++k) {
      if (is_above(lists_[v][k], v)) above[v].push_back(k);
    }
  }
  std::vector<std::uint32_t> place(lists_.size());
  for (const Variable v : changed_) {
    const double before = work_;
    ++stamp_;
    for (const std::uint32_t k : above[v]) {
      mark_[lists_[v][k]] = stamp_;
      place[lists_[v][k]] = k;
    }
    for (const std::uint32_t k : above[v]) {
      const Variable u = lists_[v][k];
      work_ += 1 + static_cast<double>(above[u].size());
      for (const std::uint32_t j : above[u]) {
        const Variable t = lists_[u][j];
        if (mark_[t] != stamp_) continue;
        known[v][k] += weight_[t], known[u][place_[v][k]] += weight_[t];
        known[v][place[t]] += weight_[u], known[t][place_[v][place[t]]] += weight_[u];
        known[u][j] += weight_[v], known[t][place_[u][j]] += weight_[v];
      }
    }
    spend(work_ - before);
  }
  for (const Variable v : changed_) {
    double sum = 0;
    for (std::size_t k = 0; k < lists_[v].size(); ++k) {
      const double own = weight_[lists_[v][k]];
      sum += own * (around_[v] - own - known[v][k]);
    }
    missing_[v] = sum / 2;
  }
}

void Elimination::postpone(std::span<const Variable> last, bool stay) {
  for (const Variable v : last) late_[v] = 1;
  late_stay_ = stay;
}

bool Elimination::counts_missing() const {
  return rule_ == EliminationRule::min_fill || rule_ == EliminationRule::weighted_min_fill;
}

double Elimination::cost(Variable v) const {
  if (rule_ == EliminationRule::min_degree) return static_cast<double>(lists_[v].size());
  return counts_missing() ? missing_[v] : log2_size_[v];
}

// Costs as logarithms, plus exponential noise; what joins nothing is always taken at once.
double Elimination::noisy_cost(Variable v, Random& random) const {
  const double exact = cost(v);
  const bool is_logarithm = rule_ == EliminationRule::min_weight;
  if (exact == 0 && !is_logarithm) return -1;
  const double log_cost = is_logarithm ? exact * std::numbers::ln2 : std::log(exact);
  return log_cost - noise_ * std::log(1 - random.uniform());
}

void Elimination::mark_neighbours(Variable v) {
  ++stamp_;
  for (const Variable u : lists_[v]) mark_[u] = stamp_;
  work_ += static_cast<double>(lists_[v].size());
}

// Equal costs come in random order.
void Elimination::enter(Variable v, Random& random) {
  if (late_stay_ && late_[v] != 0) return;
  key_[v] = random.next();
  queue_.push({late_[v], noise_ > 0 ? noisy_cost(v, random) : cost(v), key_[v], v});
}

void Elimination::touch(Variable v) {
  if (touched_[v] == round_) return;
  touched_[v] = round_;
  changed_.push_back(v);
}

EliminationOrder Elimination::run(double most, double most_log2_largest,
                                  std::span<const Variable> first, Random& random,
                                  const Spend& spend) {
  EliminationOrder result;
  double total = 0;
  for (;;) {
    const bool given = result.order.size() < first.size();
    if (!given) {
      if (!first.empty() && result.order.size() == first.size()) set_all_changed();
      for (const Variable v : changed_) enter(v, random);
    }
    const Variable v = given ? first[result.order.size()] : take_next();
    if (v == kUnobserved) break;
    if (given) gone_[v] = 1;
    const double size = log2_size_[v];
    result.log2_largest = std::max(result.log2_largest, size);
    total += std::exp2(size);
    if (total > most || size > most_log2_largest) {
      result.order.clear();
      return result;
    }
    result.order.push_back(v);
    const double before = work_;
    eliminate(v);
    spend(work_ - before);
  }
  result.log2_total = total > 0 ? std::log2(total) : 0;
  return result;
}

// The best of the queue; kUnobserved where it is empty.
Variable Elimination::take_next() {
  while (!queue_.empty() && queue_.top().key != key_[queue_.top().variable]) queue_.pop();
  if (queue_.empty()) return kUnobserved;
  const Variable v = queue_.top().variable;
  queue_.pop();
  return v;
}

void Elimination::set_all_changed() {
  changed_.clear();
  for (Variable v = 0; v < lists_.size(); ++v) {
    if (log2_[v] > 0 && !gone_[v]) changed_.push_back(v);
  }
}

std::vector<Variable> Elimination::run_within(double most_log2_largest, Random& random,
                                              std::span<const Variable> first) {
  std::vector<Variable> order;
  std::vector<std::uint8_t> stays(lists_.size(), 0);
  for (const Variable v : first) stays[v] = 1;
  for (const Variable v : first) {
    while (!gone_[v] && log2_size_[v] > most_log2_largest) take_out(widest_of_clique(v, stays));
    if (std::exchange(gone_[v], 1) != 0) continue;
    order.push_back(v);
    log2_largest_ = std::max(log2_largest_, log2_size_[v]);
    eliminate(v);
  }
  set_all_changed();
  for (;;) {
    for (const Variable v : changed_) {
      if (!gone_[v]) enter(v, random);
    }
    const Variable v = take_next();
    if (v == kUnobserved) return order;
    if (log2_size_[v] > most_log2_largest) {
      take_out(widest_of_clique(v, stays));  // which has v entered again, or gone
      continue;
    }
    order.push_back(v);
    gone_[v] = 1;
    log2_largest_ = std::max(log2_largest_, log2_size_[v]);
    eliminate(v);
  }
}

// Which, when it goes, leaves the most room.
Variable Elimination::widest_of_clique(Variable v, std::span<const std::uint8_t> stays) const {
  Variable widest = v;
  for (const Variable u : lists_[v]) {
    const bool wider = log2_size_[u] > log2_size_[widest];
    if (stays[u] != stays[widest] ? stays[u] == 0 : wider) widest = u;
  }
  return widest;
}

void Elimination::take_out(Variable v) {
  changed_.clear();
  touched_[v] = ++round_;
  gone_[v] = 1;
  key_[v] = 0;
  mark_neighbours(v);
  for (std::size_t k = 0; k < lists_[v].size(); ++k) {
    const Variable u = lists_[v][k];
    drop(u, place_[v][k]);
    const std::vector<Variable>& list = lists_[u];
    around_[u] -= weight_[v];
    log2_size_[u] -= log2_[v];
    if (counts_missing()) {
      for (const Variable t : list) missing_[u] -= mark_[t] == stamp_ ? 0 : weight_[v] * weight_[t];
    }
    touch(u);
  }
  lists_[v].clear();
}

void Elimination::eliminate(Variable v) {
  changed_.clear();
  touched_[v] = ++round_;
  key_[v] = 0;
  const std::vector<Variable>& clique = lists_[v];
  if (!counts_missing() || missing_[v] > 0) join_all(clique);
  work_ += static_cast<double>(clique.size());
  for (std::size_t k = 0; k < clique.size(); ++k) {
    const Variable u = clique[k];
    drop(u, place_[v][k]);
    around_[u] -= weight_[v];
    log2_size_[u] -= log2_[v];
    // v's pairs with those of u's neighbours that are not in the clique.
    missing_[u] -= weight_[v] * (around_[u] - (around_[v] - weight_[u]));
    touch(u);
  }
}

// A hub comes last: its list is not gone through for each of those that it is joined with.
void Elimination::join_all(const std::vector<Variable>& clique) {
  if (clique.size() < 2) return;
  const auto degree = [&](Variable v) { return lists_[v].size(); };
  std::vector<Variable> all = clique;
  if (degree(*std::ranges::max_element(all, {}, degree)) > kHub) {
    std::ranges::stable_sort(all, {}, degree);
  }
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    mark_neighbours(all[i]);
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (mark_[all[j]] != stamp_) join(all[i], all[j]);
    }
  }
}

// Makes neighbours of two that are not; those of a are marked.
void Elimination::join(Variable a, Variable b) {
  if (counts_missing()) {
    const double pair = weight_[a] * weight_[b];
    double common = 0;
    for (const Variable c : lists_[b]) {
      if (mark_[c] != stamp_) continue;
      common += weight_[c];
      missing_[c] -= pair;
      touch(c);
    }
    work_ += static_cast<double>(lists_[b].size());
    missing_[a] += weight_[b] * (around_[a] - common);
    missing_[b] += weight_[a] * (around_[b] - common);
  }
  place_[a].push_back(static_cast<std::uint32_t>(lists_[b].size()));
  place_[b].push_back(static_cast<std::uint32_t>(lists_[a].size()));
  lists_[a].push_back(b);
  lists_[b].push_back(a);
  mark_[b] = stamp_;
  around_[a] += weight_[b];
  around_[b] += weight_[a];
  log2_size_[a] += log2_[b];
  log2_size_[b] += log2_[a];
}

// Takes an entry out of v's list; the last one moves to its place.
void Elimination::drop(Variable v, std::uint32_t at) {
  std::vector<Variable>& list = lists_[v];
  std::vector<std::uint32_t>& places = place_[v];
  list[at] = list.back();
  places[at] = places.back();
  place_[list[at]][places[at]] = at;
  list.pop_back();
  places.pop_back();
}

}  // namespace croft
