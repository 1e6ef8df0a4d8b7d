// The second derivative of the log Z of segmentations against covariances by enumeration, and
// against differences of marginals.
#include "croft/inference/segment_tangent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/inference/segment_sum.h"
#include "support/random_segments.h"
#include "support/segment_brute_force.h"

namespace croft::segment_tangent_test {
namespace {

using testing_support::convert_segments;
using testing_support::for_each_segmentation;
using testing_support::random_segments;
using testing_support::RandomSegments;
using testing_support::SegmentModel;
using testing_support::SegmentTables;

// A direction for these scores; -inf where they are.
template <class Real>
RandomSegments<Real> random_direction(const RandomSegments<Real>& of, Random& random) {
  RandomSegments<Real> made;
  const std::size_t labels = of.scores.labels();
  Matrix<Real> log(labels, labels, 0);
  for (std::size_t i = 0; i < labels; ++i) {
    for (Real& value : log[i]) value = static_cast<Real>(random.normal());
  }
  made.transitions = std::make_unique<TransitionScores<Real>>();
  made.transitions->assign(std::move(log));
  made.shape = std::make_unique<SegmentShape>(*of.shape);
  made.scores = of.scores;
  made.scores.shape = made.shape.get();
  made.scores.transitions = made.transitions.get();
  for (Matrix<Real>* table : {&made.scores.segment, &made.scores.overlay}) {
    for (std::size_t r = 0; r < table->rows(); ++r) {
      for (Real& value : (*table)[r]) {
        if (std::isfinite(value)) value = static_cast<Real>(random.normal());
      }
    }
  }
  return made;
}

// Visits the entries that a segmentation uses, each with where it is in `tables`.
template <class Visit>
void for_each_entry(const SegmentScores<double>& scores, SegmentTables<double>& tables,
                    const std::vector<Segment>& segments, const Visit& visit) {
  const std::size_t labels = scores.labels();
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const auto& [begin, end, y] = segments[k];
    const std::size_t cell = scores.shape->cell(y, end - begin);
    visit(scores.segment(begin, cell), tables.segment(begin, cell));
    if (k == 0) continue;
    const Label before = segments[k - 1].label;
    visit(scores.transitions->at(before, y), tables.transition[before * labels + y]);
    const std::size_t overlay = overlay_at(scores, begin, cell);
    if (overlay == kNoSegmentOverlay) continue;
    visit(scores.overlay(overlay, before), tables.overlay(overlay, before));
  }
}

// Cov(S, n_c) of every entry, and E[S].
double enumerate(const SegmentScores<double>& scores, const SegmentScores<double>& direction,
                 SegmentTables<double>& covariance) {
  const double log_z = testing_support::brute_force(scores).log_partition;
  covariance.segment.assign(scores.length(), scores.segment.columns(), 0.0);
  covariance.overlay.assign(scores.overlay.rows(), scores.labels(), 0.0);
  const auto total = [&](const std::vector<Segment>& segments) {
    double sum = 0;
    for_each_entry(direction, covariance, segments, [&](double d, double&) { sum += d; });
    return sum;
  };
  double mean = 0;
  for_each_segmentation(scores, [&](const std::vector<Segment>& segments, long double s) {
    mean += static_cast<double>(std::exp(s - log_z)) * total(segments);
  });
  for_each_segmentation(scores, [&](const std::vector<Segment>& segments, long double s) {
    const double part = static_cast<double>(std::exp(s - log_z)) * (total(segments) - mean);
    for_each_entry(direction, covariance, segments, [&](double, double& c) { c += part; });
  });
  return mean;
}

template <class Real>
void check_all_models(double tolerance) {
  Random random(3);
  SegmentTangentWorkspace work;
  std::size_t log_domain = 0;
  for (const std::size_t length : {0, 1, 2, 5, 7}) {
    for (const std::size_t labels : {1, 2, 3}) {
      for (const double forbidden : {0.0, 0.2}) {
        for (const double overlay : {0.0, 0.4}) {
          for (const double scale : {1.0, 20.0, 400.0}) {
            SCOPED_TRACE(testing::Message()
                         << "T " << length << " L " << labels << " forbidden " << forbidden
                         << " overlay " << overlay << " scale " << scale);
            const SegmentModel model{length, labels, 4, scale, forbidden, overlay, false};
            const RandomSegments<Real> made = random_segments<Real>(model, random);
            const RandomSegments<Real> along = random_direction(made, random);
            SegmentTables<Real> found(made.scores);
            const double weight = 2.5;
            const double mean =
                marginals_tangent(made.scores, along.scores, weight, work, found.view());
            log_domain += work.path == ChainPath::log_domain;
            const RandomSegments<double> exact = convert_segments<double>(made),
                                         direction = convert_segments<double>(along);
            SegmentTables<double> truth(exact.scores);
            const double expected = enumerate(exact.scores, direction.scores, truth);
            ASSERT_NEAR(mean, expected, tolerance * (1 + std::abs(expected)));
            const std::vector<double> numbers = found.numbers(), covariance = truth.numbers();
            for (std::size_t k = 0; k < numbers.size(); ++k) {
              ASSERT_NEAR(numbers[k], weight * covariance[k], tolerance) << k;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(log_domain, 0u);
}

TEST(SegmentTangent, InDoubleIsTheCovarianceWithTheSumAlongTheDirection) {
  check_all_models<double>(1e-10);
}

TEST(SegmentTangent, InFloatIsTheCovarianceWithTheSumAlongTheDirection) {
  check_all_models<float>(1e-5);
}

TEST(SegmentTangent, IsTheDifferenceOfMarginalsOnALongSequence) {
  Random random(5);
  const RandomSegments<double> made =
      random_segments<double>({300, 4, 6, 2.0, 0.1, 0.05, false}, random);
  const RandomSegments<double> along = random_direction(made, random);
  SegmentTangentWorkspace work;
  SegmentTables<double> found(made.scores);
  marginals_tangent(made.scores, along.scores, 1, work, found.view());
  EXPECT_EQ(work.path, ChainPath::scaled_double);
  constexpr double kStep = 1e-5;
  SegmentWorkspace<double> sums;
  const auto moved = [&](double step) {
    RandomSegments<double> to = testing_support::copy(made);
    const auto add = [&](Matrix<double>& table, const Matrix<double>& d) {
      for (std::size_t r = 0; r < table.rows(); ++r) {
        for (std::size_t c = 0; c < table.columns(); ++c) {
          if (std::isfinite(table(r, c))) table(r, c) += step * d(r, c);
        }
      }
    };
    add(to.scores.segment, along.scores.segment);
    add(to.scores.overlay, along.scores.overlay);
    Matrix<double> log = to.transitions->log();
    add(log, along.transitions->log());
    to.transitions->assign(std::move(log));
    SegmentTables<double> tables(to.scores);
    marginals(to.scores, 1, sums, tables.view());
    return tables.numbers();
  };
  const std::vector<double> up = moved(kStep), down = moved(-kStep), exact = found.numbers();
  for (std::size_t k = 0; k < exact.size(); ++k) {
    ASSERT_NEAR(exact[k], (up[k] - down[k]) / (2 * kStep), 1e-6) << k;
  }
}

}  // namespace
}  // namespace croft::segment_tangent_test
