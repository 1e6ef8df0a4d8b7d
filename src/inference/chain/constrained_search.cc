#include <algorithm>
#include <cassert>
#include <cmath>
#include <queue>
#include <utility>

#include "croft/inference/chain_k_best.h"
#include "croft/inference/chain_viterbi.h"
#include "inference/chain/constrained_search.h"

namespace croft {

SearchResult predicate_search(const ChainScores<double>& scores,
                              const std::function<bool(std::span<const Label>)>& obeys,
                              std::size_t limit) {
  SearchResult result;
  std::vector<Label> y(scores.length());
  for (ChainKBest labellings(scores); result.drawn < limit; ++result.drawn) {
    if (!labellings.next(y)) {
      result.exact = true;
      return result;
    }
    if (!obeys(y)) continue;
    result.found = result.exact = true;
    result.score = score<double>(scores, y);
    result.gap = 0;
    result.labels = std::move(y);
    ++result.drawn;
    return result;
  }
  return result;
}

// Branch and bound over the labels of groups, docs/math/constraints.md (K.8) to (K.10).

namespace {

using Group = std::vector<std::size_t>;  // positions, increasing

// Groups that share a position become one; those of one position go.
std::vector<Group> merged(std::span<const Group> groups, std::size_t length) {
  std::vector<std::size_t> root(length);
  for (std::size_t p = 0; p < length; ++p) root[p] = p;
  const auto find = [&](std::size_t p) {
    while (root[p] != p) p = root[p] = root[root[p]];
    return p;
  };
  for (const Group& group : groups) {
    for (const std::size_t p : group) {
      assert(p < length);
      const std::size_t a = find(group[0]), b = find(p);
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<Group> by_root(length), result;
  for (std::size_t p = 0; p < length; ++p) by_root[find(p)].push_back(p);
  for (Group& group : by_root) {
    if (group.size() > 1) result.push_back(std::move(group));
  }
  return result;
}

// Of a group: carries this label, or does not.
struct Decision {
  std::size_t group;
  Label label;
  bool carries;
};

// Part of the search space, and the best labelling in it when groups need not agree.
struct SearchNode {
  double bound = kMinusInfinity;
  std::size_t number = 0;  // in order of creation
  std::vector<Label> y;
  std::vector<Decision> decisions;
  bool operator<(const SearchNode& other) const {  // the largest bound first, then the oldest
    return bound != other.bound ? bound < other.bound : number > other.number;
  }
};

class AgreementSearch {
 public:
  AgreementSearch(const ChainScores<double>& scores, std::span<const Group> groups,
                  std::size_t limit, std::span<const Label> label_of)
      : scores_(scores),
        groups_(merged(groups, scores.length())),
        limit_(std::max<std::size_t>(limit, 1)),
        label_of_(label_of),
        shifted_(scores),
        masked_(scores) {
    for (Label s = 0; s < scores.labels(); ++s) {
      names_ = std::max<std::size_t>(names_, label(s) + 1);
    }
  }

  SearchResult run() {
    forbid_what_a_member_forbids();
    SearchNode root = tighten();
    if (!result_.found) dive();
    if (!proved(root)) improve();
    branch(std::move(root));
    return std::move(result_);
  }

 private:
  Label label(Label state) const { return label_of_.empty() ? state : label_of_[state]; }
  double slack() const { return 1e-12 * (1 + std::abs(result_.score)); }
  bool worse(double bound) const { return result_.found && bound <= result_.score + slack(); }
  bool out_of_work() const { return result_.drawn >= limit_; }

  // A label that one position of a group cannot carry, the group cannot.
  void forbid_what_a_member_forbids() {
    for (const Group& group : groups_) {
      std::vector<std::size_t> members(names_, 0);  // that can carry the label
      for (const std::size_t p : group) {
        std::vector<bool> can(names_, false);
        for (Label s = 0; s < scores_.labels(); ++s) {
          if (scores_.state(p, s) != kMinusInfinity) can[label(s)] = true;
        }
        for (std::size_t c = 0; c < names_; ++c) members[c] += can[c];
      }
      for (const std::size_t p : group) {
        for (Label s = 0; s < scores_.labels(); ++s) {
          if (members[label(s)] < group.size()) shifted_.state(p, s) = kMinusInfinity;
        }
      }
    }
  }

  // The best labelling under the decisions, groups free otherwise; bound -inf where there is none.
  SearchNode solve(std::vector<Decision> decisions) {
    SearchNode node;
    node.number = result_.drawn++;
    node.y.resize(scores_.length());
    std::copy_n(shifted_.state.row(0), shifted_.state.rows() * shifted_.state.stride(),
                masked_.state.row(0));
    for (const Decision& decision : decisions) {
      for (const std::size_t p : groups_[decision.group]) {
        for (Label s = 0; s < scores_.labels(); ++s) {
          if ((label(s) == decision.label) != decision.carries)
            masked_.state(p, s) = kMinusInfinity;
        }
      }
    }
    node.bound = viterbi(masked_, viterbi_, std::span<Label>(node.y));
    node.decisions = std::move(decisions);
    if (node.bound != kMinusInfinity) offer(node.y);
    return node;
  }

  // How many members of a group carry each label.
  std::vector<std::size_t> votes(const Group& group, const std::vector<Label>& y) const {
    std::vector<std::size_t> count(names_, 0);
    for (const std::size_t p : group) ++count[label(y[p])];
    return count;
  }
  Label favourite(const Group& group, const std::vector<Label>& y) const {
    const auto count = votes(group, y);
    return static_cast<Label>(std::max_element(count.begin(), count.end()) - count.begin());
  }
  bool agrees(const Group& group, const std::vector<Label>& y) const {
    return std::all_of(group.begin(), group.end(),
                       [&](std::size_t p) { return label(y[p]) == label(y[group[0]]); });
  }
  // The first group that does not agree, or groups_.size().
  std::size_t first_divided(const std::vector<Label>& y) const {
    std::size_t g = 0;
    while (g < groups_.size() && agrees(groups_[g], y)) ++g;
    return g;
  }
  bool all_agree(const std::vector<Label>& y) const { return first_divided(y) == groups_.size(); }

  // Keeps y if it agrees and is the best so far.
  void offer(const std::vector<Label>& y) {
    if (!all_agree(y)) return;
    const double value = score<double>(scores_, y);
    if (result_.found && value <= result_.score) return;
    result_.found = true;
    result_.score = value;
    result_.labels = y;
  }

  // Subgradient steps on the bound (K.9).  Leaves the best shifts in shifted_ and returns their
  // node.
  SearchNode tighten() {
    // Random chains of 120 positions, 9 labels and 20 groups: 60 rounds left a gap of 12, 100 one
    // of 11 and 200 one of 6, of 84 lost to agreement; easier ones are solved sooner with fewer
    // rounds.
    constexpr std::size_t kRounds = 100, kPatience = 8;
    SearchNode best;
    Matrix<double> best_state = shifted_.state;
    std::size_t since_best = 0;
    double step = 1;
    for (std::size_t round = 0; round < kRounds && (round == 0 || 2 * result_.drawn < limit_);
         ++round) {
      SearchNode node = solve({});
      if (node.bound == kMinusInfinity || all_agree(node.y)) return node;
      if (round > 0 && ++since_best % kPatience == 0) step /= 2;
      if (round == 0 || node.bound < best.bound) {
        best = node;
        best_state = shifted_.state;
        since_best = 0;
      }
      repair(node.y);
      if (worse(best.bound)) break;
      const double target = result_.found ? result_.score : node.bound - 1;
      shift(node.y, step * (node.bound - target));
    }
    shifted_.state = best_state;
    return best;
  }

  // Every group gets the label that most of its members have.
  void repair(const std::vector<Label>& y) {
    if (out_of_work()) return;
    std::vector<Decision> decisions;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      decisions.push_back({g, favourite(groups_[g], y), true});
    }
    solve(std::move(decisions));
  }

  // One step against the subgradient at y, long enough to lower the bound by `aim` if it were
  // linear.
  void shift(const std::vector<Label>& y, double aim) {
    double norm = 0;  // squared: sum over groups of n - sum_c votes_c^2 / n
    for (const Group& group : groups_) {
      const double n = static_cast<double>(group.size());
      norm += n;
      for (const std::size_t v : votes(group, y)) norm -= static_cast<double>(v * v) / n;
    }
    for (const Group& group : groups_) {
      if (agrees(group, y)) continue;
      const auto count = votes(group, y);
      for (const std::size_t p : group) {
        for (Label s = 0; s < scores_.labels(); ++s) {
          const double mean = static_cast<double>(count[label(s)]) / group.size();
          const double slope = (label(s) == label(y[p])) - mean;
          shifted_.state(p, s) -= aim / norm * slope;
        }
      }
    }
  }

  // Where no repair was possible: decides group after group, and takes back what is impossible.
  void dive() {
    std::vector<Decision> decisions;
    std::vector<Label> y;
    while (!result_.found && !out_of_work()) {
      SearchNode node = solve(decisions);
      if (node.bound != kMinusInfinity) {
        y = std::move(node.y);
        const std::size_t g = first_divided(y);
        if (g == groups_.size()) return;
        decisions.push_back({g, favourite(groups_[g], y), true});
      } else {
        if (decisions.empty() || !decisions.back().carries) return;
        decisions.back().carries = false;
      }
    }
  }

  // Changes the label of one group at a time while that gives a better labelling, or until a
  // quarter of the work is left.
  void improve() {
    std::size_t unchanged = 0;  // groups since the last change
    for (std::size_t g = 0; result_.found && unchanged < groups_.size();
         g = (g + 1) % groups_.size()) {
      std::vector<Decision> decisions;
      for (std::size_t h = 0; h < groups_.size(); ++h) {
        decisions.push_back({h, label(result_.labels[groups_[h][0]]), true});
      }
      const double before = result_.score;
      const Label kept = decisions[g].label;
      for (Label c = 0; c < names_; ++c) {
        if (4 * result_.drawn >= 3 * limit_) return;
        decisions[g].label = c;
        if (c != kept) solve(decisions);
      }
      unchanged = result_.score > before ? 0 : unchanged + 1;
    }
  }

  // Nothing better than the best so far is in it.
  bool proved(const SearchNode& node) const {
    return node.bound == kMinusInfinity || worse(node.bound) || all_agree(node.y);
  }

  void branch(SearchNode root) {
    std::priority_queue<SearchNode> open;
    if (!proved(root)) open.push(std::move(root));
    while (!open.empty() && !worse(open.top().bound) && !out_of_work()) {
      const SearchNode node = open.top();
      open.pop();
      const std::size_t g = first_divided(node.y);
      for (const bool carries : {true, false}) {
        auto decisions = node.decisions;
        decisions.push_back({g, favourite(groups_[g], node.y), carries});
        if (out_of_work()) {  // half expanded: its bound still stands for the other half
          open.push(node);
          break;
        }
        SearchNode child = solve(std::move(decisions));
        if (!proved(child)) open.push(std::move(child));
      }
    }
    result_.exact = open.empty() || worse(open.top().bound);
    if (!result_.found) return;
    result_.gap = result_.exact ? 0 : open.top().bound - result_.score;
  }

  const ChainScores<double>& scores_;
  const std::vector<Group> groups_;
  const std::size_t limit_;
  const std::span<const Label> label_of_;
  std::size_t names_ = 0;        // labels that label() gives are below it
  ChainScores<double> shifted_;  // scores with shifts that cancel where groups agree
  ChainScores<double> masked_;   // shifted_ under the decisions of a node
  ViterbiWorkspace<double> viterbi_;
  SearchResult result_;
};

}  // namespace

SearchResult agreement_search(const ChainScores<double>& scores,
                              std::span<const std::vector<std::size_t>> groups, std::size_t limit,
                              std::span<const Label> label_of) {
  return AgreementSearch(scores, groups, limit, label_of).run();
}

}  // namespace croft
