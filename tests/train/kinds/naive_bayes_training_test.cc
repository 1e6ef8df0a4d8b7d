#include "train/kinds/naive_bayes_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "croft/core/error.h"
#include "support/naive_bayes.h"
#include "train/generative/naive_bayes_conversion.h"

namespace croft::naive_bayes_training_test {
namespace {

using testing_support::add_rows;
using testing_support::counts_of;
using testing_support::empty_counts;
using testing_support::joint_of;
using testing_support::number_names;
using testing_support::PlainNaiveBayes;
using testing_support::PlainTable;
using testing_support::posterior_of;
using testing_support::random_table;
using enum AttributeEvent;

const std::vector<std::vector<AttributeEvent>> kMixtures = {
    {multinomial},           {bernoulli},
    {categorical},           {gaussian},
    {gaussian, categorical}, {multinomial, bernoulli, gaussian, categorical}};

template <class Visit>
void for_each_mixture(const Visit& visit) {
  for (const auto& events : kMixtures) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Random random(seed);
      visit(events, random);
    }
  }
}

TEST(NaiveBayes, JointProbabilitiesAreTheProductsOfTheDefinition) {
  for_each_mixture([](const auto& events, Random& random) {
    const PlainTable table = random_table(20, 3, events, random);
    const NaiveBayesOptions options{.alpha = 0.7, .binarize = 0.5, .variance_floor = 0.01};
    const NaiveBayesCounts counts = counts_of(table, options.binarize);
    const PlainNaiveBayes plain(table, options);
    for (const auto& x : table.row) {
      const std::vector<double> joint = joint_of(counts, options, x);
      for (Label j = 0; j < table.labels; ++j) {
        EXPECT_NEAR(joint[j], std::log(plain.joint(x, j)), 1e-10);
      }
    }
  });
}

