// The lifted chain against the segments themselves, and what is asked through it against brute
// force.
#include "croft/inference/segment_chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "croft/inference/chain_k_best.h"
#include "croft/inference/chain_posterior.h"
#include "croft/inference/chain_subset.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "croft/inference/segment_sum.h"
#include "inference/segments/segment_posterior.h"
#include "support/random_chain.h"
#include "support/random_segments.h"
#include "support/segment_brute_force.h"

namespace croft::segment_chain_test {
namespace {

using testing_support::columns_of;
using testing_support::for_each_segmentation;
using testing_support::four_column_labels;
using testing_support::random_segments;
using testing_support::RandomSegments;
using testing_support::SegmentTables;
using testing_support::two_column_labels;

struct Entry {
  std::vector<Segment> segments;
  double score;
};
std::vector<Entry> all_of(const SegmentScores<double>& scores) {
  std::vector<Entry> list;
  for_each_segmentation(scores, [&](const std::vector<Segment>& segments, long double s) {
    list.push_back({segments, static_cast<double>(s)});
  });
  std::ranges::stable_sort(list, std::greater(), &Entry::score);
  return list;
}

struct Lifted {
  RandomSegments<double> made;
  SegmentLabels labels;
  std::unique_ptr<SegmentChain<double>> lift;
  ChainScores<double> chain;
  SegmentBest work;

