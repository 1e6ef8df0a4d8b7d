// (C.8) for sparse transitions: exact, at a cost that does not grow with L^2.
// docs/math/chain_queries.md section 2.
#include <algorithm>
#include <numeric>

#include "inference/chain/chain_best_prefixes.h"

namespace croft {
namespace {

// The labels in the order of decreasing best[t-1], sorted no further than is asked for.
template <class Real>
class DecreasingOrder {
 public:
  DecreasingOrder(const Real* values, std::size_t count, std::vector<Label>& order)
      : values_(values), order_(order) {
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), Label{0});
  }
  Label operator[](std::size_t rank) {
    if (rank >= sorted_) {
      const std::size_t more = std::min(order_.size(), 8 * sorted_ + 4);
      std::partial_sort(order_.begin() + sorted_, order_.begin() + more, order_.end(),
                        [this](Label a, Label b) { return values_[a] > values_[b]; });
      sorted_ = more;
    }
    return order_[rank];
  }

 private:
  const Real* values_;
  std::vector<Label>& order_;
  std::size_t sorted_ = 0;
};

// out[j] = max previous[i] over the i whose edge to j is not listed (Q.1).  The best predecessor
// settles all targets but those it has listed edges to; of these the next one settles those that it
// has no listed edge to, and so on: at most twice the number of listed edges in all, and mostly one
// step.
template <class Real>
void max_over_unlisted(const EdgeLists<Real>& leaving, const Real* previous, std::size_t labels,
                       ViterbiWorkspace<Real>& work, Real* out) {
  const Label first = static_cast<Label>(std::max_element(previous, previous + labels) - previous);
  std::fill(out, out + labels, previous[first]);
  const auto listed = [&](Label i) {
    return std::span(leaving.other)
        .subspan(leaving.begin[i], leaving.begin[i + 1] - leaving.begin[i]);
  };
  auto& open = work.open;  // targets to which all predecessors so far have a listed edge
  open.assign(listed(first).begin(), listed(first).end());
  if (open.empty()) return;
  DecreasingOrder<Real> order(previous, labels, work.order);
  for (const Label j : open) out[j] = ChainScores<Real>::kForbidden;
  for (std::size_t rank = 0; rank < labels && !open.empty(); ++rank) {
    const Label i = order[rank];
    if (i == first) continue;
    if (previous[i] == ChainScores<Real>::kForbidden) return;
    const auto edges = listed(i);
    auto edge = edges.begin();
    std::size_t still_open = 0;
    for (const Label j : open) {
      while (edge != edges.end() && *edge < j) ++edge;
      if (edge != edges.end() && *edge == j) {
        open[still_open++] = j;
      } else {
        out[j] = previous[i];
      }
    }
    open.resize(still_open);
  }
}

// largest[i] = the largest score of a listed edge that leaves i; -inf where there is none.
template <class Real>
void largest_leaving(const EdgeLists<Real>& leaving, std::size_t labels,
                     std::vector<Real>& largest) {
  largest.assign(labels, ChainScores<Real>::kForbidden);
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::uint32_t k = leaving.begin[i]; k < leaving.begin[i + 1]; ++k) {
      largest[i] = std::max(largest[i], leaving.log[k]);
    }
  }
}

// out[j] = max_i previous[i] + edge(i, j) over a background of 0.
template <class Real>
void max_plus_over_zero(const TransitionScores<Real>& tied, const Real* previous,
                        ViterbiWorkspace<Real>& work, Real* out) {
  const std::size_t labels = tied.labels();
  const EdgeLists<Real>& leaving = tied.leaving();
  max_over_unlisted(leaving, previous, labels, work, out);
  // A predecessor whose largest sum cannot raise the smallest target raises none: rounding is
  // monotone, so that this leaves out nothing (Q.2).
  const Real floor = *std::min_element(out, out + labels);
  for (std::size_t i = 0; i < labels; ++i) {
    if (!(previous[i] + work.largest[i] > floor)) continue;
    for (std::uint32_t k = leaving.begin[i]; k < leaving.begin[i + 1]; ++k) {
      Real& best = out[leaving.other[k]];
      best = std::max(best, previous[i] + leaving.log[k]);
    }
  }
}

// The same over a background of -inf.
template <class Real>
void max_plus_over_forbidden(const TransitionScores<Real>& tied, const Real* previous, Real* out) {
  const EdgeLists<Real>& arriving = tied.arriving();
  for (std::size_t j = 0; j < tied.labels(); ++j) {
    Real best = ChainScores<Real>::kForbidden;
    for (std::uint32_t k = arriving.begin[j]; k < arriving.begin[j + 1]; ++k) {
      best = std::max(best, previous[arriving.other[k]] + arriving.log[k]);
    }
    out[j] = best;
  }
}

}  // namespace

template <class Real>
bool sparse_best_prefixes(const ChainScores<Real>& scores, ViterbiWorkspace<Real>& work) {
  constexpr Real kForbidden = ChainScores<Real>::kForbidden;
  const TransitionScores<Real>& tied = *scores.transitions;
  const std::size_t labels = scores.labels(), stride = scores.state.stride();
  work.best.reshape(scores.length(), labels);
  if (tied.background() == Background::zero && scores.length() > 1) {
    largest_leaving(tied.leaving(), labels, work.largest);
  }
  for (std::size_t t = 0; t < scores.length(); ++t) {
    Real* best = work.best.row(t);
    const Real* state = scores.state.row(t);
    if (t == 0) {
      std::fill(best, best + labels, Real{0});
    } else if (tied.background() == Background::zero) {
      max_plus_over_zero(tied, work.best.row(t - 1), work, best);
    } else {
      max_plus_over_forbidden(tied, work.best.row(t - 1), best);
    }
    std::fill(best + labels, best + stride, kForbidden);
    const Real highest = *std::max_element(state, state + labels);
    if (highest == kForbidden) return false;
    for (std::size_t j = 0; j < labels; ++j) best[j] += state[j] - highest;
    const Real top = *std::max_element(best, best + labels);
    if (top == kForbidden) return false;
    for (std::size_t j = 0; j < labels; ++j) best[j] -= top;
  }
  return true;
}

template bool sparse_best_prefixes(const ChainScores<float>&, ViterbiWorkspace<float>&);
template bool sparse_best_prefixes(const ChainScores<double>&, ViterbiWorkspace<double>&);

}  // namespace croft