// x of two attributes that occur or not, and of two columns: all there are.
TEST(NaiveBayes, ProbabilitiesOfAllRowsSumToOne) {
  Random random(3);
  const PlainTable table = random_table(15, 2, {bernoulli, categorical}, random);
  const NaiveBayesCounts counts = counts_of(table);
  double sum = 0;
  for (std::size_t bits = 0; bits < 16; ++bits) {
    for (const std::size_t colour : {4, 5}) {
      for (const std::size_t shape : {6, 7}) {
        std::vector<double> x(8, 0.0);
        for (std::size_t a = 0; a < 4; ++a) x[a] = bits >> a & 1 ? 1 : 0;
        x[colour] = x[shape] = 1;
        for (const double joint : joint_of(counts, {}, x)) sum += std::exp(joint);
      }
    }
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(NaiveBayes, DocumentsOfThreeOrderedWordsHaveProbabilitiesThatSumToOne) {
  Random random(4);
  const PlainTable table = random_table(10, 3, {multinomial}, random);
  const NaiveBayesCounts counts = counts_of(table);
  double sum = 0;
  for (std::size_t k = 0; k < 64; ++k) {
    std::vector<double> x(4, 0.0);
    for (const std::size_t word : {k & 3, k >> 2 & 3, k >> 4}) ++x[word];
    for (const double joint : joint_of(counts, {}, x)) sum += std::exp(joint);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

// --- the published examples

NaiveBayesCounts one_label(AttributeEvent event, std::size_t attributes) {
  NaiveBayesCounts counts;
  counts.add_labels(1);
  counts.add_attributes(attributes, {event, {}});
  return counts;
}

TEST(NaiveBayes, TenHeadsInAHundredThrowsArePOfOneTenth) {
  NaiveBayesCounts counts = one_label(bernoulli, 1);
  NaiveBayesScorer::Scratch scratch;
  const std::vector<std::uint32_t> heads{0};
  for (int k = 0; k < 100; ++k) {
    counts.add(k < 10 ? std::span(heads) : std::span<const std::uint32_t>(), {}, 0, 1, 0, scratch);
  }
  EXPECT_NEAR(std::exp(joint_of(counts, {.alpha = 0}, {1})[0]), 0.1, 1e-15);
  EXPECT_NEAR(std::exp(joint_of(counts, {.alpha = 0}, {0})[0]), 0.9, 1e-15);
}

std::vector<double> word_probabilities(double alpha) {
  NaiveBayesCounts counts = one_label(multinomial, 3);
  NaiveBayesScorer::Scratch scratch;
  const std::vector<std::uint32_t> document{0, 1};
  const std::vector<double> times{3, 2};
  counts.add(document, times, 0, 1, 0, scratch);
  std::vector<double> p;
  for (const std::vector<double>& x : {std::vector<double>{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
    p.push_back(std::exp(joint_of(counts, {.alpha = alpha}, x)[0]));
  }
  return p;
}

TEST(NaiveBayes, CountsOfThreeTwoAndNoneAreTheSharesOfFive) {
  const std::vector<double> p = word_probabilities(0);
  EXPECT_NEAR(p[0], 3.0 / 5, 1e-15);
  EXPECT_NEAR(p[1], 2.0 / 5, 1e-15);
  EXPECT_EQ(p[2], 0);
}

TEST(NaiveBayes, LaplaceAddsOneToEachCount) {
  const std::vector<double> p = word_probabilities(1);
  EXPECT_NEAR(p[0], 4.0 / 8, 1e-15);
  EXPECT_NEAR(p[1], 3.0 / 8, 1e-15);
  EXPECT_NEAR(p[2], 1.0 / 8, 1e-15);
}

// The coefficient 5! / (2! 2! 1!) = 30 belongs to log p(x) of a bag of words, never to the
// posterior.
TEST(NaiveBayes, CountsTwoTwoOneStandForThirtyOrderedDocuments) {
  Random random(6);
  PlainTable table = random_table(12, 2, {multinomial}, random);
  const NaiveBayesCounts counts = counts_of(table);
  const std::vector<double> x{2, 2, 1, 0};
  const std::vector<double> one = joint_of(counts, {}, x);
  std::vector<double> all(2, 0.0);
  int orders = 0;
  for (std::size_t k = 0; k < 1024; ++k) {  // five words, each one of four
    std::vector<double> counted(4, 0.0);
    for (std::size_t word = 0; word < 5; ++word) ++counted[k >> (2 * word) & 3];
    if (counted != x) continue;
    ++orders;
    const std::vector<double> ordered = joint_of(counts, {}, counted);
    for (int j = 0; j < 2; ++j) all[j] += std::exp(ordered[j]);
  }
  EXPECT_EQ(orders, 30);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(std::log(all[j]) - one[j], std::log(30), 1e-12);
  EXPECT_NEAR(all[0] / (all[0] + all[1]), posterior_of(one)[0], 1e-14);
}

TEST(NaiveBayes, ADuplicatedAttributeMovesThePosteriorAwayFromOneHalf) {
  Random random(7);
  PlainTable once = random_table(30, 2, {}, random);
  once.weight.assign(30, 1.0);
  once.kind = {{bernoulli, {}}};
  for (std::size_t n = 0; n < 30; ++n) {
    once.label[n] = n % 2;
    once.row[n] = {n % 2 == 0 ? (n % 3 == 0 ? 0.0 : 1.0) : (n % 3 == 0 ? 1.0 : 0.0)};
  }
  PlainTable twice = once;
  twice.kind.push_back(twice.kind[0]);
  for (auto& row : twice.row) row.push_back(row[0]);
  const double p = posterior_of(joint_of(counts_of(once), {}, {1}))[0];
  const double q = posterior_of(joint_of(counts_of(twice), {}, {1, 1}))[0];
  EXPECT_GT(p, 0.5);
  EXPECT_GT(q, p);
  EXPECT_NEAR(q / (1 - q), p / (1 - p) * (p / (1 - p)), 1e-10);  // the evidence counts twice
}

double joint_log_likelihood(const PlainTable& table, const NaiveBayesStatistics& statistics,
                            const NaiveBayesParameters& parameters,
                            const NaiveBayesOptions& options) {
  const NaiveBayesScorer scorer(statistics, parameters, options);
  NaiveBayesScorer::Scratch scratch;
  std::vector<double> joint(table.labels);
  std::vector<std::uint32_t> id(table.attributes());
  for (std::uint32_t a = 0; a < id.size(); ++a) id[a] = a;
  double sum = 0;
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    scorer.score(id, table.row[n], scratch, joint);
    sum += table.weight[n] * joint[table.label[n]];
  }
  return sum;
}

// Of all p(y, x) of this form the counts give the greatest joint likelihood: logs that are moved
// and normalised again give a smaller one.
TEST(NaiveBayes, CountsMaximiseTheJointLikelihood) {
  Random random(8);
  const PlainTable table = random_table(40, 2, {multinomial}, random);
  const NaiveBayesOptions options{.alpha = 0};
  const NaiveBayesCounts counts = counts_of(table);
  const NaiveBayesParameters best =
      naive_bayes_parameters(counts.statistics(), options, number_names());
  const double most = joint_log_likelihood(table, counts.statistics(), best, options);
  for (int trial = 0; trial < 50; ++trial) {
    NaiveBayesParameters other = best;
    const auto move = [&](const auto& at) {  // at(k): a log-probability, k < n
      double sum = 0;
      for (std::size_t k = 0; k < at.size(); ++k) sum += std::exp(*at[k] += 0.05 * random.normal());
      for (double* each : at) *each -= std::log(sum);
    };
    move(std::vector<double*>{&other.prior[0], &other.prior[1]});
    for (std::size_t j = 0; j < 2; ++j) {
      std::vector<double*> words;
      for (std::size_t a = 0; a < 4; ++a) words.push_back(&other.rows[2 * a + j]);
      move(words);
    }
    EXPECT_LT(joint_log_likelihood(table, counts.statistics(), other, options), most);
  }
}

// --- statistics

void expect_equal(const NaiveBayesStatistics& a, const NaiveBayesStatistics& b, double tolerance) {
  ASSERT_EQ(a.numbers.size(), b.numbers.size());
  for (std::size_t k = 0; k < a.numbers.size(); ++k) {
    EXPECT_NEAR(a.numbers[k], b.numbers[k], tolerance * std::max(1.0, std::abs(b.numbers[k])));
  }
  for (std::size_t j = 0; j < a.labels; ++j) {
    EXPECT_NEAR(a.label_weight[j], b.label_weight[j], tolerance * b.label_weight[j]);
  }
}

TEST(NaiveBayesCounts, MergedHalvesAreTheWhole) {
  for_each_mixture([](const auto& events, Random& random) {
    const PlainTable table = random_table(20, 3, events, random);
    NaiveBayesCounts first = empty_counts(table), second = empty_counts(table);
    add_rows(table, 0, 9, 0, first);
    add_rows(table, 9, 20, 0, second);
    first.merge(second);
    expect_equal(first.statistics(), counts_of(table).statistics(), 1e-12);
  });
}

TEST(NaiveBayesCounts, LabelsAndAttributesAddedLaterAreAsIfTheyHadBeenThere) {
  Random random(9);
  const PlainTable table = random_table(20, 3, {multinomial, gaussian, categorical}, random);
  NaiveBayesCounts counts;
  counts.add_labels(1);
  for (std::size_t a = 0; a < 4; ++a) counts.add_attribute(table.kind[a]);
  NaiveBayesScorer::Scratch scratch;
  const std::vector<std::uint32_t> id{0, 1, 2, 3};
  for (std::size_t n = 0; n < 20; ++n) {
    if (table.label[n] != 0) continue;
    counts.add(id, std::span(table.row[n]).first(4), 0, table.weight[n], 0, scratch);
  }
  counts.add_labels(2);
  for (std::size_t a = 4; a < table.attributes(); ++a) counts.add_attribute(table.kind[a]);
  PlainTable rest = table;
  for (std::size_t n = 0; n < 20; ++n) {
    if (table.label[n] == 0) std::fill_n(rest.row[n].begin(), 4, 0.0);
    if (table.label[n] == 0) rest.weight[n] = 1e-300;
  }
  add_rows(rest, 0, 20, 0, counts);
  const NaiveBayesCounts whole = counts_of(table);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(counts.statistics().row(a)[j], whole.statistics().row(a)[j], 1e-12);
    }
  }
  EXPECT_EQ(counts.statistics().column, whole.statistics().column);
  EXPECT_EQ(counts.statistics().event, whole.statistics().event);
}

TEST(NaiveBayesCounts, VariancesSurviveALargeMean) {
  NaiveBayesCounts counts = one_label(gaussian, 1);
  NaiveBayesScorer::Scratch scratch;
  const std::vector<std::uint32_t> id{0};
  for (const double x : {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4}) {
    counts.add(id, std::vector<double>{x}, 0, 1, 0, scratch);
  }
  EXPECT_NEAR(counts.statistics().row(0)[2] / 4, 1.25, 1e-9);
}

TEST(NaiveBayesCounts, AnAttributeNamedTwiceHasTheSumOfItsValues) {
  for (const AttributeEvent event : {multinomial, bernoulli, gaussian}) {
    NaiveBayesCounts split = one_label(event, 2), summed = one_label(event, 2);
    NaiveBayesScorer::Scratch scratch;
    split.add(std::vector<std::uint32_t>{1, 0, 1}, std::vector<double>{1, 0.5, 1}, 0, 2, 1.5,
              scratch);
    summed.add(std::vector<std::uint32_t>{0, 1}, std::vector<double>{0.5, 2}, 0, 2, 1.5, scratch);
    expect_equal(split.statistics(), summed.statistics(), 0);
  }
}

TEST(NaiveBayesCounts, AbsentMeasurementsAreZeroOrSayNothing) {
  NaiveBayesCounts counts = one_label(gaussian, 1);
  NaiveBayesScorer::Scratch scratch;
  const std::vector<std::uint32_t> id{0};
  counts.add(id, std::vector<double>{2}, 0, 1, 0, scratch);
  counts.add(id, std::vector<double>{4}, 0, 1, 0, scratch);
  counts.add({}, {}, 0, 2, 0, scratch);
  const auto mean_and_variance = [&](bool missing) {
    const NaiveBayesParameters p = naive_bayes_parameters(
        counts.statistics(), {.variance_floor = 0, .absent_is_missing = missing}, number_names());
    return std::pair(p.rows[0], p.rows[1]);
  };
  EXPECT_EQ(mean_and_variance(false), std::pair(1.5, 2.75));
  EXPECT_EQ(mean_and_variance(true), std::pair(3.0, 1.0));
  EXPECT_EQ(joint_of(counts, {.absent_is_missing = true}, {0})[0], 0);  // log p(y) alone
}

TEST(NaiveBayes, AWeightOfTwoIsTheRowTwice) {
  for_each_mixture([](const auto& events, Random& random) {
    PlainTable weighted = random_table(8, 2, events, random), twice = weighted;
    weighted.weight.assign(8, 2.0);
    twice.weight.assign(8, 1.0);
    NaiveBayesCounts counts = empty_counts(twice);
    add_rows(twice, 0, 8, 0, counts);
    add_rows(twice, 0, 8, 0, counts);
    expect_equal(counts_of(weighted).statistics(), counts.statistics(), 1e-12);
  });
}

// --- complement, priors, limits

TEST(NaiveBayes, ComplementWeighsAWordByAllOtherLabels) {
  Random random(10);
  PlainTable table = random_table(12, 3, {}, random);
  testing_support::append_attributes(complement, 4, random, table);
  const NaiveBayesCounts counts = counts_of(table);
  for (const bool norm : {false, true}) {
    const NaiveBayesOptions options{.alpha = 0.5, .norm = norm};
    for (Label j = 0; j < 3; ++j) {
      std::vector<double> rest(4, 0.5);
      double all = 0, sum = 0;
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t n = 0; n < 12; ++n) {
          if (table.label[n] != j) rest[a] += table.weight[n] * table.row[n][a];
        }
        all += rest[a];
      }
      for (std::size_t a = 0; a < 4; ++a) sum += std::log(rest[a] / all);
      for (std::size_t a = 0; a < 4; ++a) {
        std::vector<double> x(4, 0.0);
        x[a] = 1;
        const double log = std::log(rest[a] / all);
        EXPECT_NEAR(joint_of(counts, options, x)[j], norm ? log / sum : -log, 1e-12);
      }
    }
  }
}

TEST(NaiveBayes, PriorsAreLearntUniformOrGiven) {
  Random random(11);
  const PlainTable table = random_table(12, 3, {multinomial}, random);
  const NaiveBayesCounts counts = counts_of(table);
  const auto prior = [&](NaiveBayesOptions options) {
    return posterior_of(joint_of(counts, options, {0, 0, 0, 0}));
  };
  double total = 0;
  for (const double w : table.weight) total += w;
  for (Label j = 0; j < 3; ++j) {
    EXPECT_NEAR(prior({})[j], table.weight_of(j) / total, 1e-14);
    EXPECT_NEAR(prior({.prior = LabelPrior::uniform})[j], 1.0 / 3, 1e-14);
  }
  EXPECT_NEAR(prior({.prior = LabelPrior::given, .given_prior = {0.5, 0.2, 0.3}})[1], 0.2, 1e-14);
  EXPECT_THROW(prior({.prior = LabelPrior::given, .given_prior = {0.5, 0.5}}), UsageError);
  EXPECT_THROW(prior({.prior = LabelPrior::given, .given_prior = {0.5, 0.2, 0.2}}), UsageError);
}

std::string message_of(const NaiveBayesCounts& counts, const NaiveBayesOptions& options) {
  try {
    naive_bayes_parameters(counts.statistics(), options, number_names());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(NaiveBayes, WithoutSmoothingItSaysWhatHasNoEstimate) {
  NaiveBayesScorer::Scratch scratch;
  NaiveBayesCounts coin = one_label(bernoulli, 1);
  coin.add(std::vector<std::uint32_t>{0}, {}, 0, 1, 0, scratch);
  EXPECT_NE(message_of(coin, {.alpha = 0}).find("\"a0\" is in every position"), std::string::npos);
  NaiveBayesCounts words = one_label(multinomial, 2);
  words.add({}, {}, 0, 1, 0, scratch);
  EXPECT_NE(message_of(words, {.alpha = 0}).find("\"y0\" has been seen"), std::string::npos);
  NaiveBayesCounts number = one_label(gaussian, 1);
  number.add(std::vector<std::uint32_t>{0}, {}, 0, 1, 0, scratch);
  EXPECT_NE(message_of(number, {.variance_floor = 0}).find("one value"), std::string::npos);
  EXPECT_EQ(message_of(coin, {}) + message_of(words, {}) + message_of(number, {}), "");
  EXPECT_NE(message_of(coin, {.alpha = -1}).find("--alpha"), std::string::npos);
}

// --- EM

ChainData to_data(const PlainTable& table) {
  ChainData data;
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    for (std::uint32_t a = 0; a < table.attributes(); ++a) {
      if (table.row[n][a] == 0) continue;
      data.node.id.push_back(a);
      data.node.value.push_back(table.row[n][a]);
    }
    data.node.begin.push_back(data.node.id.size());
    data.label.push_back(table.label[n]);
    data.sequence_begin.push_back(n + 1);
    data.weight.push_back(table.weight[n]);
    data.first_line.push_back(static_cast<std::uint32_t>(n + 1));
  }
  return data;
}

// Every third row of any label, every other one of them of one of the labels 0 and 1.
ChainData with_partial_labels(const PlainTable& table) {
  ChainData data = to_data(table);
  data.label_sets.label = {0, 1};
  data.label_sets.begin = {0, 2};
  for (std::size_t n = table.labels; n < data.label.size(); n += 3) {
    data.label[n] = n % 2 == 0 ? kAnyLabel : kLabelSetBit;
  }
  return data;
}

NaiveBayesFit fit(const ChainData& data, const PlainTable& table, const NaiveBayesOptions& options,
                  const EmOptions& em) {
  return fit_naive_bayes(data, empty_counts(table), options, em, number_names(), {});
}

TEST(NaiveBayesEm, LogLikelihoodNeverDecreases) {
  for_each_mixture([](const auto& events, Random& random) {
    const PlainTable table = random_table(60, 3, events, random);
    const NaiveBayesOptions options{.variance_floor = 1e-12};
    const NaiveBayesFit found =
        fit(with_partial_labels(table), table, options, {.max_iterations = 40, .tolerance = 0});
    EXPECT_EQ(found.partial_positions, 19u);
    ASSERT_GE(found.log_likelihood.size(), 3u);
    EXPECT_GT(found.log_likelihood.back(), found.log_likelihood.front());
    for (std::size_t k = 1; k < found.log_likelihood.size(); ++k) {
      EXPECT_GE(found.log_likelihood[k],
                found.log_likelihood[k - 1] - 1e-10 * std::abs(found.log_likelihood[k]));
    }
  });
}

// One step by hand: posteriors of the fit to what is labelled, as weights of rows.
TEST(NaiveBayesEm, AStepWeighsEachRowByItsPosterior) {
  for_each_mixture([](const auto& events, Random& random) {
    const PlainTable table = random_table(25, 3, events, random);
    const NaiveBayesOptions options{.alpha = 0.5};
    const ChainData data = with_partial_labels(table);
    PlainTable labelled = table;
    for (std::size_t n = 0; n < 25; ++n) {
      if (!is_one_label(data.label[n])) labelled.weight[n] = 0;
    }
    const PlainNaiveBayes start(labelled, options);
    PlainTable expected = labelled;
    double log_likelihood = 0;
    for (std::size_t n = 0; n < 25; ++n) {
      double sum = 0;
      const Gold gold(std::span(data.label).subspan(n, 1), &data.label_sets);
      for (Label j = 0; j < 3; ++j) sum += gold.allows(0, j) ? start.joint(table.row[n], j) : 0;
      log_likelihood += table.weight[n] * std::log(sum);
      for (Label j = 0; j < 3 && !is_one_label(data.label[n]); ++j) {
        if (!gold.allows(0, j)) continue;
        expected.row.push_back(table.row[n]);
        expected.label.push_back(j);
        expected.weight.push_back(table.weight[n] * start.joint(table.row[n], j) / sum);
      }
    }
    const NaiveBayesFit found = fit(data, table, options, {.max_iterations = 1});
    expect_equal(found.counts.statistics(), counts_of(expected).statistics(), 1e-10);
    const NaiveBayesCounts known = counts_of(labelled);
    const double smoothing =
        log_smoothing(known.statistics(),
                      naive_bayes_parameters(known.statistics(), options, number_names()), options);
    EXPECT_NEAR(found.log_likelihood[0], log_likelihood + smoothing, 1e-9);
  });
}

TEST(NaiveBayesEm, WithoutIterationsPartialPositionsAreLeftOut) {
  Random random(12);
  const PlainTable table = random_table(25, 3, {multinomial}, random);
  const ChainData data = with_partial_labels(table);
  PlainTable labelled = table;
  for (std::size_t n = 0; n < 25; ++n) {
    if (!is_one_label(data.label[n])) labelled.weight[n] = 0;
  }
  const NaiveBayesFit found = fit(data, table, {}, {.max_iterations = 0});
  expect_equal(found.counts.statistics(), counts_of(labelled).statistics(), 1e-14);
  EXPECT_TRUE(found.log_likelihood.empty());
}

TEST(NaiveBayesEm, UnlabelledRowsHelpWhereFewAreLabelled) {
  Random random(13);
  PlainTable table = random_table(400, 2, {gaussian}, random);
  for (std::size_t n = 0; n < 400; ++n) {
    for (double& x : table.row[n]) x = random.normal() + (table.label[n] == 0 ? 1 : -1);
  }
  ChainData data = to_data(table);
  for (std::size_t n = 6; n < 400; ++n) data.label[n] = kAnyLabel;
  const auto right = [&](std::size_t iterations) {
    const NaiveBayesFit found = fit(data, table, {}, {.max_iterations = iterations});
    int count = 0;
    for (std::size_t n = 0; n < 400; ++n) {
      const std::vector<double> joint = joint_of(found.counts, {}, table.row[n]);
      count += (joint[0] > joint[1]) == (table.label[n] == 0);
    }
    return count;
  };
  EXPECT_GT(right(100), right(0));
  EXPECT_GT(right(100), 380);
}

TEST(NaiveBayesEm, WhatItCannotStartFromIsSaid) {
  Random random(14);
  const PlainTable table = random_table(10, 2, {multinomial}, random);
  ChainData data = to_data(table);
  for (Label& known : data.label) known = known == 1 ? kAnyLabel : known;
  EXPECT_THROW(fit(data, table, {}, {}), Error);  // no position of label 1
  data.label.assign(10, kAnyLabel);
  EXPECT_THROW(fit(data, table, {}, {}), Error);
  PlainTable words = random_table(10, 2, {}, random);
  testing_support::append_attributes(complement, 4, random, words);
  EXPECT_THROW(fit(with_partial_labels(words), words, {}, {}), UsageError);
}

TEST(NaiveBayes, NegativeCountsAreRefusedWithTheirLine) {
  Random random(15);
  PlainTable table = random_table(5, 2, {multinomial}, random);
  table.row[3][2] = -1.5;
  try {
    fit(to_data(table), table, {}, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("\"a2\" has the value -1.5 in the sequence that begins "
                        "at line 4"),
              std::string::npos)
        << error.what();
  }
}

// --- the logistic regression with the same posterior

std::vector<double> log_linear_posterior(const LogLinearForm& form, std::size_t labels,
                                         const std::vector<double>& x) {
  std::vector<double> score(labels, 0.0);
  for (std::size_t f = 0; f < form.names.size(); ++f) {
    const std::string& name = form.names[f];
    const bool square = name.ends_with("^2");
    double value = 1;
    if (name != kIntercept) {
      value = x[std::stoul(name.substr(1))];
      if (square) value *= value;
    }
    for (std::size_t j = 0; j < labels; ++j) score[j] += value * form.weights[f * labels + j];
  }
  return posterior_of(score);
}

TEST(NaiveBayesConversion, TheLogLinearFormHasTheSamePosterior) {
  for_each_mixture([](const auto& events, Random& random) {
    PlainTable table = random_table(20, 3, events, random);
    for (auto& row : table.row) {
      for (std::size_t a = 0; a < table.attributes(); ++a) {
        if (table.kind[a].event == bernoulli) row[a] = row[a] > 0 ? 1 : 0;
      }
    }
    const NaiveBayesOptions options{.alpha = 0.5};
    const NaiveBayesCounts counts = counts_of(table);
    const LogLinearForm form = log_linear_form(
        counts.statistics(), naive_bayes_parameters(counts.statistics(), options, number_names()),
        options, number_names().attribute);
    for (const auto& x : table.row) {
      const std::vector<double> p = posterior_of(joint_of(counts, options, x));
      const std::vector<double> q = log_linear_posterior(form, 3, x);
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(p[j], q[j], 1e-9);
    }
  });
}

TEST(NaiveBayesConversion, SquaresStandBesideTheirAttributes) {
  TextSequence text;
  text.node.append("x", 3);
  text.node.append("x", -1);
  text.node.append("z");
  text.node.end_list();
  add_squares(text);
  ASSERT_EQ(text.node.items(), 4u);
  EXPECT_EQ(text.node.item(1), "x^2");
  EXPECT_EQ(text.node.value(1), 4);
  EXPECT_EQ(text.node.item(3), "z^2");
}

TEST(NaiveBayesConversion, WhatHasNoLogLinearFormIsRefused) {
  Random random(16);
  const auto convert = [&](const NaiveBayesCounts& counts, const NaiveBayesOptions& options,
                           const std::string& name) {
    return log_linear_form(counts.statistics(),
                           naive_bayes_parameters(counts.statistics(), options, number_names()),
                           options, [&](std::size_t) { return name; });
  };
  NaiveBayesCounts words = one_label(multinomial, 1);
  NaiveBayesScorer::Scratch scratch;
  words.add(std::vector<std::uint32_t>{0}, {}, 0, 1, 0, scratch);
  EXPECT_NO_THROW(convert(words, {}, "x"));
  EXPECT_THROW(convert(words, {}, "(intercept)"), Error);
  words.add_attribute({multinomial, {}});
  EXPECT_THROW(convert(words, {.alpha = 0}, "x"), Error);  // log 0
  NaiveBayesCounts numbers = one_label(gaussian, 1);
  numbers.add(std::vector<std::uint32_t>{0}, {}, 0, 1, 0, scratch);
  EXPECT_THROW(convert(numbers, {.absent_is_missing = true}, "x"), UsageError);
}

// --- which attribute is what

TEST(EventRules, ColumnsAreFoundByName) {
  const EventRule values = one_event(categorical);
  EXPECT_EQ(values("colour=red=ish").column, "colour");
  EXPECT_EQ(values("red").column, "red");
  const EventRule table = table_events({"height"}, {"a", "a=b"});
  EXPECT_EQ(table("height").event, gaussian);
  EXPECT_EQ(table("a=b=c").column, "a=b");
  EXPECT_EQ(table("a=c").column, "a");
  EXPECT_EQ(table("unknown=c").column, "unknown");
  EXPECT_EQ(event_from_name("complement"), complement);
  EXPECT_EQ(event_from_name("poisson"), std::nullopt);
}

}  // namespace
}  // namespace croft::naive_bayes_training_test
