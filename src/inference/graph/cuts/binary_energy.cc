#include "inference/graph/cuts/binary_energy.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/infinity.h"
#include "inference/graph/cuts/max_flow.h"

namespace croft {
namespace {

// Strongly connected components of a graph, numbered so that arcs lead to the same or lower ones.
// Tarjan (1972), with an explicit stack.
class Components {
 public:
  Components(const std::vector<std::uint32_t>& first, const std::vector<std::uint32_t>& head)
      : first_(first),
        head_(head),
        index_(first.size() - 1, 0),
        low_(index_),
        of_(index_.size()),
        done_(index_.size(), 0) {
    for (std::uint32_t v = 0; v < index_.size(); ++v) {
      if (index_[v] == 0) visit(v);
    }
  }
  std::uint32_t count() const { return count_; }
  std::uint32_t of(std::uint32_t v) const { return of_[v]; }

 private:
  void enter(std::uint32_t v) {
    index_[v] = low_[v] = ++time_;
    open_.push_back(v);
    path_.push_back({v, first_[v]});
  }
  void visit(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      auto& [v, arc] = path_.back();
      if (arc < first_[v + 1]) {
        const std::uint32_t u = head_[arc++];
        if (index_[u] == 0) {
          enter(u);
        } else if (!done_[u]) {
          low_[v] = std::min(low_[v], index_[u]);
        }
        continue;
      }
      const std::uint32_t left = v;
      path_.pop_back();
      if (!path_.empty()) low_[path_.back().v] = std::min(low_[path_.back().v], low_[left]);
      if (low_[left] == index_[left]) close(left);
    }
  }
  void close(std::uint32_t root) {
    std::uint32_t v;
    do {
      v = open_.back();
      open_.pop_back();
      done_[v] = 1;
      of_[v] = count_;
    } while (v != root);
    ++count_;
  }

