// Logarithmic opinion pools: the identities of docs/math/pools.md by enumeration, gradients by
// central differences, and the chain that a pool is.
#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/brute_force.h"
#include "model/kinds/chain_model.h"
#include "support/toy_sentences.h"
#include "train/kinds/pool_training.h"

namespace croft::pool_test {
namespace {

using namespace testing_support;

struct Pool {
  Extractor extractor = attribute_lines();
  PoolTraining training{extractor};
  PoolTraining::Result result;
};

std::unique_ptr<Pool> train(std::span<const TextSequence> data, const TrainOptions& options,
                            const PoolOptions& pool, std::span<const TextSequence> holdout = {}) {
  auto out = std::make_unique<Pool>();
  for (const TextSequence& each : data) out->training.add(each);
  for (const TextSequence& each : holdout) out->training.add_holdout(each);
  out->result = out->training.run(options, pool, {});
  return out;
}

ChainModel model_of(const PoolTraining& training) {
  return ChainModel(Container::from_bytes(training.model(Json::object()).bytes(), "pool.croft"));
}

// Random experts over random data: what the function of the weights is tested on.
struct Experts {
  ChainEncoder encoder;
  std::vector<ChainExpert> all;

  Experts(std::size_t count, std::uint64_t seed) {
    for (const TextSequence& each : toy_sentences(6, seed, 4)) encoder.add(each);
    Random random(seed);
    for (std::size_t e = 0; e < count; ++e) {
      ChainExpert& expert = all.emplace_back();
      expert.labels = encoder.label_names.size();
      const auto fill = [&](std::size_t rows, std::size_t cells, RowLayout& out) {
        out.cells = cells;
        out.begin.assign(1, expert.weights.size());
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::uint32_t c = 0; c < cells; ++c) {
            if (random.below(4) == 0) continue;
            out.cell.push_back(c);
            expert.weights.push_back(random.normal());
          }
          out.begin.push_back(expert.weights.size());
        }
      };
      fill(1, expert.labels * expert.labels, expert.tied);
      fill(encoder.node_names.size(), expert.labels, expert.node);
      fill(0, expert.labels * expert.labels, expert.edge);
    }
  }

  // log p_i(y|x) of all labellings of sequence n, and y.
  struct Table {
    std::vector<std::vector<Label>> y;
    std::vector<std::vector<double>> log_p;  // [experts]
  };
  Table table(std::size_t n) const {
    Table out;
    for (const ChainExpert& expert : all) {
      TransitionScores<double> transitions;
      transitions.assign(expert_transitions(expert));
      ChainScores<double> scores;
      scores.reset(encoder.data.gold(n).length(), transitions);
      add_expert_states(expert, encoder.data, n, 1, scores.state);
      out.y.clear();
      auto& log_p = out.log_p.emplace_back();
      long double sum = 0;
      for_each_labelling(scores, [&](const std::vector<Label>& y, long double score) {
        out.y.push_back(y);
        log_p.push_back(static_cast<double>(score));
        sum += std::exp(score);
      });
      for (double& each : log_p) each -= static_cast<double>(std::log(sum));
    }
    return out;
  }
};

TEST(Pool, ItsLikelihoodIsThatOfTheProductOfPowers) {
  const Experts experts(3, 1);
  ThreadPool threads(2);
  const std::size_t sequences = experts.encoder.data.sequences();
  PoolFunction f(experts.encoder.data, 0, sequences, experts.all, nullptr, threads);
  const std::vector<double> a = {0.7, -0.2, 1.3};
  double expected = 0;
  for (std::size_t n = 0; n < sequences; ++n) {
    const auto table = experts.table(n);
    const Gold gold = experts.encoder.data.gold(n);
    double sum = 0, of_gold = 0;
    for (std::size_t k = 0; k < table.y.size(); ++k) {
      double log_p = 0;
      for (std::size_t e = 0; e < 3; ++e) log_p += a[e] * table.log_p[e][k];
      sum += std::exp(log_p);
      if (std::ranges::equal(table.y[k], gold.known)) of_gold = log_p;
    }
    expected += std::log(sum) - of_gold;
  }
  std::vector<double> gradient(3);
  EXPECT_NEAR(f.evaluate(a, gradient), expected, 1e-9);
}

TEST(Pool, TheGradientIsThatOfCentralDifferences) {
  const Experts experts(4, 2);
  ThreadPool threads(1);
  PoolFunction f(experts.encoder.data, 1, experts.encoder.data.sequences(), experts.all, nullptr,
                 threads);
  std::vector<double> a = {0.3, 0.4, -0.1, 0.8}, gradient(4), none(4);
  f.evaluate(a, gradient);
  for (std::size_t e = 0; e < a.size(); ++e) {
    constexpr double kStep = 1e-6;
    const double at = a[e];
    a[e] = at + kStep;
    const double above = f.evaluate(a, none);
    a[e] = at - kStep;
    const double below = f.evaluate(a, none);
    a[e] = at;
    EXPECT_NEAR((above - below) / (2 * kStep), gradient[e], 1e-6);
  }
}

