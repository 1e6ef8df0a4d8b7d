#include "train/segments/segment_rows_objective.h"

#include <algorithm>
#include <cmath>

namespace croft {

// Made anew only where they are others than the last time: of a batch they are all the same.
template <class Real>
void SegmentRowReader<Real>::set_transitions(const TransitionScores<Real>& from) {
  const std::size_t labels = examples_.labels.labels();
  const bool known = seen_.rows() == labels;
  log_.assign(labels, labels, Real{0});
  bool same = known;
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      log_(i, j) = from.at(i, j);
      same = same && log_(i, j) == seen_(i, j);
    }
  }
  if (same) return;
  seen_ = log_;
  forbid_repeats(examples_.labels, log_);
  transitions_.assign(log_);
}

template <class Real>
SegmentRowScores<Real> SegmentRowReader<Real>::rows_of(std::size_t n,
                                                       const ChainScores<Real>& rows) {
  const std::size_t length = examples_.length(n);
  SegmentRowScores<Real> result{
      .row = examples_.rows(n), .node = rows.state.row(length), .stride = rows.state.stride()};
  if (rows.overlay_of.empty()) return result;
  pair_.assign(result.row.size(), nullptr);
  for (std::size_t r = 0; r < pair_.size(); ++r) pair_[r] = rows.overlay_row(length + r, 0);
  result.pair = pair_;
  result.pair_stride = rows.overlay.stride();
  return result;
}

// Of column labels, with what they share.
template <class Real>
const Real* SegmentRowReader<Real>::positions_of(std::size_t n, const ChainScores<Real>& rows) {
  const std::vector<Label>& shared = examples_.shared;
  if (shared.empty()) return rows.state.row(0);
  const std::size_t length = examples_.length(n);
  position_.reshape(length, rows.state.columns());
  for (std::size_t t = 0; t < length; ++t) {
    const Real* from = rows.state.row(t);
    Real* to = position_.row(t);
    for (std::size_t c = 0; c < shared.size(); ++c) {
      to[c] = from[c] + (shared[c] == SegmentLabels::kNone ? Real{0} : from[shared[c]]);
    }
  }
  return position_.row(0);
}

template <class Real>
const SegmentScores<Real>& SegmentRowReader<Real>::read(std::size_t n,
                                                        const ChainScores<Real>& rows) {
  set_transitions(*rows.transitions);
  assembly_.assemble(examples_.length(n), positions_of(n, rows), rows.state.stride(),
                     rows_of(n, rows), transitions_, scores_);
  return scores_;
}

template <class Real>
void SegmentRowReader<Real>::write(std::size_t n, const ChainScores<Real>& rows,
                                   const Real* d_segment, const Real* d_overlay,
                                   std::span<const double> transition,
                                   const ChainGradient<Real>& out) {
  const std::size_t length = examples_.length(n), stride = rows.state.stride();
  const SegmentRowScores<Real> of = rows_of(n, rows);
  SegmentRowGradient<Real> d_rows{.node = out.state + length * stride, .pair = {}};
  if (!of.pair.empty()) {
    std::fill_n(out.overlay, rows.overlay.rows() * rows.overlay.stride(), Real{0});
    d_pair_.assign(of.pair.size(), nullptr);
    for (std::size_t r = 0; r < d_pair_.size(); ++r) {
      if (of.pair[r] != nullptr) d_pair_[r] = out.overlay + (of.pair[r] - rows.overlay.row(0));
    }
    d_rows.pair = d_pair_;
  }
  assembly_.spread(scores_, d_segment, d_overlay, of, out.state, stride, d_rows);
  for (std::size_t t = 0; t < length && !examples_.shared.empty(); ++t) {
    Real* d = out.state + t * stride;
    for (std::size_t c = 0; c < examples_.shared.size(); ++c) {
      if (examples_.shared[c] != SegmentLabels::kNone) d[examples_.shared[c]] += d[c];
    }
  }
  const std::size_t labels = examples_.labels.labels();
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      const std::uint32_t cell = rows.transitions->cell(i, j);
      if (cell != TransitionScores<Real>::kNoCell) {
        out.transition[cell] += transition[i * labels + j];
      }
    }
  }
}

template <class Real>
SegmentRowsObjective<Real>::SegmentRowsObjective(const SegmentExamples& examples,
                                                 std::unique_ptr<SegmentObjective<Real>> objective)
    : examples_(examples),
      objective_(std::move(objective)),
      curved_(dynamic_cast<CurvedSegmentObjective<Real>*>(objective_.get())),
      reader_(examples),
      tangent_(examples) {}

// Where derivatives of these scores go.
template <class Real>
SegmentGradient<Real> SegmentRowsObjective<Real>::reset(const SegmentScores<Real>& theta) {
  d_segment_.reshape(theta.segment.rows(), theta.segment.columns());
  d_overlay_.reshape(theta.overlay.rows(), theta.overlay.columns());
  transition_.assign(theta.labels() * theta.labels(), 0.0);
  return {d_segment_.row(0), theta.overlay_of.empty() ? nullptr : d_overlay_.row(0),
          transition_.data()};
}

template <class Real>
void SegmentRowsObjective<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                            std::span<const Gold> gold,
                                            std::span<const double> weight,
                                            std::span<const ChainGradient<Real>> out,
                                            std::span<double> value) {
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const std::size_t n = gold[k].known[0];
    const SegmentScores<Real>& theta = reader_.read(n, scores[k]);
    value[k] = (*objective_)(theta, examples_.segment_gold(n), weight[k], reset(theta));
    if (!std::isfinite(value[k])) {  // out is unspecified
      std::fill_n(out[k].state, scores[k].length() * scores[k].state.stride(), Real{0});
      continue;
    }
    reader_.write(n, scores[k], d_segment_.row(0), d_overlay_.row(0), transition_, out[k]);
  }
}

template <class Real>
void SegmentRowsObjective<Real>::curvature(const ChainScores<Real>& scores,
                                           const ChainScores<Real>& tangent, const Gold& gold,
                                           double weight, const ChainGradient<Real>& out) {
  const std::size_t n = gold.known[0];
  const SegmentScores<Real>& theta = reader_.read(n, scores);
  curved_->curvature(theta, tangent_.read(n, tangent), examples_.segment_gold(n), weight,
                     reset(theta));
  reader_.write(n, scores, d_segment_.row(0), d_overlay_.row(0), transition_, out);
}

template class SegmentRowReader<float>;
template class SegmentRowReader<double>;
template class SegmentRowsObjective<float>;
template class SegmentRowsObjective<double>;

}  // namespace croft
