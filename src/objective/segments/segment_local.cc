// Objectives that normalise pieces of a segmentation: composite likelihood and piecewise training.
#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "objective/segments/segment_objective.h"
#include "objective/segments/segment_terms.h"

namespace croft {
namespace {

bool is_allowed(const SegmentShape& shape, std::span<const Segment> segments) {
  return std::ranges::all_of(
      segments, [&](const Segment& s) { return s.end - s.begin <= shape.longest(s.label); });
}

}  // namespace

template <class Real>
struct SegmentCompositeLikelihood<Real>::Block {
  std::size_t begin, end;         // the span
  const Segment *before, *after;  // gold, or null
};

template <class Real>
SegmentCompositeLikelihood<Real>::SegmentCompositeLikelihood(const SegmentLabels& labels,
                                                             std::size_t block, BlockCount count)
    : block_(block), count_(count), likelihood_(labels) {
  if (block == 0) throw UsageError("a block of 0 segments has no likelihood: give 1 or more");
}

// The block's span as a sequence of its own.  The edges to its neighbours are added to the segments
// that begin and end it (SM.26).
template <class Real>
void SegmentCompositeLikelihood<Real>::cut(const SegmentScores<Real>& scores, const Block& block) {
  const SegmentShape& shape = *scores.shape;
  const std::size_t length = block.end - block.begin;
  scores_.reset(shape, length, *scores.transitions);
  overlay_from_.clear();
  for (std::size_t t = 0; t < length; ++t) {
    const Real* from = scores.segment.row(block.begin + t);
    Real* to = scores_.segment.row(t);
    for (Label y = 0; y < shape.labels(); ++y) {
      const std::size_t first = shape.first[y], n = std::min(shape.longest(y), length - t);
      std::copy_n(from + first, n, to + first);
    }
    const auto [first, last] = overlays_at(scores, block.begin + t);
    for (std::size_t k = first; k < last; ++k) {
      const std::uint32_t cell = scores.overlay_of[k].cell;
      if (t == 0) {
        if (block.before != nullptr) to[cell] += scores.overlay(k, block.before->label);
      } else {
        scores_.overlay_of.push_back({static_cast<std::uint32_t>(t), cell});
        overlay_from_.push_back(k);
      }
    }
  }
  scores_.overlay.reshape(overlay_from_.size(), shape.labels());
  for (std::size_t k = 0; k < overlay_from_.size(); ++k) {
    std::copy_n(scores.overlay.row(overlay_from_[k]), scores.overlay.stride(),
                scores_.overlay.row(k));
  }
  const std::size_t next =
      block.after == nullptr
          ? kNoSegmentOverlay
          : overlay_at(scores, block.end,
                       shape.cell(block.after->label, block.after->end - block.after->begin));
  for (Label y = 0; y < shape.labels(); ++y) {
    if (block.before != nullptr) {
      const Real edge = scores.transitions->at(block.before->label, y);
      for (std::size_t d = 1; d <= std::min(shape.longest(y), length); ++d) {
        scores_.segment(0, shape.cell(y, d)) += edge;
      }
    }
    if (block.after == nullptr) continue;
    Real edge = scores.transitions->at(y, block.after->label);
    if (next != kNoSegmentOverlay) edge += scores.overlay(next, y);
    for (std::size_t d = 1; d <= std::min(shape.longest(y), length); ++d) {
      scores_.segment(length - d, shape.cell(y, d)) += edge;
    }
  }
}

template <class Real>
void SegmentCompositeLikelihood<Real>::paste(const SegmentScores<Real>& scores, const Block& block,
                                             const SegmentGradient<Real>& out) {
  const SegmentShape& shape = *scores.shape;
  const std::size_t length = block.end - block.begin, labels = shape.labels();
  const std::size_t stride = scores.segment.stride(), width = scores.overlay.stride();
  for (std::size_t t = 0; t < length; ++t) {
    Real* to = out.segment + (block.begin + t) * stride;
    for (std::size_t c = 0; c < shape.cells(); ++c) to[c] += segment_(t, c);
  }
  for (std::size_t k = 0; out.overlay != nullptr && k < overlay_from_.size(); ++k) {
    Real* to = out.overlay + overlay_from_[k] * width;
    for (Label i = 0; i < labels; ++i) to[i] += overlay_(k, i);
  }
  if (block.before != nullptr) {
    const Label before = block.before->label;
    for (Label y = 0; y < labels && out.transition != nullptr; ++y) {
      for (std::size_t c = shape.first[y]; c < shape.first[y + 1]; ++c) {
        out.transition[before * labels + y] += double{segment_(0, c)};
      }
    }
    const auto [first, last] = overlays_at(scores, block.begin);
    for (std::size_t k = first; k < last && out.overlay != nullptr; ++k) {
      out.overlay[k * width + before] += segment_(0, scores.overlay_of[k].cell);
    }
  }
  if (block.after == nullptr) return;
  const Label after = block.after->label;
  const std::size_t next =
      overlay_at(scores, block.end, shape.cell(after, block.after->end - block.after->begin));
  for (Label y = 0; y < labels; ++y) {
    double sum = 0;
    for (std::size_t d = 1; d <= std::min(shape.longest(y), length); ++d) {
      sum += double{segment_(length - d, shape.cell(y, d))};
    }
    if (out.transition != nullptr) out.transition[y * labels + after] += sum;
    if (next != kNoSegmentOverlay && out.overlay != nullptr) {
      out.overlay[next * width + y] += static_cast<Real>(sum);
    }
  }
}

template <class Real>
double SegmentCompositeLikelihood<Real>::operator()(const SegmentScores<Real>& scores,
                                                    const SegmentGold& gold, double weight,
                                                    const SegmentGradient<Real>& out) {
  const std::span<const Segment> all = gold.segments;
  if (all.size() <= block_) return likelihood_(scores, gold, weight, out);
  if (!is_allowed(*scores.shape, all)) return kInf;
  clear(scores, out);
  const std::size_t blocks = all.size() - block_ + 1;
  const double share = count_ == BlockCount::blocks
                           ? 1.0
                           : static_cast<double>(all.size()) / static_cast<double>(block_ * blocks);
  CompensatedSum value;
  for (std::size_t k = 0; k < blocks; ++k) {
    const std::span<const Segment> own = all.subspan(k, block_);
    const Block block{own.front().begin, own.back().end, k > 0 ? &all[k - 1] : nullptr,
                      k + block_ < all.size() ? &all[k + block_] : nullptr};
    cut(scores, block);
    gold_.clear();
    for (const auto& [begin, end, y] : own) {
      gold_.push_back({begin - block.begin, end - block.begin, y});
    }
    segment_.reshape(block.end - block.begin, scores.segment.columns());
    overlay_.reshape(overlay_from_.size(), scores.labels());
    const double loss = likelihood_(scores_, gold_, share * weight,
                                    {segment_.row(0), overlay_.row(0), out.transition});
    if (loss == kInf) return kInf;
    value.add(loss);
    paste(scores, block, out);
  }
  return value.value();
}

namespace {

// log( none + sum_k exp x_k ), where `none` is 1 or 0, and its derivatives.
struct Piece {
  double high, sum;
  Piece(bool none, std::size_t count, const auto& score) : high(none ? 0 : -kInf), sum(0) {
    for (std::size_t k = 0; k < count; ++k) high = std::max(high, double{score(k)});
    if (high == -kInf) return;
    sum = none ? std::exp(-high) : 0;
    for (std::size_t k = 0; k < count; ++k) sum += std::exp(double{score(k)} - high);
  }
  double p(double score) const { return std::exp(score - high) / sum; }
  void add_to(CompensatedSum& loss) const {
    loss.add(high);
    loss.add(std::log(sum));
  }
};

}  // namespace

template <class Real>
double SegmentPiecewise<Real>::operator()(const SegmentScores<Real>& scores,
                                          const SegmentGold& gold, double weight,
                                          const SegmentGradient<Real>& out) {
  const std::size_t length = scores.length(), labels = scores.labels();
  const std::size_t cells = scores.shape->cells(), stride = scores.segment.stride();
  CompensatedSum loss;
  const auto subtract = [&](double value) { loss.add(-value); };
  if (!for_each_score(scores, gold.segments, subtract) || !std::isfinite(loss.value())) return kInf;
  clear(scores, out);
  for (std::size_t t = 0; t < length; ++t) {
    const Real* segment = scores.segment.row(t);
    const Piece piece(t > 0, cells, [&](std::size_t c) { return segment[c]; });
    piece.add_to(loss);
    for (std::size_t c = 0; c < cells; ++c) {
      out.segment[t * stride + c] = static_cast<Real>(weight * piece.p(double{segment[c]}));
    }
  }
  const double times = length > 1 ? static_cast<double>(length - 1) : 0;  // one piece for all
  const TransitionScores<Real>& tied = *scores.transitions;
  const Piece pairs(true, labels * labels, [&](std::size_t k) {
    return tied.at(static_cast<Label>(k / labels), static_cast<Label>(k % labels));
  });
  loss.add(times * (pairs.high + std::log(pairs.sum)));
  for (Label i = 0; i < labels && out.transition != nullptr; ++i) {
    for (Label j = 0; j < labels; ++j) {
      out.transition[i * labels + j] += weight * times * pairs.p(double{tied.at(i, j)});
    }
  }
  for (std::size_t k = 0; k < scores.overlay.rows(); ++k) {
    const Piece piece(true, labels, [&](std::size_t i) { return scores.overlay(k, i); });
    piece.add_to(loss);
    for (Label i = 0; i < labels && out.overlay != nullptr; ++i) {
      out.overlay[k * scores.overlay.stride() + i] =
          static_cast<Real>(weight * piece.p(double{scores.overlay(k, i)}));
    }
  }
  add_segmentation(scores, gold.segments, -weight, out);
  return weight * loss.value();
}

template class SegmentCompositeLikelihood<float>;
template class SegmentCompositeLikelihood<double>;
template class SegmentPiecewise<float>;
template class SegmentPiecewise<double>;

}  // namespace croft