  struct Step {
    std::uint32_t v, arc;
  };
  const std::vector<std::uint32_t>&first_, &head_;
  std::vector<std::uint32_t> index_, low_, of_;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> open_;
  std::vector<Step> path_;
  std::uint32_t time_ = 0, count_ = 0;
};

// Labels what is left after the smallest source side: sets of nodes that no open arc leaves, and
// that hold no variable together with its negation.  [2n] nodes, v + n is the negation of v.
void label_rest(const MaxFlow& flow, std::vector<State>& states) {
  const auto n = static_cast<std::uint32_t>(states.size());
  const auto mirror = [n](std::uint32_t v) { return v < n ? v + n : v - n; };
  const auto decided = [&](std::uint32_t v) { return states[v < n ? v : v - n] != kUnobserved; };
  // An arc is open if it or its mirror is: the residual graph of both flows, which is symmetric.
  std::vector<std::uint32_t> first(2 * n + 1, 0), head;
  const auto each = [&](auto visit) {
    flow.for_each_open_arc([&](std::uint32_t u, std::uint32_t v) {
      if (decided(u) || decided(v)) return;
      visit(u, v);
      visit(mirror(v), mirror(u));
    });
  };
  each([&](std::uint32_t u, std::uint32_t) { ++first[u + 1]; });
  for (std::uint32_t v = 0; v < 2 * n; ++v) first[v + 1] += first[v];
  head.resize(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  each([&](std::uint32_t u, std::uint32_t v) { head[next[u]++] = v; });

  const Components components(first, head);
  std::vector<std::vector<std::uint32_t>> members(components.count());
  for (std::uint32_t v = 0; v < 2 * n; ++v) {
    if (!decided(v)) members[components.of(v)].push_back(v);
  }
  enum : std::uint8_t { open, source, sink };
  std::vector<std::uint8_t> side(components.count(), open);
  for (std::uint32_t c = 0; c < members.size(); ++c) {  // successors first
    if (side[c] != open || members[c].empty()) continue;
    const std::uint32_t opposite = components.of(mirror(members[c][0]));
    bool closed = opposite != c;
    for (const std::uint32_t u : members[c]) {
      for (std::uint32_t a = first[u]; closed && a < first[u + 1]; ++a) {
        const std::uint32_t to = components.of(head[a]);
        closed = to == c || side[to] == source;
      }
    }
    if (!closed) continue;
    side[c] = source;
    side[opposite] = sink;
    for (const std::uint32_t v : members[c]) states[v < n ? v : v - n] = v < n ? 0 : 1;
  }
}

}  // namespace

bool BinaryEnergy::submodular(double e00, double e01, double e10, double e11) {
  const double excess = (e00 + e11) - (e01 + e10);
  if (e01 + e10 == kInf) return true;
  const double size = std::abs(e00) + std::abs(e01) + std::abs(e10) + std::abs(e11);
  return excess <= 4 * std::numeric_limits<double>::epsilon() * size && excess < kInf;
}

void BinaryEnergy::add_pair(Variable u, Variable v, double a, double b, double c, double d) {
  // A state that is forbidden whatever the other is: a matter of one variable.
  if (a == kInf && b == kInf) e0_[u] = kInf, a = c, b = d;
  if (c == kInf && d == kInf) e1_[u] = kInf, c = a, d = b;
  if (a == kInf && b == kInf) return;  // all four are; u cannot be anything
  if (a == kInf && c == kInf) e0_[v] = kInf, a = b, c = d;
  if (b == kInf && d == kInf) e1_[v] = kInf, b = a, d = c;

  const bool flip = !submodular(a, b, c, d);
  if (flip) std::swap(a, b), std::swap(c, d);
  double& v1 = flip ? e0_[v] : e1_[v];
  Pair pair{u, v, 0, 0, flip};
  constant_ += a;
  if (b == kInf && c == kInf) {
    e1_[u] += d - a;
    pair.c01 = pair.c10 = kInf;
  } else if (c == kInf) {
    v1 += b - a;
    e1_[u] += d - b;
    pair.c10 = kInf;
  } else if (b == kInf) {
    e1_[u] += c - a;
    v1 += d - c;
    pair.c01 = kInf;
  } else {
    // Both ways alike: an arc of twice the size in one way is already full in the other, and the
    // flow that fills it half would have to be found.
    e1_[u] += (c - a + d - b) / 2;
    v1 += (b - a + d - c) / 2;
    pair.c01 = pair.c10 = std::max((b + c - a - d) / 2, 0.0);
  }
  if (pair.c01 == 0 && pair.c10 == 0) return;
  flipped_ += flip;
  pairs_.push_back(pair);
}

bool BinaryEnergy::normalise() {
  for (std::size_t v = 0; v < e0_.size(); ++v) {
    const double least = std::min(e0_[v], e1_[v]);
    if (least == kInf) return false;
    constant_ += least;
    e0_[v] -= least;
    e1_[v] -= least;
  }
  return constant_ < kInf;
}

void BinaryEnergy::round_off() {
  double sum = 0;
  const auto add = [&sum](double energy) { sum += energy < kInf ? energy : 0; };
  for (std::size_t v = 0; v < e0_.size(); ++v) add(e0_[v] + e1_[v]);
  for (const Pair& p : pairs_) add(p.c01), add(p.c10);
  if (sum == 0) return;
  const double unit = std::ldexp(1.0, std::ilogb(sum) - 49);
  const auto round = [unit](double& energy) {
    if (energy < kInf) energy = std::nearbyint(energy / unit) * unit;
  };
  for (std::size_t v = 0; v < e0_.size(); ++v) round(e0_[v]), round(e1_[v]);
  for (Pair& p : pairs_) round(p.c01), round(p.c10);
}

BinaryEnergy::Answer BinaryEnergy::minimise() {
  assert(submodular());
  if (!normalise()) return {{}, kInf};
  MaxFlow flow(e0_.size());
  flow.reserve_edges(pairs_.size());
  // State 0 is the source side: what state 1 costs is cut from the source.
  for (Variable v = 0; v < e0_.size(); ++v) flow.add_terminal(v, e1_[v], e0_[v]);
  for (const Pair& p : pairs_) flow.add_edge(p.u, p.v, p.c01, p.c10);
  const double value = flow.solve();
  if (value == kInf) return {{}, kInf};
  Answer answer{std::vector<State>(e0_.size()), constant_ + value};
  for (Variable v = 0; v < e0_.size(); ++v) answer.states[v] = flow.on_source_side(v) ? 0 : 1;
  return answer;
}

BinaryEnergy::Answer BinaryEnergy::roof_duality() {
  if (!normalise()) return {std::vector<State>(e0_.size(), kUnobserved), kInf};
  // Both halves of the doubled graph must saturate alike: a remainder of 1e-16 in one of them would
  // reach nodes of which nothing is certain.
  round_off();
  const auto n = static_cast<Variable>(e0_.size());
  MaxFlow flow(2 * std::size_t{n});
  flow.reserve_edges(2 * pairs_.size());
  for (Variable v = 0; v < n; ++v) {
    flow.add_terminal(v, e1_[v] / 2, e0_[v] / 2);
    flow.add_terminal(v + n, e0_[v] / 2, e1_[v] / 2);
  }
  for (const Pair& p : pairs_) {
    const Variable v = p.flip ? p.v + n : p.v, not_v = p.flip ? p.v : p.v + n;
    flow.add_edge(p.u, v, p.c01 / 2, p.c10 / 2);
    flow.add_edge(not_v, p.u + n, p.c01 / 2, p.c10 / 2);
  }
  Answer answer{std::vector<State>(n, kUnobserved), constant_ + flow.solve()};
  if (answer.energy == kInf) return answer;
  for (Variable v = 0; v < n; ++v) {
    if (flow.on_source_side(v)) answer.states[v] = 0;
    if (flow.on_source_side(v + n)) answer.states[v] = 1;
  }
  label_rest(flow, answer.states);
  return answer;
}

}  // namespace croft
