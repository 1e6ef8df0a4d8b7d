// What holds at every position of a chain, for methods that give each example scores of its own:
// the weights of transitions and, of a chain of higher order, of grams. Internal.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/inference/history_chain.h"
#include "croft/structure/chain.h"
#include "inference/chain/history_sums.h"
#include "model/chain_layout.h"
#include "model/linear_scorer.h"

namespace croft {

// First the weights of a tied row, which are the same in all of them; then the grams.
template <class Real>
class TiedParts {
 public:
  explicit TiedParts(const ChainLayout& layout);  // kept by reference

  std::size_t size() const { return pairs_ + layout_.grams(); }
  // [size()] how many rows have the weight of each.
  std::span<const double> copies() const { return copies_; }
  // Adds how often each part is in a labelling.
  void count(std::span<const Label> y, std::span<Real> counts) const;
  // Between the weights of the parts and the layout's w.
  void write(std::span<const double> parts, std::span<double> w) const;
  void read(std::span<const double> w, std::span<double> parts) const;

  // The chain of one example, with scratch.
  struct Chain {
    TransitionScores<Real> transitions;
    ChainScores<Real> scores;
    // Of order 2 or more: sums by blocks, and what the chain is lifted to where they do not do.
    bool own_sums = false;  // by blocks: until those fail, the transitions are not those of theta
    std::unique_ptr<HistorySums<Real>> sums;
    std::unique_ptr<HistoryScores<Real>> histories;
    ChainScores<Real> lifted;
    Matrix<Real> d_lifted;                        // [T][S]
    std::vector<double> expected, edges, states;  // by cell of the two, and by state
    std::vector<double> pair;                     // by LabelHistories::pairs
  };
  // T positions whose parts have the scores theta; chain.scores.state is the caller's to fill.
  //   own_sums : the walk will be of the chain's own sums, for which there may be a shorter way
  void assign(std::size_t steps, std::span<const double> theta, bool own_sums, Chain& chain) const;
  // walk(scores, out) returns log Z of a chain and writes its marginals, as those of the recursions
  // do, or those of an objective.  Returns its value.
  //   theta    : [size()] as assign() had it
  //   mu       : [T][padded(L)] the marginals of labels, overwritten but for the padding
  //   expected : [size()] how often each part is in a labelling, overwritten
  template <class Walk>
  double sum(Chain& chain, std::span<const double> theta, Real* mu, std::span<double> expected,
             const Walk& walk) const;

 private:
  bool by_blocks(Chain& chain, Real* mu, std::span<double> expected, double& log_z) const;
  void set_transitions(std::span<const double> theta, Chain& chain) const;

  const ChainLayout& layout_;
  std::shared_ptr<const HistoryBlocks> blocks_;  // null: of order 1, or they do not do
  TransitionScorer<Real> scorer_;
  RowLayout one_row_;  // what scorer_ reads
  std::size_t pairs_;
  std::vector<double> copies_;
  std::vector<std::uint32_t> part_of_;  // [L^2] by cell; kNoRun: none
  // A part, and where the recursions count it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells_;
};

template <class Real>
template <class Walk>
double TiedParts<Real>::sum(Chain& chain, std::span<const double> theta, Real* mu,
                            std::span<double> expected, const Walk& walk) const {
  std::ranges::fill(expected, 0.0);
  double value = 0;
  if (chain.own_sums) {
    if (by_blocks(chain, mu, expected, value)) return value;
    set_transitions(theta, chain);
  }
  chain.expected.assign(chain.transitions.cells(), 0.0);
  if (!layout_.histories) {
    value = walk(chain.scores, ChainGradient<Real>{mu, nullptr, chain.expected.data()});
  } else {
    const LabelHistories& histories = *layout_.histories;
    if (!chain.histories) chain.histories = std::make_unique<HistoryScores<Real>>(histories);
    chain.histories->assign(chain.transitions, theta.subspan(pairs_));
    chain.histories->lift(chain.scores, chain.lifted);
    chain.d_lifted.reshape(chain.scores.length(), histories.size());
    chain.edges.assign(chain.histories->transitions().cells(), 0.0);
    chain.states.assign(histories.size(), 0.0);
    value =
        walk(chain.lifted, ChainGradient<Real>{chain.d_lifted.row(0), nullptr, chain.edges.data()});
    project(histories, chain.scores, chain.d_lifted.row(0),
            ChainGradient<Real>{mu, nullptr, nullptr}, chain.states);
    project_tied(histories, chain.states, chain.edges, chain.transitions, chain.expected,
                 expected.subspan(pairs_));
  }
  for (const auto& [k, cell] : cells_) expected[k] += chain.expected[cell];
  return value;
}

}  // namespace croft
