#include "model/kinds/naive_bayes_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/chain_sum.h"
#include "model/kinds/chain_model.h"
#include "model/kinds/model_file.h"
#include "support/model_sections.h"
#include "support/naive_bayes.h"
#include "train/generative/naive_bayes_conversion.h"

namespace croft::naive_bayes_model_test {
namespace {

using testing_support::counts_of;
using testing_support::number_names;
using testing_support::PlainTable;
using testing_support::posterior_of;
using testing_support::random_table;
using enum AttributeEvent;

const std::vector<AttributeEvent> kAll = {multinomial, bernoulli, gaussian, categorical};

// A fit with what its file is made from.
struct Fitted {
  PlainTable table;
  NaiveBayesOptions options{.alpha = 0.7, .binarize = 0.5};
  NaiveBayesCounts counts;
  NaiveBayesParameters parameters;
  std::vector<std::string> names;
  std::vector<std::string> labels;
  ExtractionConfig extraction;
  Json training = Json::object();

  Fitted(const std::vector<AttributeEvent>& events, Random& random)
      : table(random_table(20, 3, events, random)), labels{"X", "Y", "Z"} {
    counts = counts_of(table, options.binarize);
    parameters = naive_bayes_parameters(counts.statistics(), options, number_names());
    for (std::size_t a = 0; a < table.attributes(); ++a) names.push_back("a" + std::to_string(a));
    extraction.format = InputFormat::attributes;
  }
  std::vector<std::byte> bytes() const {
    NaiveBayesParts parts;
    parts.labels = labels;
    parts.extraction = &extraction;
    parts.names.assign(names.begin(), names.end());
    parts.statistics = &counts.statistics();
    parts.parameters = &parameters;
    parts.options = options;
    parts.event_choice = "mixed";
    parts.training = &training;
    return make_naive_bayes_model(parts).bytes();
  }
  NaiveBayesModel model() const {
    return NaiveBayesModel(Container::from_bytes(bytes(), "small.croft"));
  }
  std::vector<double> joint(const std::vector<double>& x) const {
    std::vector<double> out(3);
    std::vector<std::uint32_t> id;
    for (std::uint32_t a = 0; a < x.size(); ++a) id.push_back(a);
    NaiveBayesScorer::Scratch scratch;
    NaiveBayesScorer(counts.statistics(), parameters, options).score(id, x, scratch, out);
    return out;
  }
  TextSequence text() const {
    TextSequence out;
    for (const auto& x : table.row) {
      for (std::size_t a = 0; a < x.size(); ++a) {
        if (x[a] != 0) out.node.append(names[a], x[a]);
      }
      out.node.append("not seen in training", 3);
      out.node.end_list();
    }
    return out;
  }
};

TEST(NaiveBayesModel, ScoresAreTheJointLogProbabilities) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    const Fitted fitted(kAll, random);
    const NaiveBayesModel model = fitted.model();
    SequenceModel::Scratch scratch;
    ChainScores<double> wide;
    ChainScores<float> narrow;
    model.score(fitted.text(), scratch, wide);
    model.score(fitted.text(), scratch, narrow);
    ASSERT_EQ(wide.length(), 20u);
    for (std::size_t t = 0; t < 20; ++t) {
      const std::vector<double> joint = fitted.joint(fitted.table.row[t]);
      const double largest = std::ranges::max(joint);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(wide.state(t, j), joint[j], 1e-10);
        EXPECT_NEAR(narrow.state(t, j), joint[j] - largest, 1e-5);
        EXPECT_LE(narrow.state(t, j), 0);
      }
    }
  }
}

// log Z of a position is log p(x).
TEST(NaiveBayesModel, ThePartitionFunctionIsTheProbabilityOfTheData) {
  Random random(2);
  const Fitted fitted(kAll, random);
  const NaiveBayesModel model = fitted.model();
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  model.score(fitted.text(), scratch, scores);
  ForwardBackwardWorkspace<double> work;
  double sum = 0;
  for (const auto& x : fitted.table.row) {
    double p = 0;
    for (const double joint : fitted.joint(x)) p += std::exp(joint);
    sum += std::log(p);
  }
  EXPECT_NEAR(log_partition(scores, work), sum, 1e-9 * std::abs(sum));
}

TEST(NaiveBayesModel, TheFileKeepsStatisticsParametersAndOptions) {
  Random random(3);
  Fitted fitted(kAll, random);
  fitted.options.prior = LabelPrior::given;
  fitted.options.given_prior = {0.1, 0.2, 0.7};
  const NaiveBayesModel model = fitted.model();
  EXPECT_EQ(model.kind(), "naive-bayes");
  EXPECT_EQ(model.options().alpha, 0.7);
  EXPECT_EQ(model.options().given_prior, fitted.options.given_prior);
  EXPECT_EQ(model.event_choice(), "mixed");
  const NaiveBayesStatistics kept = model.statistics(), &had = fitted.counts.statistics();
  EXPECT_EQ(kept.label_weight, had.label_weight);
  EXPECT_EQ(kept.columns, had.columns);
  for (std::size_t a = 0; a < fitted.names.size(); ++a) {
    const std::uint32_t id = model.find(fitted.names[a]);
    ASSERT_NE(id, kUnknown);
    EXPECT_EQ(model.attribute(id), fitted.names[a]);
    EXPECT_EQ(kept.event[id], had.event[a]);
    EXPECT_EQ(kept.column[id], had.column[a]);
    for (std::size_t k = 0; k < had.stride(); ++k) {
      EXPECT_EQ(kept.row(id)[k], had.row(a)[k]);
      EXPECT_EQ(model.row(id)[k], fitted.parameters.rows[a * had.stride() + k]);
    }
  }
}

