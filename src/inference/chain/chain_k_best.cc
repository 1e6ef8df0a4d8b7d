// docs/math/chain_queries.md section 3.
#include "croft/inference/chain_k_best.h"

#include <limits>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/chain/chain_best_prefixes.h"

namespace croft {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// A prefix that ends in a node: the r-th best of it.
struct Prefix {
  double loss;  // how far it is behind the best prefix of its node (Q.3)
  std::uint32_t node;
  std::uint32_t previous;  // the prefix that it extends by one label; kNone at t = 0
  std::uint32_t next;      // the (r+1)-th best of its node; kNone: not known yet, or there is none
};

// A predecessor of a node that has been used, with its first prefix that has not.
struct Branch {
  double base;  // the loss of this predecessor's best prefix in the node
  Label from;
  std::uint32_t prefix;
  std::uint32_t next;  // the node's next branch, or kNone
};

// A label at a position, and the prefixes that end there as far as they are known.  Predecessors
// become branches one by one, the best first; `fresh` is the next one.
struct Node {
  double top = 0;                       // best[t-1][i] + edge(t; i, j) of the best predecessor i
  double fresh_value = kMinusInfinity;  // the same of the fresh one
  Label label = 0;
  Label fresh = kNone;      // kNone: there is no other predecessor
  bool fresh_known = true;  // or else to be looked for behind (fresh_value, fresh)
  std::uint32_t first = kNone, last = kNone;  // prefixes
  std::uint32_t branches = kNone;             // head of the list
  std::uint32_t used = kNone;  // the branch of `last`: to be moved on before another is chosen

  bool exhausted() const {
    return used == kNone && branches == kNone && fresh_known && fresh == kNone;
  }
};

}  // namespace

// The final node stands behind the last position, as (T, 0): its prefixes are the labellings.
struct ChainKBest::Search {
  explicit Search(const ChainScores<double>& given)
      : scores(given), length(given.length()), labels(given.labels()) {
    if (!best_prefixes(scores, table)) return;
    node_of.assign(length * labels + 1, kNone);
    last = best_prefix(length, 0);
  }

  // visit(i, value) for the predecessors of a node at t >= 1, by increasing label.
  template <class Visit>
  void for_each_value(std::size_t t, Label j, const Visit& visit) const {
    if (t < length) {
      for_each_predecessor(scores, table.best, t, j, visit);
    } else {
      for (Label i = 0; i < labels; ++i) visit(i, table.best(t - 1, i));
    }
  }

  // A new node with its best prefix, the predecessor of which is left open.  Returns the best
  // predecessor.
  Label add_node(std::size_t t, Label j) {
    Node node;
    node.label = j;
    node.first = node.last = static_cast<std::uint32_t>(prefixes.size());
    const auto index = node_of[t * labels + j] = static_cast<std::uint32_t>(nodes.size());
    prefixes.push_back({0, index, kNone, kNone});
    Label best = kNone;
    if (t > 0) {
      node.top = kMinusInfinity;
      for_each_value(t, j, [&](Label i, double value) {
        if (value > node.top) {
          node.fresh_value = node.top;
          node.fresh = best;
          node.top = value;
          best = i;
        } else if (value > node.fresh_value) {
          node.fresh_value = value;
          node.fresh = i;
        }
      });
      if (best == kNone) throw Error("the scores of a sequence are no numbers");
      node.branches = node.used = static_cast<std::uint32_t>(branches.size());
      branches.push_back({0, best, kNone, kNone});
    }
    nodes.push_back(node);
    return best;
  }

  // The best prefix of (t, j), made with all it consists of if it is new.
  std::uint32_t best_prefix(std::size_t t, Label j) {
    if (node_of[t * labels + j] != kNone) return nodes[node_of[t * labels + j]].first;
    const auto result = static_cast<std::uint32_t>(prefixes.size());
    while (true) {
      const auto prefix = static_cast<std::uint32_t>(prefixes.size());
      const Label i = add_node(t, j);
      if (t == 0) return result;
      const std::uint32_t known = node_of[(t - 1) * labels + i];
      prefixes[prefix].previous = branches[nodes.back().used].prefix =
          known == kNone ? static_cast<std::uint32_t>(prefixes.size()) : nodes[known].first;
      if (known != kNone) return result;
      --t;
      j = i;
    }
  }

  // The predecessor behind (fresh_value, fresh), by decreasing value, then increasing label.
  void find_fresh(Node& node, std::size_t t) const {
    const double limit = node.fresh_value;
    const Label after = node.fresh;
    node.fresh_value = kMinusInfinity;
    node.fresh = kNone;
    for_each_value(t, node.label, [&](Label i, double value) {
      if ((value < limit || (value == limit && i > after)) && value > node.fresh_value) {
        node.fresh_value = value;
        node.fresh = i;
      }
    });
    node.fresh_known = true;
  }

