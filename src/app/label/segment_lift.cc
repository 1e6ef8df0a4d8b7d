#include "app/label/segment_lift.h"

#include <algorithm>
#include <limits>

#include "croft/core/error.h"

namespace croft {
namespace {

// A number a position and edge, and some 60 bytes an edge.
constexpr double kMostEdges = 1 << 24;

template <class Real>
TransitionScores<Real> scaled_transitions(const SegmentModel& model, double scale) {
  Matrix<Real> log = model.segment_transitions<Real>().log();
  for (std::size_t i = 0; i < log.rows(); ++i) {
    for (std::size_t j = 0; j < log.columns(); ++j) log(i, j) *= static_cast<Real>(scale);
  }
  TransitionScores<Real> result;
  result.assign(std::move(log));
  return result;
}

const SegmentShape& checked_shape(const SegmentModel& model) {
  if (segment_chain_size(model.shape(), model.has_pairs()).edges > kMostEdges) {
    throw Error(
        model.container().name(),
        ": its segments are too long, and its labels too many; train with a smaller --max-length");
  }
  return model.shape();
}

// The chain's edges without those that `pairs` forbids.
template <class Real>
TransitionScores<Real> masked(const SegmentChain<Real>& chain,
                              const TransitionScores<Real>& pairs) {
  const TransitionScores<Real>& from = chain.transitions();
  if (!pairs.any_forbidden() && !(pairs.sparse() && pairs.background() == Background::forbidden)) {
    return from;
  }
  std::vector<Edge> edges;
  std::vector<Real> log;
  const EdgeLists<Real>& leaving = from.leaving();
  for (Label i = 0; i < from.labels(); ++i) {
    for (std::uint32_t k = leaving.begin[i]; k < leaving.begin[i + 1]; ++k) {
      const Label j = leaving.other[k];
      edges.push_back({i, j});
      const bool allowed =
          pairs.at(chain.label_of()[i], chain.label_of()[j]) > TransitionScores<Real>::kForbidden;
      log.push_back(allowed ? leaving.log[k] : TransitionScores<Real>::kForbidden);
    }
  }
  TransitionScores<Real> result;
  result.assign(from.labels(), from.background(), edges, log);
  return result;
}

}  // namespace

template <class Real>
SegmentLift<Real>::SegmentLift(const SegmentModel& model, const TransitionScores<Real>& pairs,
                               double scale)
    : model_(model),
      scale_(static_cast<Real>(scale)),
      segment_transitions_(scaled_transitions<Real>(model, scale)),
      chain_(checked_shape(model), model.segment_labels(), segment_transitions_,
             model.has_pairs()) {
  transitions_ = masked(chain_, pairs);
}

template <class Real>
const SegmentScores<Real>& SegmentLift<Real>::score(const TextSequence& text,
                                                    const ChainScores<Real>& base,
                                                    Scratch& scratch) const {
  model_.segment_scores(text, base, scale_, scratch.features, scratch.scores);
  scratch.scores.transitions = &segment_transitions_;
  return scratch.scores;
}

template <class Real>
const ChainScores<Real>& SegmentLift<Real>::lift(const TextSequence& text,
                                                 const ChainScores<Real>& base,
                                                 Scratch& scratch) const {
  chain_.lift(score(text, base, scratch), scratch.best, scratch.chain);
  scratch.chain.transitions = &transitions_;
  return scratch.chain;
}

template <class Real>
bool SegmentLift<Real>::best(const TextSequence& text, const ChainScores<Real>& base,
                             Scratch& scratch, std::span<Label> y) const {
  const double best = viterbi(score(text, base, scratch), scratch.best, scratch.segments);
  if (!(best > -std::numeric_limits<double>::infinity())) return false;
  spell(model_.segment_labels(), scratch.segments, y);
  return true;
}

template <class Real>
double SegmentLift<Real>::score_of(std::span<const Label> y, const Scratch& scratch) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const SegmentLabels& labels = model_.segment_labels();
  const std::vector<Segment> segments = read_segments(labels, y);
  if (first_misspelling(labels, segments, y)) return kNone;
  const bool fits = std::ranges::all_of(segments, [&](const Segment& each) {
    return each.end - each.begin <= model_.shape().longest(each.label);
  });
  return fits ? croft::score<Real>(scratch.scores, segments) : kNone;
}

template class SegmentLift<float>;
template class SegmentLift<double>;

}  // namespace croft
