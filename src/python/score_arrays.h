// Scores in numpy's arrays, and from them the scores of each sequence.
//
// Arrays are read where they lie; the scores of a sequence that is worked on are copied into rows
// as the kernels want them, and checked on the way.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "croft/structure/chain_constraint.h"
#include "python/array_batch.h"

namespace croft::python {

namespace py = pybind11;

// Larger ones are a mistake, such as the smallest float for "forbidden"; sums of these are finite.
template <class Real>
inline constexpr Real kLargestScore = static_cast<Real>(sizeof(Real) == 4 ? 1e30 : 1e300);

// From how many labels on a table of few allowed edges is kept as a list of them: here one sequence
// alone breaks even, and sixteen are four times as fast (bench/label_set_bench, 5 percent).
inline constexpr std::size_t kLabelsOfList = 64;

// Whether all are scores; without branches, for the compiler to make vectors of.
template <class Real>
bool copy_scores(const Real* from, std::ptrdiff_t step, std::size_t count, Real* to) {
  constexpr Real kHigh = kLargestScore<Real>, kForbidden = ChainScores<Real>::kForbidden;
  unsigned faults = 0;
  const auto copy = [&](std::size_t j, Real x) {
    to[j] = x;
    faults |= static_cast<unsigned>(!(x <= kHigh)) |
              (static_cast<unsigned>(!(x >= -kHigh)) & static_cast<unsigned>(x != kForbidden));
  };
  if (step == 1) {
    for (std::size_t j = 0; j < count; ++j) copy(j, from[j]);
  } else {
    for (std::size_t j = 0; j < count; ++j) copy(j, from[static_cast<std::ptrdiff_t>(j) * step]);
  }
  return faults == 0;
}

template <class Real>
bool is_score(Real x) {
  return copy_scores(&x, 1, 1, &x);
}

template <class Real>
[[noreturn]] void refuse(const std::string& place, Real x) {
  throw py::value_error(
      fmt::format("{} is {}: a score is a number up to {:g} in size, or -inf, which forbids", place,
                  x, kLargestScore<Real>));
}

// The index of the first of a row that is no score.
template <class Real>
std::size_t first_fault(const Real* row, std::size_t count) {
  return static_cast<std::size_t>(std::find_if_not(row, row + count, is_score<Real>) - row);
}

// What a function of croft.chain was given.
template <class Real>
class ScoreArrays {
 public:
  // arrays: state, and of transition, start, end, edge, allowed, may_start, may_end and may_follow
  // (bool, of a constraint) those that there are.
  ScoreArrays(BatchLayout layout, std::size_t labels, const py::dict& arrays);
  ScoreArrays(const ScoreArrays&) = delete;  // its arrays refer to its layout
  ScoreArrays& operator=(const ScoreArrays&) = delete;

  const BatchLayout& layout() const { return layout_; }
  std::size_t labels() const { return labels_; }
  const TransitionScores<Real>& transitions() const { return transitions_; }
  bool has_edges() const { return edge_.has_value(); }
  // theta of sequence n; masks and the constraint are -inf in it.  Cost O(T L), with edges O(T
  // L^2).
  void read(std::size_t n, ChainScores<Real>& out) const;

 private:
  void read_transitions(const py::object& scores, const py::object& may_follow);
  void read_ends(const py::object& scores, const py::object& may, const char* name,
                 std::vector<Real>& out) const;
  void read_edges(std::size_t n, ChainScores<Real>& out) const;

  BatchLayout layout_;
  std::size_t labels_;
  std::optional<BatchArray<const Real>> state_, edge_;
  std::optional<BatchArray<const bool>> allowed_;
  TransitionScores<Real> transitions_;
  std::vector<Real> start_, end_;  // [L]; empty: nothing is added
};

template <class Real>
ScoreArrays<Real>::ScoreArrays(BatchLayout layout, std::size_t labels, const py::dict& arrays)
    : layout_(std::move(layout)), labels_(labels) {
  if (labels == 0 || labels >= std::size_t{1} << 31) {  // a broadcast axis may be as long
    throw py::value_error(fmt::format("state has {} labels", labels));
  }
  const auto given = [&](const char* name) -> py::object {
    return arrays.contains(name) ? py::object(arrays[name]) : py::none();
  };
  state_.emplace(layout_, "state", given("state"), std::vector{labels});
  if (const py::object edge = given("edge"); !edge.is_none()) {
    edge_.emplace(layout_, "edge", edge, std::vector{labels, labels});
  }
  if (const py::object allowed = given("allowed"); !allowed.is_none()) {
    allowed_.emplace(layout_, "allowed", allowed, std::vector{labels});
  }
  read_transitions(given("transition"), given("may_follow"));
  read_ends(given("start"), given("may_start"), "start", start_);
  read_ends(given("end"), given("may_end"), "end", end_);
}

// The table of tied scores with the constraint in it.
template <class Real>
void ScoreArrays<Real>::read_transitions(const py::object& scores, const py::object& may_follow) {
  Matrix<Real> table(labels_, labels_, Real{0});
  if (!scores.is_none()) {
    const auto info = array_of<const Real>(scores, "transition", {labels_, labels_});
    const std::ptrdiff_t row = info.strides[0] / std::ptrdiff_t{sizeof(Real)};
    const std::ptrdiff_t step = info.strides[1] / std::ptrdiff_t{sizeof(Real)};
    for (std::size_t i = 0; i < labels_; ++i) {
      const Real* from = static_cast<const Real*>(info.ptr) + static_cast<std::ptrdiff_t>(i) * row;
      if (copy_scores(from, step, labels_, table.row(i))) continue;
      const std::size_t j = first_fault(table.row(i), labels_);
      refuse(fmt::format("transition[{}, {}]", i, j), table(i, j));
    }
  }
  if (!may_follow.is_none()) {
    const auto info = array_of<const bool>(may_follow, "constraint.edge", {labels_, labels_});
    for (std::size_t i = 0; i < labels_; ++i) {
      for (std::size_t j = 0; j < labels_; ++j) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * info.strides[0] +
                                  static_cast<std::ptrdiff_t>(j) * info.strides[1];
        if (!static_cast<const bool*>(info.ptr)[at]) table(i, j) = ChainScores<Real>::kForbidden;
      }
    }
  }
  // Few allowed edges of many labels: a list of them.  Overlays go with a dense table.
  std::vector<Edge> edges;
  std::vector<Real> log;
  const std::size_t listed = labels_ * labels_ / kListedShare;
  for (Label i = 0; i < labels_ && edges.size() <= listed; ++i) {
    for (Label j = 0; j < labels_; ++j) {
      if (table(i, j) == ChainScores<Real>::kForbidden) continue;
      edges.push_back({i, j});
      log.push_back(table(i, j));
    }
  }
  if (edges.size() <= listed && labels_ >= kLabelsOfList && !edge_) {
    transitions_.assign(labels_, Background::forbidden, edges, std::span<const Real>(log));
  } else {
    transitions_.assign(std::move(table));
  }
}

