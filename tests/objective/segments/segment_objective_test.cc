// Every objective over segmentations: its definition by enumeration, and central differences.
#include "objective/segments/segment_objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "croft/core/error.h"
#include "support/random_segments.h"
#include "support/segment_brute_force.h"

namespace croft::segment_objective_test {
namespace {

using testing_support::columns_of;
using testing_support::for_each_segmentation;
using testing_support::four_column_labels;
using testing_support::random_segmentation;
using testing_support::random_segments;
using testing_support::RandomSegments;
using testing_support::SegmentModel;
using testing_support::SegmentTables;
using testing_support::two_column_labels;

constexpr double kInf = std::numeric_limits<double>::infinity();

// A model, a gold segmentation that it allows, and partial gold.
struct Case {
  RandomSegments<double> made;
  SegmentLabels labels;
  std::vector<Segment> segments;
  std::vector<Label> known;
  LabelSets sets;
  std::size_t columns = 0;

  Case(const SegmentModel& model, bool four, Random& random) {
    do {
      made = random_segments<double>(model, random);
      segments = random_segmentation(*made.shape, model.length, random);
    } while (!std::isfinite(score<double>(made.scores, segments)));
    labels = four ? four_column_labels(*made.shape) : two_column_labels(*made.shape);
    columns = made.shape->labels() * (four ? 4 : 2);
    known = columns_of(labels, segments, model.length);
    for (Label& label : known) {  // the truth, a set with it in, or nothing
      const auto kind = random.below(3);
      if (kind == 0) label = kAnyLabel;
      if (kind != 1) continue;
      const Label sure = label;
      label = static_cast<Label>(kLabelSetBit + sets.size());
      for (Label c = 0; c < columns; ++c) {
        if (c == sure || random.below(2) == 0) sets.label.push_back(c);
      }
      sets.begin.push_back(static_cast<std::uint32_t>(sets.label.size()));
    }
  }
  Gold partial() const { return {known, &sets}; }
  LabelCost cost(Random& random) const {
    Matrix<double> table(columns, columns, 0.0);
    for (Label g = 0; g < columns; ++g) {
      for (Label j = 0; j < columns; ++j) table(g, j) = g == j ? 0 : 2 * random.uniform();
    }
    return label_cost(std::move(table));
  }
};

template <class Visit>
void for_each_case(const Visit& visit) {
  Random random(41);
  for (std::size_t length = 0; length <= 7; ++length) {
    for (std::size_t labels = 1; labels <= 3; ++labels) {
      for (const double forbidden : {0.0, 0.15}) {
        for (const double overlay : {0.0, 0.4}) {
          SCOPED_TRACE(testing::Message() << "T " << length << " L " << labels << " forbidden "
                                          << forbidden << " overlay " << overlay);
          Case example({length, labels, 4, 1.5, forbidden, overlay, false}, length % 2 == 0,
                       random);
          visit(example, random);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

struct Entry {
  std::vector<Segment> segments;
  long double score;
};
std::vector<Entry> all_of(const SegmentScores<double>& scores) {
  std::vector<Entry> list;
  for_each_segmentation(scores, [&](const std::vector<Segment>& segments, long double s) {
    list.push_back({segments, s});
  });
  return list;
}

bool fits(const Gold& gold, const std::vector<Label>& columns) {
  for (std::size_t t = 0; t < columns.size(); ++t) {
    if (!gold.allows(t, columns[t])) return false;
  }
  return true;
}

// log sum exp(score + add) over those that are kept.
double log_sum(
    const std::vector<Entry>& entries,
    const std::function<bool(const Entry&)>& keep = [](const Entry&) { return true; },
    const std::function<double(const Entry&)>& add = [](const Entry&) { return 0.0; }) {
  long double sum = 0;
  for (const Entry& entry : entries) {
    if (keep(entry)) sum += std::exp(entry.score + add(entry));
  }
  return static_cast<double>(std::log(sum));
}

double evaluate(SegmentObjective<double>& objective, const SegmentScores<double>& scores,
                const SegmentGold& gold, double weight = 1) {
  SegmentTables<double> tables(scores);
  return objective(scores, gold, weight, tables.view());
}

// Every entry that is not -inf, one by one; the others have derivatives of 0.
void expect_central_differences(SegmentObjective<double>& objective,
                                const RandomSegments<double>& made, const SegmentGold& gold,
                                double weight = 1) {
  SegmentTables<double> tables(made.scores);
  const double here = objective(made.scores, gold, weight, tables.view());
  ASSERT_TRUE(std::isfinite(here));
  std::vector<double> numbers;
  testing_support::map_scores(made, [&](double v) { return numbers.push_back(v), v; });
  const std::vector<double> gradient = tables.numbers();
  ASSERT_EQ(numbers.size(), gradient.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (std::isinf(numbers[k])) {
      ASSERT_EQ(gradient[k], 0) << k;
      continue;
    }
    const auto value = [&](double step) {
      std::size_t at = 0;
      const auto shifted =
          testing_support::map_scores(made, [&](double v) { return at++ == k ? v + step : v; });
      return evaluate(objective, shifted.scores, gold, weight);
    };
    ASSERT_NEAR((value(1e-5) - value(-1e-5)) / 2e-5, gradient[k], 2e-7 * (1 + std::abs(here))) << k;
  }
}

// The objective in float, against the one in double of the same numbers.
template <class Make>
void expect_float_near_double(const Make& make, const RandomSegments<double>& made,
                              const SegmentGold& gold, double tolerance) {
  const auto narrow = testing_support::convert_segments<float>(made);
  const auto same = testing_support::convert_segments<double>(narrow);
  SegmentTables<float> a(narrow.scores);
  SegmentTables<double> b(same.scores);
  auto in_float = make(float{});
  auto in_double = make(double{});
  const double one = in_float(narrow.scores, gold, 2, a.view());
  const double other = in_double(same.scores, gold, 2, b.view());
  ASSERT_NEAR(one, other, tolerance * (1 + std::abs(other)));
  const auto x = a.numbers(), y = b.numbers();
  for (std::size_t k = 0; k < x.size(); ++k) ASSERT_NEAR(x[k], y[k], tolerance) << k;
}

TEST(SegmentLikelihood, IsLogZLessTheScoreOfGold) {
  for_each_case([](const Case& c, Random&) {
    SegmentLikelihood<double> objective(c.labels);
    const double truth = log_sum(all_of(c.made.scores)) - score<double>(c.made.scores, c.segments);
    ASSERT_NEAR(evaluate(objective, c.made.scores, c.segments, 3), 3 * truth, 1e-10);
    expect_central_differences(objective, c.made, c.segments, 2);
    expect_float_near_double([&](auto r) { return SegmentLikelihood<decltype(r)>(c.labels); },
                             c.made, c.segments, 1e-5);
  });
}

TEST(SegmentLikelihood, OfPartialGoldSumsWhatFits) {
  for_each_case([](const Case& c, Random&) {
    SegmentLikelihood<double> objective(c.labels);
    const auto all = all_of(c.made.scores);
    const double truth =
        log_sum(all) - log_sum(all, [&](const Entry& e) {
          return fits(c.partial(), columns_of(c.labels, e.segments, c.known.size()));
        });
    ASSERT_NEAR(evaluate(objective, c.made.scores, c.partial(), 3), 3 * truth, 1e-10);
    expect_central_differences(objective, c.made, c.partial(), 2);
  });
}

TEST(SegmentLikelihood, IsTheSameWhereAllColumnLabelsAreKnown) {
  for_each_case([](const Case& c, Random&) {
    SegmentLikelihood<double> objective(c.labels);
    const std::vector<Label> columns = columns_of(c.labels, c.segments, c.known.size());
    ASSERT_NEAR(evaluate(objective, c.made.scores, Gold(columns)),
                evaluate(objective, c.made.scores, c.segments), 1e-10);
  });
}

double cost_of(const Case& c, const LabelCost& cost, const Gold& gold, const Entry& entry) {
  const auto columns = columns_of(c.labels, entry.segments, c.known.size());
  double sum = 0;
  std::vector<double> row(c.columns);
  for (std::size_t t = 0; t < columns.size(); ++t) {
    position_cost(cost, gold, t, row);
    sum += row[columns[t]];
  }
  return sum;
}

TEST(SegmentSoftmaxMargin, AddsTheCostOfColumnLabels) {
  for_each_case([](const Case& c, Random& random) {
    const LabelCost cost = c.cost(random);
    SegmentSoftmaxMargin<double> objective(c.labels, cost);
    const auto all = all_of(c.made.scores);
    const std::vector<Label> columns = columns_of(c.labels, c.segments, c.known.size());
    const Gold complete(columns);
    const auto sum = [&](const Gold& gold) {
      return log_sum(
          all, [](const Entry&) { return true; },
          [&](const Entry& e) { return cost_of(c, cost, gold, e); });
    };
    ASSERT_NEAR(evaluate(objective, c.made.scores, c.segments),
                sum(complete) - score<double>(c.made.scores, c.segments), 1e-10);
    const double fitting = log_sum(all, [&](const Entry& e) {
      return fits(c.partial(), columns_of(c.labels, e.segments, c.known.size()));
    });
    ASSERT_NEAR(evaluate(objective, c.made.scores, c.partial()), sum(c.partial()) - fitting, 1e-10);
    expect_central_differences(objective, c.made, c.segments, 2);
    expect_central_differences(objective, c.made, c.partial());
  });
}

TEST(SegmentMarginalLikelihood, SumsTheLogarithmsOfMarginals) {
  for_each_case([](const Case& c, Random&) {
    SegmentMarginalLikelihood<double> objective(c.labels);
    const auto all = all_of(c.made.scores);
    const std::vector<Label> columns = columns_of(c.labels, c.segments, c.known.size());
    for (const Gold& gold : {Gold(columns), c.partial()}) {
      double truth = 0;
      for (std::size_t t = 0; t < columns.size(); ++t) {
        truth += log_sum(all) - log_sum(all, [&](const Entry& e) {
                   return gold.allows(t, columns_of(c.labels, e.segments, columns.size())[t]);
                 });
      }
      ASSERT_NEAR(evaluate(objective, c.made.scores, gold, 3), 3 * truth, 1e-9);
      expect_central_differences(objective, c.made, gold, 2);
    }
    ASSERT_NEAR(evaluate(objective, c.made.scores, c.segments),
                evaluate(objective, c.made.scores, Gold(columns)), 1e-12);
    expect_float_near_double(
        [&](auto r) { return SegmentMarginalLikelihood<decltype(r)>(c.labels); }, c.made,
        c.segments, 1e-5);
  });
}

// Marginals far below what the tables hold: those positions are clamped one by one.
TEST(SegmentMarginalLikelihood, KeepsItsValueWhereGoldIsHopeless) {
  Random random(42);
  Case c({6, 2, 3, 1, 0, 0.3, false}, false, random);
  for (const auto& [begin, end, y] : c.segments) {
    const std::size_t cell = c.made.shape->cell(y, end - begin);
    if (begin == 0) c.made.scores.segment(begin, cell) -= 90;
  }
  for (std::size_t cell = 0; cell < c.made.shape->cells(); ++cell) {
    if (cell != c.made.shape->cell(1 - c.segments[0].label, 1)) {
      c.made.scores.segment(0, cell) -= 90;
    }
  }
  const auto all = all_of(c.made.scores);
  const std::vector<Label> columns = columns_of(c.labels, c.segments, 6);
  double truth = 0;
  for (std::size_t t = 0; t < 6; ++t) {
    truth += log_sum(all) - log_sum(all, [&](const Entry& e) {
               return columns_of(c.labels, e.segments, 6)[t] == columns[t];
             });
  }
  ASSERT_GT(truth, 80);
  SegmentMarginalLikelihood<double> objective(c.labels);
  EXPECT_NEAR(evaluate(objective, c.made.scores, c.segments), truth, 1e-8);
  expect_central_differences(objective, c.made, c.segments);
}

// (SM.25) by its definition: every segmentation with other segments in the block's span alone.
TEST(SegmentCompositeLikelihood, SegmentsTheSpansOfBlocksAnew) {
  for_each_case([](const Case& c, Random&) {
    const auto all = all_of(c.made.scores);
    for (const std::size_t b : {1, 2, 3}) {
      SegmentCompositeLikelihood<double> objective(c.labels, b);
      const std::size_t n = c.segments.size();
      double truth = 0;
      const std::size_t size = std::min(b, n), blocks = n - size + 1;
      for (std::size_t k = 0; k < blocks && n > 0; ++k) {
        const double gold = score<double>(c.made.scores, c.segments);
        truth += log_sum(all,
                         [&](const Entry& e) {
                           // The others are those of gold: as many before, as many behind.
                           if (e.segments.size() + size < n + (size > 0 ? 1 : 0)) return false;
                           for (std::size_t i = 0; i < k; ++i) {
                             if (e.segments[i] != c.segments[i]) return false;
                           }
                           for (std::size_t i = 0; i < n - k - size; ++i) {
                             if (e.segments[e.segments.size() - 1 - i] != c.segments[n - 1 - i])
                               return false;
                           }
                           return true;
                         }) -
                 gold;
      }
      if (n > 0) truth *= static_cast<double>(n) / static_cast<double>(size * blocks);
      ASSERT_NEAR(evaluate(objective, c.made.scores, c.segments, 3), 3 * truth, 1e-9);
      SegmentCompositeLikelihood<double> unscaled(c.labels, b, BlockCount::blocks);
      const double scale = n > 0 ? static_cast<double>(size * blocks) / static_cast<double>(n) : 1;
      ASSERT_NEAR(evaluate(unscaled, c.made.scores, c.segments, 3), 3 * truth * scale, 1e-9);
      expect_central_differences(objective, c.made, c.segments, 2);
      expect_float_near_double(
          [&](auto r) { return SegmentCompositeLikelihood<decltype(r)>(c.labels, b); }, c.made,
          c.segments, 2e-5);
    }
  });
  Random random(43);
  const Case c({2, 1, 1, 1, 0, 0, false}, false, random);
  EXPECT_THROW(SegmentCompositeLikelihood<double>(c.labels, 0), UsageError);
}

TEST(SegmentCompositeLikelihood, OfOneBlockIsTheLikelihood) {
  for_each_case([](const Case& c, Random&) {
    SegmentCompositeLikelihood<double> composite(c.labels, 100);
    SegmentLikelihood<double> likelihood(c.labels);
    ASSERT_EQ(evaluate(composite, c.made.scores, c.segments),
              evaluate(likelihood, c.made.scores, c.segments));
  });
}

TEST(SegmentPiecewise, NormalisesEveryFactorAndBoundsTheLikelihood) {
  for_each_case([](const Case& c, Random&) {
    SegmentPiecewise<double> objective;
    SegmentLikelihood<double> likelihood(c.labels);
    const SegmentScores<double>& s = c.made.scores;
    double truth = -score<double>(s, c.segments);
    for (std::size_t t = 0; t < s.length(); ++t) {
      double sum = t > 0;
      for (const double x : s.segment[t]) sum += std::exp(x);
      truth += std::log(sum);
      if (t == 0) continue;
      double pairs = 1;
      for (Label i = 0; i < s.labels(); ++i) {
        for (Label j = 0; j < s.labels(); ++j) pairs += std::exp(s.transitions->at(i, j));
      }
      truth += std::log(pairs);
    }
    for (std::size_t k = 0; k < s.overlay.rows(); ++k) {
      double sum = 1;
      for (const double x : s.overlay[k]) sum += std::exp(x);
      truth += std::log(sum);
    }
    const double value = evaluate(objective, s, c.segments);
    ASSERT_NEAR(value, truth, 1e-10);
    ASSERT_GE(value, evaluate(likelihood, s, c.segments) - 1e-10);
    expect_central_differences(objective, c.made, c.segments, 2);
    expect_float_near_double([&](auto r) { return SegmentPiecewise<decltype(r)>(); }, c.made,
                             c.segments, 1e-5);
  });
}

TEST(SegmentHinge, IsTheLargestViolationOfTheMargin) {
  for_each_case([](const Case& c, Random& random) {
    const LabelCost cost = c.cost(random);
    const std::vector<Label> columns = columns_of(c.labels, c.segments, c.known.size());
    for (const bool costs : {false, true}) {
      SegmentHinge<double> objective =
          costs ? SegmentHinge<double>(c.labels, cost) : SegmentHinge<double>();
      long double top = -kInf;
      for (const Entry& e : all_of(c.made.scores)) {
        top = std::max(top, e.score + (costs ? cost_of(c, cost, Gold(columns), e) : 0));
      }
      const double truth = static_cast<double>(top) - score<double>(c.made.scores, c.segments);
      ASSERT_NEAR(evaluate(objective, c.made.scores, c.segments, 3), 3 * truth, 1e-9);
      ASSERT_EQ(objective.moved(), truth > 1e-12);
      expect_central_differences(objective, c.made, c.segments, 2);
    }
  });
}

TEST(SegmentHinge, PerceptronMovesWhereAllScoresAreEqual) {
  const TransitionScores<double> free(2);
  const std::vector<std::uint32_t> longest{2, 2};
  const SegmentShape shape(longest);
  SegmentScores<double> scores;
  scores.reset(shape, 3, free);
  const std::vector<Segment> gold{{0, 2, 1}, {2, 3, 1}};
  SegmentHinge<double> objective;
  SegmentTables<double> tables(scores);
  EXPECT_EQ(objective(scores, gold, 1, tables.view()), 0);
  EXPECT_TRUE(objective.moved());
  EXPECT_EQ(tables.segment(0, shape.cell(1, 2)), -1);
}

template <class Make>
void expect_forbidden_gold_is_infinite(const Make& make) {
  Random random(44);
  for (int kind = 0; kind < 4; ++kind) {
    Case c({6, 2, 3, 1, 0, 1, false}, false, random);
    while (c.segments.size() < 2 || c.segments.size() == 6) {
      c = Case({6, 2, 3, 1, 0, 1, false}, false, random);
    }
    auto objective = make(c);
    EXPECT_TRUE(std::isfinite(evaluate(objective, c.made.scores, c.segments)));
    const auto& [begin, end, y] = c.segments[1];
    const std::size_t cell = c.made.shape->cell(y, end - begin);
    if (kind == 0) c.made.scores.segment(begin, cell) = -kInf;
    if (kind == 1) {
      Matrix<double> log = c.made.transitions->log();
      log(c.segments[0].label, y) = -kInf;
      c.made.transitions->assign(std::move(log));
    }
    if (kind == 2) {
      for (std::size_t k = 0; k < c.made.scores.overlay_of.size(); ++k) {
        if (c.made.scores.overlay_of[k].begin == begin &&
            c.made.scores.overlay_of[k].cell == cell) {
          c.made.scores.overlay(k, c.segments[0].label) = -kInf;
        }
      }
    }
    if (kind == 3) c.segments = {{0, 5, 0}, {5, 6, 0}};  // longer than any
    EXPECT_EQ(evaluate(objective, c.made.scores, c.segments), kInf) << kind;
  }
}

TEST(SegmentObjectives, AreInfiniteWhereGoldIsForbidden) {
  expect_forbidden_gold_is_infinite([](Case& c) { return SegmentLikelihood<double>(c.labels); });
  expect_forbidden_gold_is_infinite(
      [](Case& c) { return SegmentCompositeLikelihood<double>(c.labels, 1); });
  expect_forbidden_gold_is_infinite([](Case&) { return SegmentPiecewise<double>(); });
  expect_forbidden_gold_is_infinite([](Case&) { return SegmentHinge<double>(); });
}

}  // namespace
}  // namespace croft::segment_objective_test