// (LP.3): with weights that sum to 1 and experts that are normalised,
// log Z = -sum_i a_i KL(p_pool || p_i), where Z = sum_y prod_i p_i(y)^a_i.
TEST(Pool, ItsPartitionFunctionIsMinusTheWeightedSumOfDivergences) {
  const Experts experts(3, 3);
  ThreadPool threads(1);
  const std::vector<double> a = {0.5, 0.2, 0.3};
  for (std::size_t n = 0; n < experts.encoder.data.sequences(); ++n) {
    const auto table = experts.table(n);
    std::vector<double> log_p(table.y.size());
    double z = 0;
    for (std::size_t k = 0; k < log_p.size(); ++k) {
      for (std::size_t e = 0; e < 3; ++e) log_p[k] += a[e] * table.log_p[e][k];
      z += std::exp(log_p[k]);
    }
    PoolFunction f(experts.encoder.data, n, n + 1, experts.all, nullptr, threads);
    const std::vector<double> divergence = f.divergences(a);
    double weighted = 0;
    for (std::size_t e = 0; e < 3; ++e) {
      double own = 0;
      for (std::size_t k = 0; k < log_p.size(); ++k) {
        own += std::exp(log_p[k]) / z * (log_p[k] - std::log(z) - table.log_p[e][k]);
      }
      EXPECT_NEAR(divergence[e], own, 1e-9);
      weighted += a[e] * own;
    }
    EXPECT_NEAR(std::log(z), -weighted, 1e-9);
  }
}

TEST(Pool, OfOneExpertWithWeightOneIsThatExpert) {
  const auto data = toy_sentences(25, 4);
  const TrainOptions options = tight_options(0.5);
  const auto pool =
      train(data, options,
            {.experts = {"all"}, .classes = {}, .weights = {.weights = PoolWeights::unit}});
  const Extractor extractor = attribute_lines();
  ChainTraining chain(extractor);
  for (const TextSequence& each : data) chain.add(each);
  chain.run(options, {}, [](const TrainProgress&) { return true; });
  const ChainModel merged = model_of(pool->training);
  const ChainModel alone(Container::from_bytes(chain.model(Json::object()).bytes(), "chain.croft"));
  EXPECT_EQ(merged.kind(), "pool");
  SequenceModel::Scratch scratch;
  ChainScores<double> a, b;
  for (const TextSequence& text : toy_sentences(10, 5)) {
    merged.score(text, scratch, a);
    SequenceModel::Scratch other;
    alone.score(text, other, b);
    for (std::size_t t = 0; t < text.length(); ++t) {
      for (Label j = 0; j < 3; ++j) EXPECT_NEAR(a.state(t, j), b.state(t, j), 1e-6);
    }
  }
  EXPECT_NEAR(pool->result.experts[0].divergence, 0, 1e-9);
}

// (LP.2): the merged chain's scores are the weighted sums of the experts'.
TEST(Pool, TheModelsScoresAreTheWeightedSumsOfTheExperts) {
  const auto data = toy_sentences(25, 6);
  TrainOptions options = tight_options(0.2);
  options.stop.max_iterations = 30;
  const auto pool = train(
      data, options, {.experts = {"random:3", "labels", "position"}, .classes = {}, .weights = {}});
  const auto experts = pool->training.experts();
  ASSERT_EQ(experts.size(), 9u);
  const ChainModel model = model_of(pool->training);
  ChainEncoder encoder;
  for (const TextSequence& each : data) encoder.add(each);
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  for (std::size_t n = 0; n < data.size(); ++n) {
    model.score(data[n], scratch, scores);
    Matrix<double> expected(data[n].length(), 3, 0.0);
    for (std::size_t e = 0; e < experts.size(); ++e) {
      add_expert_states(experts[e], encoder.data, n, pool->result.experts[e].weight, expected);
    }
    for (std::size_t t = 0; t < data[n].length(); ++t) {
      for (Label j = 0; j < 3; ++j) EXPECT_NEAR(scores.state(t, j), expected(t, j), 1e-5);
    }
  }
}

