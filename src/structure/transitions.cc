#include "croft/structure/transitions.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "croft/structure/edge_sharing.h"
#include "structure/transition_kernels.h"

namespace croft {
namespace {

// Rows gain padding equal to `fill`, whatever the caller left there.
template <class Real>
void set_padding(Matrix<Real>& m, Real fill) {
  for (std::size_t r = 0; r < m.rows(); ++r) {
    std::fill(m.row(r) + m.columns(), m.row(r) + m.stride(), fill);
  }
}

template <class Real>
void resize(EdgeLists<Real>& lists, std::size_t labels, std::size_t edges) {
  lists.begin.assign(labels + 1, 0);
  lists.other.resize(edges);
  lists.log.resize(edges);
  lists.factor.resize(edges);
  lists.correction.resize(edges);
  lists.smallest.assign(labels, std::numeric_limits<Real>::infinity());
  lists.cell.resize(edges);
}

// Range of the finite scores.
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool forbidden = false;
  void add(double value) {
    if (std::isinf(value)) {
      forbidden = true;
    } else {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

}  // namespace

template <class Real>
void TransitionScores<Real>::set_range(double low, double high) {
  shift_ = std::isfinite(high) ? high : 0;
  spread_ = std::isfinite(high) ? high - low : 0;
}

template <class Real>
void TransitionScores<Real>::assign(Matrix<Real> log_scores) {
  const bool all_were_allowed =
      !sparse_ && !any_forbidden_ && labels_ == log_scores.rows() && labels_ > 0;
  sparse_ = false;
  sharing_.reset();
  labels_ = log_scores.rows();
  const double shift_before = shift_;
  std::swap(log_, log_scores);  // log_scores: those before
  set_padding(log_, kForbidden);
  set_dense_range();
  // In double, where chains are done one by one, few scores change at a time.
  if (std::is_same_v<Real, double> && all_were_allowed && !any_forbidden_ &&
      shift_ == shift_before) {
    for (std::size_t i = 0; i < labels_; ++i) {
      for (std::size_t j = 0; j < labels_; ++j) {
        if (log_(i, j) == log_scores(i, j)) continue;
        factors_(i, j) = factors_transposed_(j, i) = std::exp(log_(i, j) - shift_);
      }
    }
    return;
  }
  for (auto* m : {&factors_, &factors_transposed_}) m->assign(labels_, labels_, Real{0});
  set_factors();
  for (std::size_t i = 0; i < labels_; ++i) {
    for (std::size_t j = 0; j < labels_; ++j) factors_transposed_(j, i) = factors_(i, j);
  }
  if (all_were_allowed && !any_forbidden_) return;  // tables of ones already
  for (auto* m : {&allowed_, &allowed_transposed_}) m->assign(labels_, labels_, Real{0});
  for (std::size_t i = 0; i < labels_; ++i) {
    for (std::size_t j = 0; j < labels_; ++j) {
      allowed_(i, j) = allowed_transposed_(j, i) = log_(i, j) == kForbidden ? 0 : 1;
    }
  }
}

template <class Real>
void TransitionScores<Real>::assign(Matrix<Real> log_scores,
                                    std::shared_ptr<const EdgeSharing> sharing) {
  assign(std::move(log_scores));
  sharing_ = std::move(sharing);
  if (sharing_) set_shared_factors();
}

template <class Real>
void TransitionScores<Real>::set_shared_factors() {
  class_factors_.clear();
  if (sharing_->by_classes()) {
    for (const Edge& edge : sharing_->first) class_factors_.push_back(factors_(edge.from, edge.to));
    return;
  }
  background_factor_ = factors_(sharing_->common.from, sharing_->common.to);
  std::vector<Real> log;
  log.reserve(sharing_->listed.size());
  for (const Edge& edge : sharing_->listed) log.push_back(log_(edge.from, edge.to));
  set_lists(sharing_->listed, log);
  for (auto* lists : {&leaving_, &arriving_}) {
    for (std::uint32_t& cell : lists->cell) {
      const Edge& edge = sharing_->listed[cell];
      cell = static_cast<std::uint32_t>(edge.from * log_.stride() + edge.to);
    }
  }
}

template <>
void TransitionScores<float>::set_dense_range() {
  const ScoreRange range = score_range(log_.row(0), labels_, labels_, log_.stride());
  any_forbidden_ = range.forbidden;
  set_range(range.low, range.high);
}
template <>
void TransitionScores<double>::set_dense_range() {
  Range range;
  for (std::size_t i = 0; i < labels_; ++i) {
    for (const double value : log_[i]) range.add(value);
  }
  any_forbidden_ = range.forbidden;
  set_range(range.low, range.high);
}

template <>
void TransitionScores<float>::set_factors() {
  exp_table(log_.row(0), static_cast<float>(shift_), labels_ * log_.stride(), factors_.row(0));
}
template <>
void TransitionScores<double>::set_factors() {
  for (std::size_t i = 0; i < labels_; ++i) {
    for (std::size_t j = 0; j < labels_; ++j) factors_(i, j) = std::exp(log_(i, j) - shift_);
  }
}

template <class Real>
void TransitionScores<Real>::assign(std::size_t labels, Background background,
                                    std::span<const Edge> edges, std::span<const Real> log) {
  sparse_ = true;
  sharing_.reset();
  labels_ = labels;
  background_ = background;
  Range range;
  for (const Real value : log) range.add(double{value});
  const bool any_other = edges.size() < labels * labels;  // else the background is that of no edge
  if (any_other) range.add(double{background_log()});
  any_forbidden_ = range.forbidden;
  set_range(range.low, range.high);
  background_factor_ =
      any_other ? static_cast<Real>(std::exp(double{background_log()} - shift_)) : Real{0};

  cell_of_.clear();
  if (labels <= kFewLabels) {
    cell_of_.assign(labels * labels, kNoCell);
    for (std::uint32_t k = 0; k < edges.size(); ++k) {
      cell_of_[edges[k].from * labels + edges[k].to] = k;
    }
  }
  set_lists(edges, log);
}

template <class Real>
void TransitionScores<Real>::set_lists(std::span<const Edge> edges, std::span<const Real> log) {
  resize(leaving_, labels_, edges.size());
  resize(arriving_, labels_, edges.size());
  for (const Edge& edge : edges) {
    ++leaving_.begin[edge.from + 1];
    ++arriving_.begin[edge.to + 1];
  }
  for (std::size_t k = 0; k < labels_; ++k) {
    leaving_.begin[k + 1] += leaving_.begin[k];
    arriving_.begin[k + 1] += arriving_.begin[k];
  }
  std::vector<std::uint32_t> next(arriving_.begin.begin(), arriving_.begin.end() - 1);
  for (std::uint32_t k = 0; k < edges.size(); ++k) {
    const Real factor = static_cast<Real>(std::exp(double{log[k]} - shift_));
    const auto put = [&](EdgeLists<Real>& lists, std::uint32_t at, Label group, Label other) {
      lists.other[at] = other;
      lists.log[at] = log[k];
      lists.factor[at] = factor;
      lists.correction[at] = factor - background_factor_;
      lists.cell[at] = k;
      lists.smallest[group] = std::min(lists.smallest[group], factor);
    };
    put(leaving_, k, edges[k].from, edges[k].to);
    put(arriving_, next[edges[k].to]++, edges[k].to, edges[k].from);
  }
}

template <class Real>
std::uint32_t TransitionScores<Real>::cell(Label i, Label j) const {
  if (!sparse_) return static_cast<std::uint32_t>(i * log_.stride() + j);
  if (!cell_of_.empty()) return cell_of_[i * labels_ + j];
  const auto first = leaving_.other.begin() + leaving_.begin[i];
  const auto last = leaving_.other.begin() + leaving_.begin[i + 1];
  const auto found = std::lower_bound(first, last, j);
  if (found == last || *found != j) return kNoCell;
  return static_cast<std::uint32_t>(found - leaving_.other.begin());
}

template <class Real>
Real TransitionScores<Real>::at(Label i, Label j) const {
  if (!sparse_) return log_(i, j);
  const std::uint32_t k = cell(i, j);
  return k == kNoCell ? background_log() : leaving_.log[k];
}

template <class Real>
Real TransitionScores<Real>::factor(Label i, Label j) const {
  if (!sparse_) return factors_(i, j);
  const std::uint32_t k = cell(i, j);
  return k == kNoCell ? background_factor_ : leaving_.factor[k];
}

template <class Real>
std::size_t TransitionScores<Real>::cells() const {
  return sparse_ ? leaving_.size() : labels_ * log_.stride();
}

template <class To, class From>
TransitionScores<To> convert(const TransitionScores<From>& from) {
  TransitionScores<To> to;
  const auto cast = [](From value) { return static_cast<To>(value); };
  const std::size_t labels = from.labels();
  if (!from.sparse()) {
    Matrix<To> log(labels, labels);
    for (std::size_t i = 0; i < labels; ++i) {
      std::transform(from.log().row(i), from.log().row(i) + labels, log.row(i), cast);
    }
    to.assign(std::move(log), from.sharing());
    return to;
  }
  const EdgeLists<From>& lists = from.leaving();
  std::vector<Edge> edges;
  std::vector<To> log(lists.size());
  for (Label i = 0; i < labels; ++i) {
    for (std::uint32_t k = lists.begin[i]; k < lists.begin[i + 1]; ++k) {
      edges.push_back({i, lists.other[k]});
    }
  }
  std::transform(lists.log.begin(), lists.log.end(), log.begin(), cast);
  to.assign(labels, from.background(), edges, std::span<const To>(log));
  return to;
}

template class TransitionScores<float>;
template class TransitionScores<double>;
template TransitionScores<double> convert(const TransitionScores<float>&);
template TransitionScores<float> convert(const TransitionScores<double>&);
template TransitionScores<float> convert(const TransitionScores<float>&);
template TransitionScores<double> convert(const TransitionScores<double>&);

}  // namespace croft