  Lifted(const testing_support::SegmentModel& model, bool four, Random& random)
      : made(random_segments<double>(model, random)),
        labels(four ? four_column_labels(*made.shape) : two_column_labels(*made.shape)) {
    lift = std::make_unique<SegmentChain<double>>(*made.shape, labels, *made.transitions,
                                                  model.overlay > 0);
    lift->lift(made.scores, work, chain);
  }
};

template <class Visit>
void for_each_lift(const Visit& visit) {
  Random random(21);
  for (std::size_t length = 0; length <= 6; ++length) {
    for (std::size_t labels = 1; labels <= 3; ++labels) {
      for (const double forbidden : {0.0, 0.3}) {
        for (const double overlay : {0.0, 0.4}) {
          for (const bool four : {false, true}) {
            SCOPED_TRACE(testing::Message() << "T " << length << " L " << labels << " forbidden "
                                            << forbidden << " overlay " << overlay);
            Lifted lifted({length, labels, 4, 2, forbidden, overlay, false}, four, random);
            visit(lifted);
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(SegmentChain, HasTheSegmentationsWithTheirScoresFromTheBestDownwards) {
  for_each_lift([](Lifted& l) {
    const std::vector<Entry> truth = all_of(l.made.scores);
    ChainKBest search(l.chain);
    std::vector<Label> y(l.chain.length());
    std::vector<Segment> segments;
    for (const Entry& entry : truth) {
      const auto found = search.next(y);
      ASSERT_TRUE(found);
      ASSERT_NEAR(*found, entry.score, 1e-10);
      l.lift->project(y, segments);
      ASSERT_EQ(segments, entry.segments);
      std::vector<Label> columns;
      for (const Label s : y) columns.push_back(l.lift->label_of()[s]);
      ASSERT_EQ(columns, columns_of(l.labels, segments, y.size()));
    }
    ASSERT_FALSE(search.next(y));
  });
}

TEST(SegmentChain, MarginalsProjectToThoseOfSegments) {
  for_each_lift([](Lifted& l) {
    ForwardBackwardWorkspace<double> chain_work;
    SegmentWorkspace<double> work;
    testing_support::GradientTables<double> lifted(l.chain);
    SegmentTables<double> direct(l.made.scores), projected(l.made.scores);
    const double log_z = marginals(l.made.scores, 1, work, direct.view());
    const double chain_log_z = marginals(l.chain, 1, chain_work, lifted.view());
    if (std::isinf(log_z)) {
      ASSERT_EQ(chain_log_z, log_z);
      return;
    }
    ASSERT_NEAR(chain_log_z, log_z, 1e-10);
    l.lift->project_derivatives(l.made.scores, lifted.state.row(0), lifted.transition[0],
                                projected.view());
    const auto a = direct.numbers(), b = projected.numbers();
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-10) << k;
  });
}

// Known column labels as a mask on segments, and as a mask on the states that they are the labels
// of.
TEST(SegmentChain, LimitsOfColumnLabelsAreLimitsOfStates) {
  Random random(22);
  for_each_lift([&](Lifted& l) {
    const std::size_t length = l.chain.length();
    std::vector<Label> known(length, kAnyLabel);
    LabelSets sets;
    const std::size_t columns = l.lift->label_of().back() + std::size_t{1};
    for (Label& label : known) {
      const auto kind = random.below(3);
      if (kind == 0) label = static_cast<Label>(random.below(columns));
      if (kind == 1) {
        label = static_cast<Label>(kLabelSetBit + sets.size());
        for (Label c = 0; c < columns; ++c) {
          if (random.below(2) == 0) sets.label.push_back(c);
        }
        sets.begin.push_back(static_cast<std::uint32_t>(sets.label.size()));
      }
    }
    const Gold gold(known, &sets);
    RandomSegments<double> restricted = copy(l.made);
    restrict_to(l.labels, gold, restricted.scores);
    long double truth = 0;
    for (const Entry& entry : all_of(l.made.scores)) {
      const auto spelt = columns_of(l.labels, entry.segments, length);
      bool fits = true;
      for (std::size_t t = 0; t < length; ++t) fits = fits && gold.allows(t, spelt[t]);
      if (fits) truth += std::exp(static_cast<long double>(entry.score));
    }
    ChainScores<double> chain = l.chain;
    for (std::size_t t = 0; t < length; ++t) {
      for (Label s = 0; s < l.lift->states(); ++s) {
        if (!gold.allows(t, l.lift->label_of()[s])) {
          chain.state(t, s) = ChainScores<double>::kForbidden;
        }
      }
    }
    SegmentWorkspace<double> work;
    ForwardBackwardWorkspace<double> chain_work;
    const double direct = log_partition(restricted.scores, work);
    const double through = log_partition(chain, chain_work);
    if (truth == 0) {
      ASSERT_EQ(direct, -std::numeric_limits<double>::infinity());
      ASSERT_EQ(through, direct);
    } else {
      ASSERT_NEAR(direct, static_cast<double>(std::log(truth)), 1e-10);
      ASSERT_NEAR(through, direct, 1e-10);
    }
  });
}

TEST(SegmentChain, SamplesHaveTheFrequenciesOfTheModel) {
  Random random(23);
  Lifted l({4, 2, 3, 1, 0, 0.3, false}, false, random);
  ForwardBackwardWorkspace<double> work;
  const double log_z = log_partition(l.chain, work);
  std::map<std::vector<Label>, int> count;
  const int draws = 40000;
  std::vector<Label> y(4);
  std::vector<Segment> segments;
  for (int n = 0; n < draws; ++n) {
    ASSERT_TRUE(sample(l.chain, work, random, y));
    l.lift->project(y, segments);
    ++count[columns_of(l.labels, segments, 4)];
  }
  for (const Entry& entry : all_of(l.made.scores)) {
    const double p = std::exp(entry.score - log_z);
    EXPECT_NEAR(count[columns_of(l.labels, entry.segments, 4)] / double{draws}, p,
                5 * std::sqrt(p / draws) + 1e-4);
  }
}

TEST(SegmentChain, EntropyAndSubsetsAreThoseOfTheSegmentations) {
  for_each_lift([](Lifted& l) {
    const std::vector<Entry> truth = all_of(l.made.scores);
    if (truth.empty() || l.chain.length() == 0) return;
    ForwardBackwardWorkspace<double> work;
    testing_support::GradientTables<double> tables(l.chain);
    const double log_z = marginals(l.chain, 1, work, tables.view());
    double entropy_sum = 0;
    for (const Entry& entry : truth) {
      entropy_sum -= std::exp(entry.score - log_z) * (entry.score - log_z);
    }
    ASSERT_NEAR(entropy(ChainPosterior<double>{l.chain, work, tables.state.row(0)}), entropy_sum,
                1e-9);
    // p(the column label of the first and of the last position are those of label 0's beginning).
    std::vector<Label> states;
    for (Label s = 0; s < l.lift->states(); ++s) {
      if (l.lift->label_of()[s] == l.labels.first[0]) states.push_back(s);
    }
    const std::size_t last = l.chain.length() - 1;
    const std::vector<Restriction> both{{0, states}, {last, states}};
    double p = 0;
    for (const Entry& entry : truth) {
      const auto columns = columns_of(l.labels, entry.segments, last + 1);
      if (columns[0] == l.labels.first[0] && columns[last] == l.labels.first[0]) {
        p += std::exp(entry.score - log_z);
      }
    }
    ASSERT_NEAR(std::exp(log_subset_probability(l.chain, both)), p, 1e-10);
  });
}

TEST(SegmentChain, HasTheSizeThatIsKnownBefore) {
  Random random(24);
  for (const double overlay : {0.0, 0.5}) {
    Lifted l({5, 3, 4, 1, 0, overlay, false}, false, random);
    const SegmentChainSize size = segment_chain_size(*l.made.shape, overlay > 0);
    EXPECT_EQ(size.states, static_cast<double>(l.lift->states()));
    EXPECT_EQ(size.edges, static_cast<double>(l.lift->transitions().leaving().size()));
  }
}

// Segments have scores of their whole length at their first position: spread over it, they leave
// the chain's fast path standing.
TEST(SegmentChain, LongSegmentsLeaveTheFastPathStanding) {
  Random random(25);
  Lifted l({300, 3, 30, 1, 0, 0, false}, false, random);
  for (std::size_t t = 0; t < 300; ++t) {
    for (Label y = 0; y < 3; ++y) {
      for (std::size_t d = 1; d <= l.made.shape->longest(y); ++d) {
        l.made.scores.segment(t, l.made.shape->cell(y, d)) += 100 * static_cast<double>(d);
      }
    }
  }
  l.lift->lift(l.made.scores, l.work, l.chain);
  ForwardBackwardWorkspace<double> chain_work;
  SegmentWorkspace<double> work;
  const double log_z = log_partition(l.made.scores, work);
  EXPECT_NEAR(log_partition(l.chain, chain_work), log_z, 1e-8);
  EXPECT_EQ(chain_work.path, ChainPath::scaled);
}

TEST(SegmentPosterior, ColumnMarginalsSumSegmentsOverPositions) {
  for_each_lift([](Lifted& l) {
    SegmentWorkspace<double> work;
    SegmentTables<double> tables(l.made.scores);
    const double log_z = marginals(l.made.scores, 1, work, tables.view());
    if (std::isinf(log_z)) return;
    const std::size_t length = l.chain.length(), count = l.lift->label_of().back() + 1;
    Matrix<double> truth(length, count, 0.0), got;
    for (const Entry& entry : all_of(l.made.scores)) {
      const auto columns = columns_of(l.labels, entry.segments, length);
      for (std::size_t t = 0; t < length; ++t)
        truth(t, columns[t]) += std::exp(entry.score - log_z);
    }
    column_marginals(*l.made.shape, l.labels, tables.segment, count, got);
    for (std::size_t t = 0; t < length; ++t) {
      for (std::size_t c = 0; c < count; ++c) ASSERT_NEAR(got(t, c), truth(t, c), 1e-11);
    }
    double sum = 0;
    for (const auto& [segment, p] : segments_above(*l.made.shape, tables.segment, 0.2)) {
      ASSERT_GE(p, 0.2);
      sum += p;
    }
    double expected = 0;
    for (std::size_t t = 0; t < length; ++t) {
      for (const double p : tables.segment[t]) expected += p >= 0.2 ? p : 0;
    }
    ASSERT_NEAR(sum, expected, 1e-12);
  });
}

}  // namespace
}  // namespace croft::segment_chain_test
