#include "inference/chain/label_search.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

#include "core/infinity.h"

namespace croft {
namespace {

double log_sum(std::span<const double> terms) {
  if (terms.empty()) return kMinusInfinity;
  const double most = std::ranges::max(terms);
  if (most == kMinusInfinity) return most;
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - most);
  return most + std::log(sum);
}

class LabelSearch {
 public:
  LabelSearch(const ChainScores<double>& chain, std::span<const Label> label_of) : chain_(chain) {
    const Label labels = label_of.empty() ? 0 : std::ranges::max(label_of) + 1;
    states_of_.resize(labels);
    for (Label s = 0; s < label_of.size(); ++s) states_of_[label_of[s]].push_back(s);
  }

  // log of the sum over beginnings of y_0 … y_t, by the states of y_t.
  void extend(std::size_t t, std::span<const double> before, Label from, Label to,
              std::vector<double>& out) {
    const auto& states = states_of_[to];
    out.resize(states.size());
    for (std::size_t b = 0; b < states.size(); ++b) {
      double sum = 0;
      if (t > 0) {
        terms_.clear();
        for (std::size_t a = 0; a < before.size(); ++a) {
          terms_.push_back(before[a] + chain_.edge(t, states_of_[from][a], states[b]));
        }
        sum = log_sum(terms_);
      }
      out[b] = chain_.state(t, states[b]) + sum;
    }
  }

  // rest_[t][s] >= S of every end of a labelling behind state s at t                       (HC.6)
  void make_bounds() {
    const std::size_t length = chain_.length();
    rest_.assign(length, chain_.labels(), 0);
    for (std::size_t t = length - 1; t-- > 0;) {
      for (Label s = 0; s < chain_.labels(); ++s) {
        double best = kMinusInfinity;
        for (const auto& states : states_of_) {
          terms_.clear();
          for (const Label r : states) {
            terms_.push_back(chain_.edge(t + 1, s, r) + chain_.state(t + 1, r) + rest_(t + 1, r));
          }
          best = std::max(best, log_sum(terms_));
        }
        rest_(t, s) = best;
      }
    }
  }

  LabelSearchResult run(std::size_t k, std::size_t limit);
  // Of every labelling that run() has not found; -inf when there is none.
  double bound() const { return queue_.empty() ? kMinusInfinity : queue_.top().bound; }

 private:
  struct Node {  // a beginning of a labelling
    std::size_t parent;
    std::uint32_t t;
    Label label;
    std::vector<double> forward;  // by the states of `label`
  };
  struct Entry {
    double bound;
    std::uint32_t t;
    std::size_t node;
    // The longest first among equals, then the first that was made.
    bool operator<(const Entry& other) const {
      return std::tie(bound, t, other.node) < std::tie(other.bound, other.t, node);
    }
  };

  void push(std::size_t parent, std::uint32_t t, Label label) {
    static const std::vector<double> none;
    Node next{parent, t, label, {}};
    extend(t, t == 0 ? none : nodes_[parent].forward, t == 0 ? 0 : nodes_[parent].label, label,
           next.forward);
    ends_.clear();
    for (std::size_t a = 0; a < next.forward.size(); ++a) {
      ends_.push_back(next.forward[a] + rest_(t, states_of_[label][a]));
    }
    const double bound = log_sum(ends_);
    if (bound == kMinusInfinity) return;
    queue_.push({bound, t, nodes_.size()});
    nodes_.push_back(std::move(next));
  }

  std::vector<Label> labels_of(std::size_t node) const {
    std::vector<Label> y(nodes_[node].t + 1);
    for (std::size_t t = y.size(); t-- > 0; node = nodes_[node].parent) y[t] = nodes_[node].label;
    return y;
  }

  const ChainScores<double>& chain_;
  std::vector<std::vector<Label>> states_of_;  // [L]
  Matrix<double> rest_;
  std::vector<double> terms_, ends_;
  std::vector<Node> nodes_;
  std::priority_queue<Entry> queue_;
};

LabelSearchResult LabelSearch::run(std::size_t k, std::size_t limit) {
  LabelSearchResult result;
  make_bounds();
  const auto last = static_cast<std::uint32_t>(chain_.length() - 1);
  for (Label j = 0; j < states_of_.size(); ++j) {
    if (!states_of_[j].empty()) push(0, 0, j);
  }
  while (!queue_.empty() && result.best.size() < k) {
    const Entry entry = queue_.top();
    if (entry.t == last) {
      queue_.pop();
      result.best.push_back({labels_of(entry.node), entry.bound});
      continue;
    }
    if (result.drawn == limit) {
      result.exact = false;
      return result;
    }
    queue_.pop();
    ++result.drawn;
    for (Label j = 0; j < states_of_.size(); ++j) {
      if (!states_of_[j].empty()) push(entry.node, entry.t + 1, j);
    }
    nodes_[entry.node].forward = {};  // never needed again
  }
  return result;
}

}  // namespace

double labelling_score(const ChainScores<double>& chain, std::span<const Label> label_of,
                       std::span<const Label> y) {
  assert(y.size() == chain.length());
  LabelSearch search(chain, label_of);
  std::vector<double> forward, next;
  for (std::size_t t = 0; t < y.size(); ++t) {
    search.extend(t, forward, t == 0 ? 0 : y[t - 1], y[t], next);
    std::swap(forward, next);
  }
  return y.empty() ? 0 : log_sum(forward);
}

LabelSearchResult best_labellings(const ChainScores<double>& chain, std::span<const Label> label_of,
                                  std::size_t k, std::size_t limit) {
  if (k == 0) return {};
  if (chain.length() == 0) return {.best = {{{}, 0.0}}};
  LabelSearch search(chain, label_of);
  LabelSearchResult result = search.run(k, limit);
  if (result.exact) return result;
  // What the best paths stand for, each once.
  const double bound = search.bound();
  std::set<std::vector<Label>> known;
  for (const ScoredLabelling& each : result.best) known.insert(each.labels);
  ChainKBest paths(chain);
  std::vector<Label> y(chain.length());
  for (std::size_t drawn = 0; result.best.size() < k && drawn < 10 * k && paths.next(y); ++drawn) {
    for (Label& state : y) state = label_of[state];
    if (known.insert(y).second) result.best.push_back({y, labelling_score(chain, label_of, y)});
  }
  std::ranges::stable_sort(result.best, std::ranges::greater{}, &ScoredLabelling::score);
  if (result.best.empty()) return result;
  const double last = result.best.back().score;
  const bool closed = !exceeds_rounding(bound - last, last);
  result.gap = closed ? 0 : bound - last;
  result.exact = closed && result.best.size() == k;
  return result;
}

}  // namespace croft
