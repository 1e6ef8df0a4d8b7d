// Random segmentation scores for tests: every shape, hard zeros, ties, overlays, partial gold.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/segment_labels.h"
#include "croft/structure/segments.h"

namespace croft::testing_support {

struct SegmentModel {
  std::size_t length = 4, labels = 2;
  std::uint32_t longest = 3;  // of any label; each has a random one up to it
  double scale = 2;           // standard deviation of the scores
  double forbidden = 0;       // probability that a segment or an edge is -inf
  double overlay = 0;         // probability that a segment has an overlay
  bool ties = false;          // scores rounded to whole numbers
};

// Owns what its scores point to.
template <class Real>
struct RandomSegments {
  std::unique_ptr<SegmentShape> shape;
  std::unique_ptr<TransitionScores<Real>> transitions;
  SegmentScores<Real> scores;
};

template <class Real>
Real random_score(const SegmentModel& model, Random& random) {
  if (random.uniform() < model.forbidden) return SegmentScores<Real>::kForbidden;
  const double value = model.scale * random.normal();
  return static_cast<Real>(model.ties ? std::round(value) : value);
}

template <class Real>
RandomSegments<Real> random_segments(const SegmentModel& model, Random& random) {
  RandomSegments<Real> made;
  std::vector<std::uint32_t> longest(model.labels);
  for (std::uint32_t& d : longest) d = 1 + static_cast<std::uint32_t>(random.below(model.longest));
  made.shape = std::make_unique<SegmentShape>(longest);
  Matrix<Real> log(model.labels, model.labels, SegmentScores<Real>::kForbidden);
  for (std::size_t i = 0; i < model.labels; ++i) {
    for (Real& value : log[i]) value = random_score<Real>(model, random);
  }
  made.transitions = std::make_unique<TransitionScores<Real>>();
  made.transitions->assign(std::move(log));
  SegmentScores<Real>& scores = made.scores;
  scores.reset(*made.shape, model.length, *made.transitions);
  for (std::size_t t = 0; t < model.length; ++t) {
    for (std::uint32_t c = 0; c < made.shape->cells(); ++c) {
      Real& value = scores.segment(t, c);
      if (value == SegmentScores<Real>::kForbidden) continue;  // would end behind the sequence
      value = random_score<Real>(model, random);
      if (t == 0 || random.uniform() >= model.overlay) continue;
      scores.overlay_of.push_back({static_cast<std::uint32_t>(t), c});
    }
  }
  scores.overlay.assign(scores.overlay_of.size(), model.labels, SegmentScores<Real>::kForbidden);
  for (std::size_t k = 0; k < scores.overlay_of.size(); ++k) {
    for (Real& value : scores.overlay[k]) value = random_score<Real>(model, random);
  }
  return made;
}

template <class Real>
RandomSegments<Real> copy(const RandomSegments<Real>& from) {
  RandomSegments<Real> other;
  other.shape = std::make_unique<SegmentShape>(*from.shape);
  other.transitions = std::make_unique<TransitionScores<Real>>(*from.transitions);
  other.scores = from.scores;
  other.scores.shape = other.shape.get();
  other.scores.transitions = other.transitions.get();
  return other;
}

// The same numbers in the other precision.
template <class To, class From>
RandomSegments<To> convert_segments(const RandomSegments<From>& from) {
  RandomSegments<To> other;
  other.shape = std::make_unique<SegmentShape>(*from.shape);
  other.transitions = std::make_unique<TransitionScores<To>>(convert<To>(*from.transitions));
  other.scores.shape = other.shape.get();
  other.scores.transitions = other.transitions.get();
  for (const auto& [begin, cell] : from.scores.overlay_of) {
    other.scores.overlay_of.push_back({begin, cell});
  }
  const auto copy_table = [](const Matrix<From>& table, Matrix<To>& to) {
    to.assign(table.rows(), table.columns(), SegmentScores<To>::kForbidden);
    for (std::size_t r = 0; r < table.rows(); ++r) {
      for (std::size_t c = 0; c < table.columns(); ++c) to(r, c) = static_cast<To>(table(r, c));
    }
  };
  copy_table(from.scores.segment, other.scores.segment);
  copy_table(from.scores.overlay, other.scores.overlay);
  return other;
}

// change(score) for every score: segments, overlays, transitions.
template <class Change>
RandomSegments<double> map_scores(const RandomSegments<double>& from, const Change& change) {
  RandomSegments<double> other = copy(from);
  const auto map_table = [&](Matrix<double>& table) {
    for (std::size_t r = 0; r < table.rows(); ++r) {
      for (double& value : table[r]) value = change(value);
    }
  };
  map_table(other.scores.segment);
  map_table(other.scores.overlay);
  Matrix<double> log = from.transitions->log();
  map_table(log);
  other.transitions->assign(std::move(log));
  return other;
}

// Derivatives in tables of their own.
template <class Real>
struct SegmentTables {
  Matrix<Real> segment, overlay;
  std::vector<double> transition;
  explicit SegmentTables(const SegmentScores<Real>& scores)
      : segment(scores.length(), scores.segment.columns(), Real{7}),
        overlay(scores.overlay.rows(), scores.labels(), Real{7}),
        transition(scores.labels() * scores.labels(), 0.0) {}
  SegmentGradient<Real> view() { return {segment.row(0), overlay.row(0), transition.data()}; }
  // In the order of map_scores().
  std::vector<double> numbers() const {
    std::vector<double> list;
    for (const Matrix<Real>* table : {&segment, &overlay}) {
      for (std::size_t r = 0; r < table->rows(); ++r) {
        for (const Real value : (*table)[r]) list.push_back(double{value});
      }
    }
    list.insert(list.end(), transition.begin(), transition.end());
    return list;
  }
};

// A random segmentation, allowed by the lengths.
inline std::vector<Segment> random_segmentation(const SegmentShape& shape, std::size_t length,
                                                Random& random) {
  std::vector<Segment> segments;
  for (std::size_t t = 0; t < length;) {
    const auto y = static_cast<Label>(random.below(shape.labels()));
    const std::size_t d = 1 + random.below(std::min(shape.longest(y), length - t));
    segments.push_back({t, t + d, y});
    t += d;
  }
  return segments;
}

// Column labels 2 y for the first position of a segment of y, 2 y + 1 for the others.
inline SegmentLabels two_column_labels(const SegmentShape& shape) {
  SegmentLabels labels;
  for (Label y = 0; y < shape.labels(); ++y) {
    labels.names.push_back(std::to_string(y));
    labels.first.push_back(2 * y);
    labels.inside.push_back(shape.longest(y) > 1 ? 2 * y + 1 : SegmentLabels::kNone);
  }
  return labels;
}

// Four column labels for each: first, inside, last, single.
inline SegmentLabels four_column_labels(const SegmentShape& shape) {
  SegmentLabels labels;
  for (Label y = 0; y < shape.labels(); ++y) {
    labels.names.push_back(std::to_string(y));
    labels.first.push_back(4 * y);
    labels.inside.push_back(4 * y + 1);
    labels.last.push_back(4 * y + 2);
    labels.single.push_back(4 * y + 3);
  }
  return labels;
}

inline std::vector<Label> columns_of(const SegmentLabels& labels, std::span<const Segment> segments,
                                     std::size_t length) {
  std::vector<Label> columns(length);
  spell(labels, segments, columns);
  return columns;
}

}  // namespace croft::testing_support
