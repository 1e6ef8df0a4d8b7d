#include "train/dual/tied_parts.h"

#include <utility>

namespace croft {

template <class Real>
TiedParts<Real>::TiedParts(const ChainLayout& layout)
    : layout_(layout),
      scorer_(layout, TransitionScorer<Real>::Use::one_by_one),
      pairs_(layout.tied.rows() == 0 ? 0 : layout.tied.length(0)),
      copies_(size(), 1.0),
      part_of_(layout.labels * layout.labels, kNoRun) {
  std::fill_n(copies_.begin(), pairs_, static_cast<double>(layout.tied.rows()));
  one_row_.cells = layout.tied.cells;
  one_row_.begin = {0, pairs_};
  if (layout.histories && !layout.constraint) {
    auto blocks = std::make_shared<const HistoryBlocks>(*layout.histories);
    if (blocks->usable()) blocks_ = std::move(blocks);
  }
  TransitionScores<Real> any;
  scorer_.assign(one_row_, std::vector<double>(pairs_), any);
  layout_.for_each_transition([&](std::uint32_t k, std::uint32_t cell) {
    const std::uint32_t at = any.cell(static_cast<Label>(cell / layout_.labels),
                                      static_cast<Label>(cell % layout_.labels));
    part_of_[cell] = k;
    if (at != TransitionScores<Real>::kNoCell) cells_.push_back({k, at});
  });
}

template <class Real>
void TiedParts<Real>::count(std::span<const Label> y, std::span<Real> counts) const {
  for (std::size_t t = 1; t < y.size(); ++t) {
    const std::uint32_t k = part_of_[y[t - 1] * layout_.labels + y[t]];
    if (k != kNoRun) counts[k] += 1;
  }
  if (!layout_.histories) return;
  const LabelRuns& grams = layout_.histories->grams;
  for (std::size_t end = 3; end <= y.size(); ++end) {
    for (std::size_t m = 3; m <= std::min(end, layout_.histories->order + 1); ++m) {
      const std::uint32_t g = find_run(grams, y.subspan(end - m, m));
      if (g != kNoRun) counts[pairs_ + g] += 1;
    }
  }
}

template <class Real>
void TiedParts<Real>::write(std::span<const double> parts, std::span<double> w) const {
  for (std::size_t row = 0; row < layout_.tied.rows(); ++row) {
    std::ranges::copy(parts.first(pairs_),
                      w.begin() + static_cast<std::ptrdiff_t>(layout_.tied.begin[row]));
  }
  std::ranges::copy(parts.subspan(pairs_), w.subspan(layout_.first_gram()).begin());
}

template <class Real>
void TiedParts<Real>::read(std::span<const double> w, std::span<double> parts) const {
  if (pairs_ > 0) std::ranges::copy(w.subspan(layout_.tied.begin[0], pairs_), parts.begin());
  std::ranges::copy(w.subspan(layout_.first_gram(), layout_.grams()),
                    parts.subspan(pairs_).begin());
}

template <class Real>
void TiedParts<Real>::set_transitions(std::span<const double> theta, Chain& chain) const {
  scorer_.assign(one_row_, theta.first(pairs_), chain.transitions);
}

template <class Real>
void TiedParts<Real>::assign(std::size_t steps, std::span<const double> theta, bool own_sums,
                             Chain& chain) const {
  chain.own_sums = own_sums && blocks_;
  if (!chain.own_sums || chain.transitions.labels() == 0) set_transitions(theta, chain);
  chain.scores.reset(steps, chain.transitions);
  if (!chain.own_sums) return;
  if (!chain.sums) chain.sums = std::make_unique<HistorySums<Real>>(blocks_);
  chain.pair.clear();
  for (const HistoryPair& pair : blocks_->histories.pairs) {
    const std::uint32_t k = part_of_[pair.from * layout_.labels + pair.to];
    chain.pair.push_back(k == kNoRun ? 0.0 : theta[k]);
  }
  chain.sums->assign(chain.pair, theta.subspan(pairs_));
}

// False: a value might have underflowed; expected is as it was.
template <class Real>
bool TiedParts<Real>::by_blocks(Chain& chain, Real* mu, std::span<double> expected,
                                double& log_z) const {
  const LabelHistories& histories = blocks_->histories;
  chain.states.assign(histories.size(), 0.0);
  const std::span<double> grams = expected.subspan(pairs_);
  const std::optional<double> sum = chain.sums->marginals(chain.scores, mu, chain.states, grams);
  if (!sum) return false;
  log_z = *sum;
  chain.pair.assign(histories.pairs.size(), 0.0);
  project_states(histories, chain.states, chain.pair, grams);
  for (std::size_t k = 0; k < chain.pair.size(); ++k) {
    const HistoryPair& pair = histories.pairs[k];
    const std::uint32_t part = part_of_[pair.from * layout_.labels + pair.to];
    if (part != kNoRun) expected[part] += chain.pair[k];
  }
  return true;
}

template class TiedParts<float>;
template class TiedParts<double>;

}  // namespace croft
