// Mixtures against sums by hand, the derivative of the likelihood on the simplex, and a search over
// the weights.
#include "train/kinds/mixture_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/message_of.h"
#include "support/toy_sentences.h"
#include "train/kinds/chain_training.h"

namespace croft::mixture_training_test {
namespace {

using namespace testing_support;

std::shared_ptr<const SequenceModel> component(std::uint64_t seed, double l2,
                                               ChainKind kind = ChainKind::maxent,
                                               std::size_t sentences = 25) {
  const Extractor extractor = attribute_lines();
  ChainTraining training(extractor, nullptr, kind);
  for (const TextSequence& each : toy_sentences(sentences, seed)) training.add(each);
  TrainOptions options = tight_options(l2);
  options.kind = kind;
  training.run(options, {}, [](const TrainProgress&) { return true; });
  return std::make_shared<const ChainModel>(Container::from_bytes(
      training.model(Json::object()).bytes(), "m" + std::to_string(seed) + ".croft"));
}

MixtureComponents three() {
  return MixtureComponents({component(1, 0.1), component(2, 3), component(3, 100)});
}

double log_likelihood(const MixtureTraining& training, const std::vector<double>& lambda) {
  const std::span<const double> log_p = training.log_probabilities();
  double sum = 0;
  for (std::size_t n = 0; n < log_p.size() / lambda.size(); ++n) {
    double p = 0;
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      p += lambda[k] * std::exp(log_p[n * lambda.size() + k]);
    }
    sum += std::log(p);
  }
  return sum;
}

bool go_on(const EmProgress&) { return true; }

TEST(Mixture, EmNeverLowersTheLikelihoodAndEndsWhereItsDerivativeOnTheSimplexIsZero) {
  for (const std::uint64_t seed : {11, 12, 13, 14}) {
    const MixtureComponents components = three();
    MixtureTraining training(components);
    for (const TextSequence& each : toy_sentences(40, seed)) training.add(each);
    std::vector<double> seen;
    const MixtureResult result =
        training.run({.em_iterations = 200000, .tolerance = 0}, [&](const EmProgress& now) {
          seen.push_back(now.log_likelihood);
          return seen.size() < 2 || now.iteration < 50 ||
                 seen.back() - seen[seen.size() - 2] > 1e-13;
        });
    for (std::size_t k = 1; k < seen.size(); ++k) EXPECT_GE(seen[k], seen[k - 1] - 1e-9);
    const std::vector<double>& lambda = result.weights;
    double sum = 0;
    for (const double each : lambda) sum += each;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(result.log_likelihood, log_likelihood(training, lambda), 1e-9);
    EXPECT_LT(result.gap, 1e-4);

    // Central differences from one component to another.
    constexpr double kStep = 1e-6;
    for (std::size_t a = 0; a < lambda.size(); ++a) {
      for (std::size_t b = 0; b < lambda.size(); ++b) {
        if (a == b || lambda[a] < 10 * kStep) continue;
        std::vector<double> up = lambda, down = lambda;
        up[a] -= kStep, up[b] += kStep;
        down[a] += kStep, down[b] -= kStep;
        const bool inside = lambda[b] > 10 * kStep;
        const double here = log_likelihood(training, inside ? down : lambda);
        const double slope = (log_likelihood(training, up) - here) / (inside ? 2 * kStep : kStep);
        const double n = static_cast<double>(training.positions());
        EXPECT_LT(slope / n, 2e-4);  // not better anywhere ...
        if (inside) {
          EXPECT_GT(slope / n, -2e-4);  // ... and level inside
        }
      }
    }
    Random random(seed);
    for (int trial = 0; trial < 200; ++trial) {  // nothing else is better
      std::vector<double> other(lambda.size());
      double total = 0;
      for (double& each : other) total += each = -std::log(random.uniform());
      for (double& each : other) each /= total;
      EXPECT_LE(log_likelihood(training, other), result.log_likelihood + 1e-6);
    }
  }
}

TEST(Mixture, ProbabilitiesAreTheWeightedSumOfTheComponents) {
  const MixtureComponents components = three();
  MixtureTraining training(components);
  for (const TextSequence& each : toy_sentences(20, 15)) training.add(each);
  const MixtureResult result = training.run({}, go_on);
  EXPECT_TRUE(result.converged);
  const ContainerWriter file =
      make_mixture_model(components, components.extraction(), result.weights, Json::object());
  const MixtureModel model(Container::from_bytes(file.bytes(), "mixture.croft"));
  EXPECT_EQ(model.kind(), "mixture");
  EXPECT_TRUE(model.labels_are_independent());
  ASSERT_EQ(model.weights().size(), 3u);
  SequenceModel::Scratch scratch;
  std::vector<SequenceModel::Scratch> own(3);  // one for each model
  ChainScores<double> mixed, each_scores;
  ChainScores<float> single;
  for (const TextSequence& text : toy_sentences(20, 16)) {
    model.score(text, scratch, mixed);
    model.score(text, scratch, single);
    for (std::size_t t = 0; t < text.length(); ++t) {
      std::vector<double> expected(model.labels());
      for (std::size_t k = 0; k < 3; ++k) {
        components[k].score(text, own[k], each_scores);
        double z = 0;
        for (Label y = 0; y < model.labels(); ++y) z += std::exp(each_scores.state(t, y));
        for (Label y = 0; y < model.labels(); ++y) {
          Label here = 0;
          while (model.label(here) != components[k].label(y)) ++here;
          expected[here] += result.weights[k] * std::exp(each_scores.state(t, y)) / z;
        }
      }
      double sum = 0;
      for (Label y = 0; y < model.labels(); ++y) {
        EXPECT_NEAR(std::exp(mixed.state(t, y)), expected[y], 1e-12);
        EXPECT_NEAR(std::exp(single.state(t, y)), expected[y], 1e-6);
        sum += expected[y];
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(Mixture, OfOneModelTwiceIsThatModel) {
  const auto one = component(4, 1);
  const MixtureComponents components({one, one});
  MixtureTraining training(components);
  for (const TextSequence& each : toy_sentences(10, 17)) training.add(each);
  const MixtureResult result = training.run({}, go_on);
  EXPECT_NEAR(result.weights[0], 0.5, 1e-12);
  EXPECT_LT(result.gap, 1e-12);
}

TEST(Mixture, WeightsOfSequencesCountAsCopies) {
  const MixtureComponents components = three();
  MixtureTraining weighed(components), copied(components);
  std::size_t n = 0;
  for (TextSequence each : toy_sentences(10, 18)) {
    const std::size_t copies = 1 + n++ % 3;
    for (std::size_t k = 0; k < copies; ++k) copied.add(each);
    each.weight = static_cast<double>(copies);
    weighed.add(each);
  }
  const MixtureResult a = weighed.run({}, go_on), b = copied.run({}, go_on);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.weights[k], b.weights[k], 1e-9);
}

TEST(Mixture, LeavesOutPositionsThatNoComponentGivesAProbability) {
  const MixtureComponents components = three();
  MixtureTraining training(components);
  TextSequence text = toy_sentences(1, 19)[0];
  training.add(text);
  const std::size_t known = text.length();
  text.labels.clear();
  for (std::size_t t = 0; t < text.length(); ++t) text.labels.append("new");
  text.labels.end_list();
  training.add(text);
  EXPECT_EQ(training.impossible(), known);
  EXPECT_EQ(training.positions(), 2 * known);
  training.run({}, go_on);
  MixtureTraining nothing(components);
  nothing.add(text);
  EXPECT_THROW(nothing.run({}, go_on), Error);
}

std::string refusal(MixtureComponents::Models models) {
  return message_of<UsageError>([&] { MixtureComponents made(std::move(models)); });
}

TEST(Mixture, SaysWhichModelsDoNotGoTogether) {
  const auto one = component(5, 1);
  EXPECT_NE(refusal({one}).find("two models or more"), std::string::npos);
  EXPECT_NE(
      refusal({one, component(6, 1, ChainKind::chain)}).find("of kind chain is of whole sequences"),
      std::string::npos);
  EXPECT_EQ(refusal({one, component(7, 1)}), "no error");
  EXPECT_NE(refusal({one, component(9, 1, ChainKind::maxent, 1)}).find("labels"),
            std::string::npos);
}

TEST(Mixture, RefusesWeightsThatAreNoShares) {
  const MixtureComponents components = three();
  const auto says = [&](std::vector<double> weights) {
    try {
      const auto file =
          make_mixture_model(components, components.extraction(), weights, Json::object());
      const MixtureModel model(Container::from_bytes(file.bytes(), "bad.croft"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(says({0.5, 0.25, 0.25}), "no error");
  for (const std::vector<double>& bad :
       {std::vector<double>{0.5, 0.25, 0.5}, {1.5, -0.5, 0}, {std::nan(""), 0.5, 0.5}}) {
    EXPECT_TRUE(says(bad).starts_with("bad.croft: section mixture.weights is damaged"))
        << says(bad);
  }
}

}  // namespace
}  // namespace croft::mixture_training_test