TEST(Pool, LearntWeightsAreBetterThanEqualOnes) {
  const auto data = toy_sentences(40, 7), held_out = toy_sentences(40, 8);
  TrainOptions options = tight_options(0.01);
  options.stop.max_iterations = 40;
  const auto loss = [&](PoolWeights how, double alpha) {
    PoolOptions pool{.experts = {"all", "random:3:0.5"}, .classes = {}, .weights = {}};
    pool.weights.weights = how;
    pool.weights.alpha = alpha;
    return train(data, options, pool, held_out);
  };
  const auto uniform = loss(PoolWeights::uniform, 1), free = loss(PoolWeights::free, 1),
             simplex = loss(PoolWeights::dirichlet, 1), prior = loss(PoolWeights::dirichlet, 50);
  EXPECT_LT(free->result.loss, uniform->result.loss);
  EXPECT_LE(free->result.loss, simplex->result.loss + 1e-6);
  EXPECT_LE(simplex->result.loss, uniform->result.loss);
  EXPECT_LE(simplex->result.loss, prior->result.loss + 1e-6);
  double sum = 0, spread = 0, drawn = 0;
  for (std::size_t e = 0; e < 4; ++e) {
    sum += simplex->result.experts[e].weight;
    spread = std::max(spread, std::abs(simplex->result.experts[e].weight - 0.25));
    drawn = std::max(drawn, std::abs(prior->result.experts[e].weight - 0.25));
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_LT(drawn, spread);  // a strong prior draws to equal weights
}

TEST(Pool, RandomExpertsDealEachFeatureToOne) {
  const auto data = toy_sentences(25, 9);
  TrainOptions options = tight_options(1);
  options.stop.max_iterations = 5;
  const auto pool = train(data, options, {.experts = {"random:3"}, .classes = {}, .weights = {}});
  const auto experts = pool->training.experts();
  for (std::size_t r = 0; r < experts[0].node.rows(); ++r) {
    std::size_t owners = 0;
    for (const ChainExpert& each : experts) {
      owners += r < each.node.rows() && each.node.length(r) > 0;
    }
    EXPECT_LE(owners, 1u);
  }
}

TEST(Pool, PositionsAreReadFromNamesAndTemplates) {
  EXPECT_EQ(position_of_name("w[-1]=the"), FeaturePosition::past);
  EXPECT_EQ(position_of_name("l[-1..0]=a|b"), FeaturePosition::past);
  EXPECT_EQ(position_of_name("w[0]=the"), FeaturePosition::present);
  EXPECT_EQ(position_of_name("c1[0..1]=x|y"), FeaturePosition::future);
  EXPECT_EQ(position_of_name("c1[-1..1]=x|y|z"), FeaturePosition::present);
  EXPECT_EQ(position_of_name("w[+2]=the"), FeaturePosition::future);
  EXPECT_EQ(position_of_name("suf=[x]"), FeaturePosition::present);
  EXPECT_EQ(position_of_name("a[1"), FeaturePosition::present);
  const auto position = positions_of_template(TemplateSet::parse(
      "U0:%x[-1,0]\nU1:%x[0,0]\nU12:%x[1,0]/%x[2,0]\nU3:%x[-1,0]/%x[1,0]\n", "t"));
  EXPECT_EQ(position("U0:the"), FeaturePosition::past);
  EXPECT_EQ(position("U1:the"), FeaturePosition::present);
  EXPECT_EQ(position("U12:the/cat"), FeaturePosition::future);
  EXPECT_EQ(position("U3:the/cat"), FeaturePosition::present);
  EXPECT_THROW(positions_of_template(TemplateSet::parse("U:%x[-1,0]\nU:%x[1,0]\n", "t")),
               UsageError);
}

TEST(Pool, ThreadsDoNotChangeAByte) {
  const auto data = toy_sentences(30, 10);
  std::vector<std::byte> first;
  for (const std::size_t threads : {1, 3}) {
    TrainOptions options = tight_options(0.1);
    options.stop.max_iterations = 10;
    options.threads = threads;
    const auto pool =
        train(data, options, {.experts = {"all", "random:2"}, .classes = {}, .weights = {}});
    const auto bytes = pool->training.model(Json::object()).bytes();
    if (first.empty()) first = bytes;
    EXPECT_EQ(first, bytes);
  }
}

TEST(Pool, SaysWhatIsWrong) {
  const auto data = toy_sentences(5, 11);
  const TrainOptions options = tight_options(1);
  for (const char* text : {"some", "random", "random:1", "random:2:1.5", "random:x"}) {
    EXPECT_THROW(train(data, options, {.experts = {text}, .classes = {}, .weights = {}}),
                 UsageError);
  }
  EXPECT_THROW(train(data, options, {}), UsageError);
  PoolOptions alpha{.experts = {"all"}, .classes = {}, .weights = {}};
  alpha.weights.alpha = 2;
  EXPECT_THROW(train(data, options, alpha), UsageError);
}

}  // namespace
}  // namespace croft::pool_test
