// The best k assignments that a search has seen, each once.  Internal to inference/.
#pragma once
#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "core/infinity.h"
#include "croft/inference/map_result.h"
#include "inference/graph/local_state.h"

namespace croft {

// The best one is kept in the result; where k > 1, all of them in its k_best.
class BestKnown {
 public:
  BestKnown(const FactorGraph& graph, std::size_t k, MapResult& result)
      : graph_(graph), k_(k), result_(result) {}

  void offer(std::span<const State> states) {
    croft::offer(result_, graph_, states);
    if (k_ == 1) return;
    const double score = graph_.score(states);
    if (!(score > to_beat())) return;
    std::vector<BestAssignment>& best = result_.k_best;
    const auto at = std::ranges::lower_bound(best, score, std::greater{}, &BestAssignment::score);
    for (auto same = at; same != best.end() && same->score == score; ++same) {
      if (std::ranges::equal(same->states, states)) return;
    }
    best.insert(at, {{states.begin(), states.end()}, score});
    if (best.size() > k_) best.pop_back();
  }
  std::span<const State> states() const { return result_.states; }
  bool full() const { return k_ == 1 ? !result_.states.empty() : result_.k_best.size() == k_; }
  // The score of the last of the k; -inf where there are fewer.
  double to_beat() const {
    if (!full()) return -kInf;
    return k_ == 1 ? result_.score : result_.k_best.back().score;
  }

 private:
  const FactorGraph& graph_;
  const std::size_t k_;
  MapResult& result_;
};

}  // namespace croft