  // One more prefix of the final node, if there is one.  It may need one more prefix of the node
  // that the last one came from, and so on down the chain: first down, then up again.
  void extend_final() {
    stack.assign(1, node_of[length * labels]);
    while (true) {
      const std::uint32_t used = nodes[stack.back()].used;
      if (used == kNone) break;
      const Prefix& prefix = prefixes[branches[used].prefix];
      if (prefix.next != kNone || nodes[prefix.node].exhausted()) break;
      stack.push_back(prefix.node);
    }
    for (std::size_t depth = stack.size(); depth-- > 0;) extend(stack[depth], length - depth);
  }

  // One more prefix of a node, given that the successor of the last one's prefix is known.
  void extend(std::uint32_t index, std::size_t t) {
    Node& node = nodes[index];
    if (node.used != kNone) move_on(node);
    if (!node.fresh_known) find_fresh(node, t);
    double loss = std::numeric_limits<double>::infinity();
    Label from = kNone;
    const auto better = [&](double other, Label label) {
      return other < loss || (other == loss && label < from);
    };
    std::uint32_t chosen = kNone;
    for (std::uint32_t b = node.branches; b != kNone; b = branches[b].next) {
      const double candidate = branches[b].base + prefixes[branches[b].prefix].loss;
      if (!better(candidate, branches[b].from)) continue;
      chosen = b;
      loss = candidate;
      from = branches[b].from;
    }
    if (node.fresh != kNone && better(node.top - node.fresh_value, node.fresh)) {
      loss = node.top - node.fresh_value;
      chosen = add_branch(index, t, loss);
    }
    if (chosen == kNone) return;
    const auto added = static_cast<std::uint32_t>(prefixes.size());
    prefixes.push_back({loss, index, branches[chosen].prefix, kNone});
    Node& extended = nodes[index];  // add_branch() may have moved it
    prefixes[extended.last].next = added;
    extended.last = added;
    extended.used = chosen;
  }

  // The branch of the last prefix goes on to its predecessor's next prefix, or ends.
  void move_on(Node& node) {
    Branch& branch = branches[node.used];
    branch.prefix = prefixes[branch.prefix].next;
    if (branch.prefix == kNone) {
      std::uint32_t* link = &node.branches;
      while (*link != node.used) link = &branches[*link].next;
      *link = branch.next;
    }
    node.used = kNone;
  }

  // The fresh predecessor becomes a branch.
  std::uint32_t add_branch(std::uint32_t index, std::size_t t, double base) {
    const Label from = nodes[index].fresh;
    const std::uint32_t prefix = best_prefix(t - 1, from);
    Node& node = nodes[index];
    branches.push_back({base, from, prefix, node.branches});
    node.branches = static_cast<std::uint32_t>(branches.size() - 1);
    node.fresh_known = false;
    return node.branches;
  }

  void write(std::uint32_t labelling, std::span<Label> y) const {
    std::uint32_t prefix = prefixes[labelling].previous;
    for (std::size_t t = length; t-- > 0; prefix = prefixes[prefix].previous) {
      y[t] = nodes[prefixes[prefix].node].label;
    }
  }

  const ChainScores<double>& scores;
  const std::size_t length, labels;
  ViterbiWorkspace<double> table;
  std::vector<std::uint32_t> node_of;  // [T L + 1]: the node of t and j at t L + j, or kNone
  std::vector<Node> nodes;
  std::vector<Prefix> prefixes;
  std::vector<Branch> branches;
  std::vector<std::uint32_t> stack;
  std::uint32_t last = kNone;  // the labelling to be drawn now, or (`drawn`) that was drawn last
  bool drawn = false;
  double best_score = 0;
};

ChainKBest::ChainKBest(const ChainScores<double>& scores)
    : search_(std::make_unique<Search>(scores)) {}
ChainKBest::~ChainKBest() = default;
ChainKBest::ChainKBest(ChainKBest&&) noexcept = default;
ChainKBest& ChainKBest::operator=(ChainKBest&&) noexcept = default;

std::optional<double> ChainKBest::next(std::span<Label> y) {
  Search& search = *search_;
  if (search.last == kNone) return std::nullopt;
  if (search.drawn) {
    if (search.prefixes[search.last].next == kNone) search.extend_final();
    const std::uint32_t following = search.prefixes[search.last].next;
    if (following == kNone) return std::nullopt;
    search.last = following;
  }
  search.write(search.last, y);
  if (!search.drawn) search.best_score = score<double>(search.scores, y);
  search.drawn = true;
  return search.best_score - search.prefixes[search.last].loss;
}

std::vector<ScoredLabelling> k_best(const ChainScores<double>& scores, std::size_t k) {
  std::vector<ScoredLabelling> result;
  if (k == 0) return result;
  ChainKBest search(scores);
  std::vector<Label> y(scores.length());
  while (result.size() < k) {
    const std::optional<double> value = search.next(y);
    if (!value) break;
    result.push_back({y, *value});
  }
  return result;
}

}  // namespace croft