TEST(NaiveBayesModel, BytesDoNotDependOnTheOrderOfAttributes) {
  Random random(4);
  Fitted fitted({multinomial}, random);
  const std::vector<std::byte> before = fitted.bytes();
  NaiveBayesStatistics statistics = fitted.counts.statistics();
  std::swap(fitted.names[0], fitted.names[3]);
  std::swap_ranges(statistics.row(0), statistics.row(0) + 3, statistics.row(3));
  std::swap_ranges(fitted.parameters.rows.begin(), fitted.parameters.rows.begin() + 3,
                   fitted.parameters.rows.begin() + 9);
  fitted.counts = NaiveBayesCounts(std::move(statistics));
  EXPECT_EQ(fitted.bytes(), before);
}

TEST(NaiveBayesModel, AnyModelIsOpenedAsTheKindThatItIs) {
  Random random(5);
  const auto bytes = Fitted({multinomial}, random).bytes();
  const auto model = read_model(Container::from_bytes(bytes, "small.croft"));
  EXPECT_NE(dynamic_cast<const NaiveBayesModel*>(model.get()), nullptr);
  EXPECT_THROW(ChainModel(Container::from_bytes(bytes, "small.croft")), Error);
}

TEST(NaiveBayesModel, WhatHasProbabilityZeroUnderEveryLabelIsForbiddenEveryLabel) {
  Random random(6);
  Fitted fitted({multinomial}, random);
  for (std::size_t j = 0; j < 3; ++j) fitted.parameters.rows[j] = std::log(0.0);
  TextSequence text;
  text.node.append("a1");
  text.node.end_list();
  text.node.append("a0");
  text.node.end_list();
  SequenceModel::Scratch scratch;
  const auto all_forbidden = [](const auto& scores, std::size_t t) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(std::isinf(scores.state(t, j)) && scores.state(t, j) < 0);
    }
  };
  ChainScores<float> scores;
  fitted.model().score(text, scratch, scores);
  all_forbidden(scores, 1);
  EXPECT_TRUE(std::isfinite(scores.state(0, 0)));
  ChainScores<double> wide;
  fitted.model().score(text, scratch, wide);
  all_forbidden(wide, 1);
}

// Every byte of the bulk set to something else: a wrong number or an error, but no access outside.
TEST(NaiveBayesModel, DamageInTheBulkReadsNothingOutside) {
  Random random(7);
  const Fitted fitted(kAll, random);
  testing_support::ModelSections file(Container::from_bytes(fitted.bytes(), "small.croft"));
  int errors = 0, answers = 0;
  for (auto& section : file.sections) {
    if (section.kind != ContainerWriter::Kind::bulk) continue;
    for (std::size_t k = 0; k < section.bytes.size(); k += 1 + section.bytes.size() / 300) {
      section.bytes[k] ^= std::byte{0xFF};
      const std::vector<std::byte> bad = file.bytes();
      section.bytes[k] ^= std::byte{0xFF};
      try {
        const NaiveBayesModel model(Container::from_bytes(bad, "bad.croft"));
        SequenceModel::Scratch scratch;
        ChainScores<double> scores;
        model.score(fitted.text(), scratch, scores);
        model.statistics();
        ++answers;
      } catch (const Error&) {
        ++errors;
      }
    }
  }
  EXPECT_GT(errors, 10);
  EXPECT_GT(answers, 10);
}

// --- as a model of kind maxent

TEST(NaiveBayesConversion, TheMaxentModelHasTheSamePosterior) {
  for (const AttributeEvent event : {multinomial, categorical, complement}) {
    Random random(8);
    Fitted fitted({}, random);
    testing_support::append_attributes(event, 4, random, fitted.table);
    for (int a = 0; a < 4; ++a) fitted.names.push_back("a" + std::to_string(a));
    fitted.counts = counts_of(fitted.table);
    fitted.parameters =
        naive_bayes_parameters(fitted.counts.statistics(), fitted.options, number_names());
    const LogLinearForm form =
        log_linear_form(fitted.counts.statistics(), fitted.parameters, fitted.options,
                        [&](std::size_t a) { return fitted.names[a]; });
    const ContainerWriter file = make_maxent(form, fitted.counts.statistics(), fitted.labels,
                                             fitted.extraction, fitted.training);
    const ChainModel model(Container::from_bytes(file.bytes(), "maxent.croft"));
    EXPECT_EQ(model.kind(), "maxent");
    EXPECT_TRUE(model.extractor().config().intercept);
    TextSequence text = fitted.text();
    Extractor::Scratch extraction;
    model.extractor().complete(text, extraction);
    SequenceModel::Scratch scratch;
    ChainScores<double> scores;
    model.score(text, scratch, scores);
    for (std::size_t t = 0; t < fitted.table.row.size(); ++t) {
      const std::vector<double> p = posterior_of(fitted.joint(fitted.table.row[t]));
      const std::vector<double> q =
          posterior_of({scores.state(t, 0), scores.state(t, 1), scores.state(t, 2)});
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(p[j], q[j], 1e-6);  // weights are floats
    }
  }
}

TEST(NaiveBayesConversion, GaussianAttributesNeedTheirSquares) {
  Random random(9);
  const Fitted fitted({gaussian}, random);
  const LogLinearForm form =
      log_linear_form(fitted.counts.statistics(), fitted.parameters, fitted.options,
                      [&](std::size_t a) { return fitted.names[a]; });
  EXPECT_EQ(form.names.size(), 9u);
  EXPECT_THROW(make_maxent(form, fitted.counts.statistics(), fitted.labels, fitted.extraction,
                           fitted.training),
               UsageError);
}

}  // namespace
}  // namespace croft::naive_bayes_model_test
