// Training with hidden states: its likelihood against an enumeration of paths, EM against the
// gradient, and one state a label against the chain.
#include "train/kinds/hidden_chain_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/brute_force.h"
#include "model/linear_scorer.h"
#include "support/toy_sentences.h"
#include "train/functions/chain_batch_function.h"
#include "train/functions/chain_em.h"

namespace croft::hidden_chain_training_test {
namespace {

using namespace testing_support;

struct Trained {
  HiddenChainTraining training;
  HiddenChainTraining::Result result;
  std::vector<double> course;  // the objective of each iteration of the last start
};

std::unique_ptr<Trained> train(const Extractor& extractor, std::span<const TextSequence> data,
                               const TrainOptions& options, const HiddenChainOptions& hidden) {
  auto out = std::make_unique<Trained>(Trained{HiddenChainTraining(extractor), {}, {}});
  for (const TextSequence& each : data) out->training.add(each);
  out->result = out->training.run(options, hidden, {}, [&](std::size_t, const TrainProgress& now) {
    if (now.iteration.number == 0) out->course.clear();
    out->course.push_back(now.iteration.objective);
    return true;
  });
  return out;
}

TEST(HiddenChainTraining, OneStateALabelIsTheChainToTheLastBit) {
  const Extractor extractor = attribute_lines();
  const auto data = toy_sentences(30, 1);
  const TrainOptions options = tight_options(1);
  const auto hidden = train(extractor, data, options, {.states = 1, .states_of = {}});
  ChainTraining chain(extractor);
  for (const TextSequence& each : data) chain.add(each);
  const TrainResult plain = chain.run(options, {}, [](const TrainProgress&) { return true; });
  EXPECT_EQ(hidden->result.train.optimization.objective, plain.optimization.objective);
  ASSERT_EQ(hidden->training.weights().size(), chain.weights().size());
  EXPECT_TRUE(std::ranges::equal(hidden->training.weights(), chain.weights()));
}

TEST(HiddenChainTraining, TheObjectiveIsMinusTheLogOfASumOverPaths) {
  const Extractor extractor = attribute_lines();
  const auto data = toy_sentences(6, 2, 4);
  TrainOptions options = tight_options(0.5);
  options.stop.max_iterations = 7;
  const auto found = train(extractor, data, options,
                           {.states = 2, .states_of = {{"V", 3}}, .start_deviation = 0.5});
  const HiddenChainTraining& training = found->training;
  EXPECT_EQ(found->result.states, 7u);
  ThreadPool pool(1);
  LinearScorer<double> scorer(training.layout());
  scorer.set_weights(training.weights(), pool);
  double expected = 0;
  for (const double w : training.weights()) expected += 0.25 * w * w;
  ChainScores<double> scores;
  for (std::size_t n = 0; n < data.size(); ++n) {
    scorer.score(training.data(), n, scores);
    long double all = 0, fitting = 0;
    const Gold gold = training.data().gold(n);
    for_each_labelling(scores, [&](const std::vector<Label>& path, long double score) {
      all += std::exp(score);
      bool fits = true;
      for (std::size_t t = 0; t < path.size(); ++t) fits = fits && gold.allows(t, path[t]);
      if (fits) fitting += std::exp(score);
    });
    expected += static_cast<double>(std::log(all) - std::log(fitting));
  }
  EXPECT_NEAR(found->result.train.optimization.objective, expected, 1e-9);
}

TEST(HiddenChainTraining, TheGradientIsThatOfCentralDifferences) {
  const Extractor extractor = attribute_lines();
  const auto data = toy_sentences(5, 3, 4);
  TrainOptions options = tight_options(1);
  options.stop.max_iterations = 2;
  const auto found = train(extractor, data, options, {.states = 2, .states_of = {}});
  const HiddenChainTraining& training = found->training;
  ThreadPool pool(1);
  ChainBatchFunction<double> f(training.data(), training.layout(), pool);
  Random random(3);
  std::vector<double> w(f.dimension()), gradient(f.dimension()), none(f.dimension());
  for (double& each : w) each = random.normal();
  f.evaluate(w, gradient);
  for (std::size_t k = 0; k < w.size(); k += 3) {
    constexpr double kStep = 1e-5;
    const double at = w[k];
    w[k] = at + kStep;
    const double above = f.evaluate(w, none);
    w[k] = at - kStep;
    const double below = f.evaluate(w, none);
    w[k] = at;
    EXPECT_NEAR((above - below) / (2 * kStep), gradient[k], 1e-7);
  }
}

TEST(HiddenChainTraining, EmNeverRaisesTheObjective) {
  const Extractor extractor = attribute_lines();
  for (const std::uint64_t seed : {1, 2, 3}) {
    TrainOptions options = tight_options(0.1);
    options.seed = seed;
    const auto found = train(extractor, toy_sentences(25, 4), options,
                             {.states = 3, .states_of = {}, .em_iterations = 40});
    ASSERT_GT(found->course.size(), 10u);
    for (std::size_t k = 1; k < found->course.size(); ++k) {
      EXPECT_LT(found->course[k], found->course[k - 1]);
    }
  }
}

TEST(HiddenChainTraining, EmAndTheGradientEndAtTheSameObjective) {
  const Extractor extractor = attribute_lines();
  const auto data = toy_sentences(20, 5);
  TrainOptions options = tight_options(1);
  options.stop.gradient_tolerance = 1e-5;
  const auto gradient = train(extractor, data, options, {.states = 2, .states_of = {}});
  const auto em =
      train(extractor, data, options, {.states = 2, .states_of = {}, .em_iterations = 2000});
  EXPECT_NEAR(em->result.train.optimization.objective,
              gradient->result.train.optimization.objective, 1e-4);
}

// (HC.4): Q lies above L, and touches it where expectations were taken: what one M step gains of Q
// it gains of L at least.
TEST(HiddenChainTraining, AnEmStepOfAKnownChainIsTheConvexFit) {
  const Extractor extractor = attribute_lines();
  const auto data = toy_sentences(15, 6);
  const TrainOptions options = tight_options(1);
  const auto chain = train(extractor, data, options, {.states = 1, .states_of = {}});
  const auto em =
      train(extractor, data, options, {.states = 1, .states_of = {}, .em_iterations = 50});
  EXPECT_NEAR(em->result.train.optimization.objective, chain->result.train.optimization.objective,
              1e-6);
}

TEST(HiddenChainTraining, TheBestOfSeveralStartsIsKept) {
  const Extractor extractor = attribute_lines();
  TrainOptions options = tight_options(0.05);
  options.stop.max_iterations = 60;
  const auto found = train(extractor, toy_sentences(20, 7), options,
                           {.states = 3, .states_of = {}, .start_deviation = 1, .starts = 4});
  const auto& objectives = found->result.objectives;
  ASSERT_EQ(objectives.size(), 4u);
  EXPECT_EQ(objectives[found->result.kept_start], std::ranges::min(objectives));
  EXPECT_EQ(found->result.train.optimization.objective, std::ranges::min(objectives));
  EXPECT_GT(std::ranges::max(objectives) - std::ranges::min(objectives), 1e-6);
}

TEST(HiddenChainTraining, ThreadsDoNotChangeAByte) {
  const Extractor extractor = attribute_lines();
  const auto data = toy_sentences(40, 8);
  std::vector<std::byte> first;
  for (const bool em : {false, true}) {
    first.clear();
    for (const std::size_t threads : {1, 3}) {
      TrainOptions options = tight_options(1);
      options.stop.max_iterations = 10;
      options.threads = threads;
      HiddenChainOptions hidden{.states = 2, .states_of = {}};
      if (em) hidden.em_iterations = 3;
      const auto found = train(extractor, data, options, hidden);
      const auto bytes = found->training.model(Json::object()).bytes();
      if (first.empty()) first = bytes;
      EXPECT_EQ(first, bytes);
    }
  }
}

TEST(HiddenChainTraining, SaysWhatIsWrong) {
  const Extractor extractor = attribute_lines();
  const auto data = toy_sentences(5, 9);
  EXPECT_THROW(train(extractor, data, tight_options(1), {.states = 0, .states_of = {}}),
               UsageError);
  EXPECT_THROW(train(extractor, data, tight_options(1), {.states = 2, .states_of = {{"Q", 2}}}),
               UsageError);
  TrainOptions margin = tight_options(1);
  margin.objective = Objective::max_margin;
  margin.method = Method::frank_wolfe;
  EXPECT_THROW(train(extractor, data, margin, {.states = 2, .states_of = {}}), UsageError);
  TrainOptions sgd = tight_options(1);
  sgd.method = Method::sgd;
  EXPECT_THROW(train(extractor, data, sgd, {.states = 2, .states_of = {}, .em_iterations = 5}),
               UsageError);
}

}  // namespace
}  // namespace croft::hidden_chain_training_test