// Scores of the first or the last label, with the constraint in them.
template <class Real>
void ScoreArrays<Real>::read_ends(const py::object& scores, const py::object& may, const char* name,
                                  std::vector<Real>& out) const {
  if (scores.is_none() && may.is_none()) return;
  out.assign(labels_, Real{0});
  if (!scores.is_none()) {
    const auto info = array_of<const Real>(scores, name, {labels_});
    const std::ptrdiff_t step = info.strides[0] / std::ptrdiff_t{sizeof(Real)};
    if (!copy_scores(static_cast<const Real*>(info.ptr), step, labels_, out.data())) {
      const std::size_t j = first_fault(out.data(), labels_);
      refuse(fmt::format("{}[{}]", name, j), out[j]);
    }
  }
  if (!may.is_none()) {
    const auto info = array_of<const bool>(may, fmt::format("constraint.{}", name), {labels_});
    for (std::size_t j = 0; j < labels_; ++j) {
      const bool* allowed =
          static_cast<const bool*>(info.ptr) + static_cast<std::ptrdiff_t>(j) * info.strides[0];
      if (!*allowed) out[j] = ChainScores<Real>::kForbidden;
    }
  }
}

template <class Real>
void ScoreArrays<Real>::read(std::size_t n, ChainScores<Real>& out) const {
  const std::size_t length = layout_.length(n);
  out.transitions = &transitions_;
  out.state.reshape(length, labels_);
  const Slice<const Real> from = (*state_)[n];
  for (std::size_t t = 0; t < length; ++t) {
    Real* row = out.state.row(t);
    if (!copy_scores(from.at(t), from.step[0], labels_, row)) {
      const std::size_t j = first_fault(row, labels_);
      refuse(layout_.place("state", n, t, {j}), row[j]);
    }
    std::fill(row + labels_, row + out.state.stride(), ChainScores<Real>::kForbidden);
  }
  if (allowed_) {
    const Slice<const bool> allowed = (*allowed_)[n];
    for (std::size_t t = 0; t < length; ++t) {
      const bool* row = allowed.at(t);
      for (std::size_t j = 0; j < labels_; ++j, row += allowed.step[0]) {
        if (!*row) out.state(t, j) = ChainScores<Real>::kForbidden;
      }
    }
  }
  for (std::size_t j = 0; length > 0 && j < start_.size(); ++j) out.state(0, j) += start_[j];
  for (std::size_t j = 0; length > 0 && j < end_.size(); ++j) out.state(length - 1, j) += end_[j];
  read_edges(n, out);
}

// An overlay for each position but the first, which has no edge.
template <class Real>
void ScoreArrays<Real>::read_edges(std::size_t n, ChainScores<Real>& out) const {
  out.overlay_of.clear();
  out.overlay.reshape(0, labels_);
  const std::size_t length = layout_.length(n);
  if (!edge_ || length < 2) return;
  out.overlay_of.assign(1, ChainScores<Real>::kNoOverlay);
  out.overlay.reshape((length - 1) * labels_, labels_);
  const Slice<const Real> from = (*edge_)[n];
  for (std::size_t t = 1; t < length; ++t) {
    out.overlay_of.push_back(static_cast<std::uint32_t>(t - 1));
    for (std::size_t i = 0; i < labels_; ++i) {
      Real* row = out.overlay.row((t - 1) * labels_ + i);
      const Real* numbers = from.at(t) + static_cast<std::ptrdiff_t>(i) * from.step[0];
      if (!copy_scores(numbers, from.step[1], labels_, row)) {
        const std::size_t j = first_fault(row, labels_);
        refuse(layout_.place("edge", n, t, {i, j}), row[j]);
      }
      std::fill(row + labels_, row + out.overlay.stride(), Real{0});
    }
  }
}

}  // namespace croft::python
