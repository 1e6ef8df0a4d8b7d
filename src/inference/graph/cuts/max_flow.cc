#include "inference/graph/cuts/max_flow.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr std::uint32_t kNoParent = 0xffffffff, kTerminal = 0xfffffffe, kOrphan = 0xfffffffd;
constexpr std::uint32_t kFar = 0xffffffff;

}  // namespace

MaxFlow::MaxFlow(std::size_t nodes) : terminal_(nodes, 0.0) {}

void MaxFlow::add_terminal(Node v, double from_source, double to_sink) {
  // What goes straight from source to sink through v is flow; the rest stays on one side.
  const double source = from_source + std::max(terminal_[v], 0.0);
  const double sink = to_sink + std::max(-terminal_[v], 0.0);
  flow_ += std::min(source, sink);
  terminal_[v] = source == kInf && sink == kInf ? 0 : source - sink;
}

void MaxFlow::add_edge(Node u, Node v, double capacity, double back) {
  assert(u != v);
  if (capacity > 0 || back > 0) pending_.push_back({u, v, capacity, back});
}

void MaxFlow::build_arcs() {
  first_.assign(nodes() + 1, 0);
  for (const Edge& e : pending_) ++first_[e.u + 1], ++first_[e.v + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  arcs_.resize(2 * pending_.size());
  for (const Edge& e : pending_) {
    const std::uint32_t there = next[e.u]++, here = next[e.v]++;
    arcs_[there] = {e.v, here, e.capacity};
    arcs_[here] = {e.u, there, e.back};
  }
  pending_ = {};
}

// A first flow, in the time that it takes to read the arcs: all that v has from the source, and all
// that it could give to the sink, goes to its later neighbours as far as arcs let it, and what is
// left to the earlier ones.  With weak own scores and strong arcs that is nine tenths of the flow,
// and then it goes on while that helps: long paths are what the trees are slow at.
void MaxFlow::sweep() {
  const auto n = static_cast<Node>(nodes());
  const auto left = [this] {
    double sum = 0;
    for (const double terminal : terminal_) sum += std::abs(terminal);
    return sum;
  };
  const double first = left();
  for (double before = first, now = 0;; before = now) {
    for (Node v = 0; v < n; ++v) send_on(v, [v](Node u) { return u > v; });
    for (Node v = n; v-- > 0;) send_on(v, [v](Node u) { return u < v; });
    now = left();
    if (!(now < first / 8 && now < 0.7 * before)) break;
  }
}

template <class Wanted>
void MaxFlow::send_on(Node v, const Wanted& wanted) {
  double& own = terminal_[v];
  for (std::uint32_t a = first_[v]; own != 0 && a < first_[v + 1]; ++a) {
    if (!wanted(arcs_[a].head)) continue;
    const bool forth = own > 0;
    double& left = forth ? arcs_[a].left : arcs_[arcs_[a].back].left;
    const double amount = std::min(std::abs(own), left);
    if (!(amount > 0) || amount == kInf) continue;
    double& other = terminal_[arcs_[a].head];
    if ((other > 0) != forth) flow_ += std::min(amount, std::abs(other));
    left -= amount;
    (forth ? arcs_[arcs_[a].back].left : arcs_[a].left) += amount;
    own -= forth ? amount : -amount;
    other += forth ? amount : -amount;
  }
}

void MaxFlow::activate(Node v) {
  if (queued_[v]) return;
  queued_[v] = 1;
  active_.push_back(v);
}

double MaxFlow::solve() {
  build_arcs();
  sweep();
  const std::size_t n = nodes();
  tree_.assign(n, Tree::none);
  parent_.assign(n, kNoParent);
  stamp_.assign(n, 0);
  distance_.assign(n, 0);
  queued_.assign(n, 0);
  for (Node v = 0; v < n; ++v) {
    if (terminal_[v] == 0) continue;
    tree_[v] = terminal_[v] > 0 ? Tree::source : Tree::sink;
    parent_[v] = kTerminal;
    distance_[v] = 1;
    activate(v);
  }
  while (next_active_ < active_.size() && flow_ < kInf) {
    const Node v = active_[next_active_];
    const std::uint32_t middle = tree_[v] == Tree::none ? kNone : grow(v);
    ++time_;
    if (middle == kNone) {  // all its neighbours are in trees
      queued_[v] = 0;
      if (++next_active_ >= n) {
        active_.erase(active_.begin(), active_.begin() + static_cast<std::ptrdiff_t>(next_active_));
        next_active_ = 0;
      }
      continue;
    }
    augment(middle);
    adopt();
  }
  return flow_;
}

// Takes the free neighbours of v into its tree; the arc to the other tree, if it meets that.
std::uint32_t MaxFlow::grow(Node v) {
  const Tree tree = tree_[v];
  for (std::uint32_t a = first_[v]; a < first_[v + 1]; ++a) {
    if (!(left_towards(tree, a) > 0)) continue;
    const Node u = arcs_[a].head;
    if (tree_[u] == Tree::none) {
      tree_[u] = tree;
      parent_[u] = arcs_[a].back;
      stamp_[u] = stamp_[v];
      distance_[u] = distance_[v] + 1;
      activate(u);
    } else if (tree_[u] != tree) {
      return tree == Tree::source ? a : arcs_[a].back;
    } else if (stamp_[u] <= stamp_[v] && distance_[u] > distance_[v]) {
      parent_[u] = arcs_[a].back;  // a shorter way to the terminal
      stamp_[u] = stamp_[v];
      distance_[u] = distance_[v] + 1;
    }
  }
  return kNone;
}

void MaxFlow::augment(std::uint32_t middle) {
  // A parent arc points to the parent: in the source tree flow runs against it.
  double most = arcs_[middle].left;
  Node v = arcs_[arcs_[middle].back].head;
  for (; parent_[v] != kTerminal; v = arcs_[parent_[v]].head) {
    most = std::min(most, arcs_[arcs_[parent_[v]].back].left);
  }
  most = std::min(most, terminal_[v]);
  for (v = arcs_[middle].head; parent_[v] != kTerminal; v = arcs_[parent_[v]].head) {
    most = std::min(most, arcs_[parent_[v]].left);
  }
  most = std::min(most, -terminal_[v]);
  flow_ += most;
  if (most == kInf) return;

  arcs_[middle].left -= most;
  arcs_[arcs_[middle].back].left += most;
  const auto push = [&](Node at, bool source) {
    while (parent_[at] != kTerminal) {
      const std::uint32_t up = parent_[at], down = arcs_[up].back;
      const Node next = arcs_[up].head;
      arcs_[source ? up : down].left += most;
      double& left = arcs_[source ? down : up].left;
      left -= most;
      if (left == 0) {
        parent_[at] = kOrphan;
        orphans_.push_back(at);
      }
      at = next;
    }
    terminal_[at] += source ? -most : most;
    if (terminal_[at] == 0) {
      parent_[at] = kOrphan;
      orphans_.push_back(at);
    }
  };
  push(arcs_[arcs_[middle].back].head, true);
  push(arcs_[middle].head, false);
}

void MaxFlow::adopt() {
  for (std::size_t k = 0; k < orphans_.size(); ++k) adopt_one(orphans_[k]);
  orphans_.clear();
}

// Whether v still hangs on its terminal, and how far from it.
bool MaxFlow::find_origin(Node v, std::uint32_t& distance) {
  std::uint32_t d = 0;
  for (Node at = v;;) {
    if (stamp_[at] == time_) {
      d += distance_[at];
      break;
    }
    const std::uint32_t up = parent_[at];
    ++d;
    if (up == kTerminal) {
      stamp_[at] = time_;
      distance_[at] = 1;
      break;
    }
    if (up == kOrphan || up == kNoParent) return false;
    at = arcs_[up].head;
  }
  distance = d;
  for (Node at = v; stamp_[at] != time_; at = arcs_[parent_[at]].head) {
    stamp_[at] = time_;
    distance_[at] = d--;
  }
  return true;
}

void MaxFlow::adopt_one(Node v) {
  const Tree tree = tree_[v];
  std::uint32_t best = kNoParent, best_distance = kFar;
  for (std::uint32_t a = first_[v]; a < first_[v + 1]; ++a) {
    const Node u = arcs_[a].head;
    if (tree_[u] != tree || !(left_towards(tree, arcs_[a].back) > 0)) continue;
    std::uint32_t distance;
    if (find_origin(u, distance) && distance < best_distance) {
      best = a;
      best_distance = distance;
    }
  }
  parent_[v] = best;
  if (best != kNoParent) {
    stamp_[v] = time_;
    distance_[v] = best_distance + 1;
    return;
  }
  for (std::uint32_t a = first_[v]; a < first_[v + 1]; ++a) {
    const Node u = arcs_[a].head;
    if (tree_[u] != tree) continue;
    if (left_towards(tree, arcs_[a].back) > 0) activate(u);
    const std::uint32_t up = parent_[u];
    if (up < kOrphan && arcs_[up].head == v) {
      parent_[u] = kOrphan;
      orphans_.push_back(u);
    }
  }
  tree_[v] = Tree::none;
}

}  // namespace croft
