// Error-correcting CRFs: with two labels the binary chain, and each decoder against its definition.
#include "train/kinds/code_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/brute_force.h"
#include "croft/inference/chain_sum.h"
#include "support/toy_sentences.h"

namespace croft::code_training_test {
namespace {

using namespace testing_support;

std::unique_ptr<ErrorCorrectingModel> train(std::span<const TextSequence> data,
                                            const TrainOptions& options, const CodeOptions& code,
                                            CodeTraining::Result* result = nullptr) {
  const Extractor extractor = attribute_lines();
  CodeTraining training(extractor);
  for (const TextSequence& each : data) training.add(each);
  const auto found = training.run(options, code, {});
  if (result != nullptr) *result = found;
  return std::make_unique<ErrorCorrectingModel>(
      Container::from_bytes(training.model(Json::object()).bytes(), "code.croft"));
}

std::unique_ptr<ErrorCorrectingModel> with(const ErrorCorrectingModel& model, CodeDecoder decoder) {
  const auto bytes = model.container().bytes();
  return std::make_unique<ErrorCorrectingModel>(
      Container::from_bytes({bytes.begin(), bytes.end()}, "code.croft"), decoder);
}

ChainScores<double> scores_of(const SequenceModel& model, const TextSequence& text) {
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  model.score(text, scratch, scores);
  return scores;
}

// Two labels: what stands in place of V is N.
std::vector<TextSequence> two_labels(std::size_t count, std::uint64_t seed) {
  std::vector<TextSequence> all = toy_sentences(count, seed);
  for (TextSequence& text : all) {
    std::vector<std::string> names;
    for (std::size_t t = 0; t < text.length(); ++t) {
      names.emplace_back(text.labels.item(t) == "D" ? "D" : "N");
    }
    text.labels.clear();
    for (const std::string& name : names) text.labels.append(name);
    text.labels.end_list();
  }
  return all;
}

TEST(CodeTraining, WithTwoLabelsEveryCodeIsTheBinaryChain) {
  const auto data = two_labels(30, 1);
  const TrainOptions options = tight_options(0.5);
  const Extractor extractor = attribute_lines();
  ChainTraining training(extractor);
  for (const TextSequence& each : data) training.add(each);
  training.run(options, {}, [](const TrainProgress&) { return true; });
  const ChainModel chain(
      Container::from_bytes(training.model(Json::object()).bytes(), "chain.croft"));
  for (const char* code : {"one-vs-rest", "all-pairs"}) {
    const auto model = train(data, options, {.code = code, .words = {}});
    ASSERT_EQ(model->code().bits, 1u);
    ForwardBackwardWorkspace<double> work;
    for (const TextSequence& text : two_labels(10, 2)) {
      ChainScores<double> a = scores_of(*model, text), b = scores_of(chain, text);
      const double log_a = log_partition(a, work), log_b = log_partition(b, work);
      for_each_labelling(a, [&](const std::vector<Label>& y, long double score) {
        EXPECT_NEAR(static_cast<double>(score) - log_a, croft::score<double>(b, y) - log_b, 1e-5);
      });
    }
  }
}

// (EC.3) by enumeration: the product of the chains' probabilities of a labelling's bits, where a
// bit that does not matter counts as half 0 and half 1.
TEST(CodeTraining, TheProductDecoderIsTheProductOfTheBinaryChains) {
  const auto data = toy_sentences(25, 3);
  TrainOptions options = tight_options(0.3);
  options.stop.max_iterations = 20;
  for (const char* name : {"one-vs-rest", "all-pairs", "random:6"}) {
    const auto model = train(data, options, {.code = name, .words = {}});
    const LabelCode& code = model->code();
    for (const TextSequence& text : toy_sentences(5, 4, 4)) {
      // Scores of bits, from the file.
      Matrix<double> difference(text.length(), code.bits, 0.0);
      FeatureTable::Scratch found;
      model->node().find(text.node, found);
      for (std::size_t t = 0; t < text.length(); ++t) {
        for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
          model->node().visit(found.places[k], [&](std::uint32_t b, float w) {
            difference(t, b) += text.node.value(k) * double{w};
          });
        }
      }
      const auto product = [&](const std::vector<Label>& y) {
        double sum = 0;
        for (std::size_t b = 0; b < code.bits; ++b) {
          const Matrix<double>& edges = model->transitions_of(b).log();
          for (std::size_t t = 0; t < y.size(); ++t) {
            const double u = code.share(y[t], b);
            sum += u * difference(t, b);
            if (t == 0) continue;
            const double v = code.share(y[t - 1], b);
            sum += (1 - v) * ((1 - u) * edges(0, 0) + u * edges(0, 1)) +
                   v * ((1 - u) * edges(1, 0) + u * edges(1, 1));
          }
        }
        return sum;
      };
      const ChainScores<double> chain = scores_of(*model, text);
      double shift = 0;
      bool first = true;
      for_each_labelling(chain, [&](const std::vector<Label>& y, long double score) {
        const double own = static_cast<double>(score) - product(y);
        if (first) shift = own;  // the two differ by what all labellings have
        first = false;
        EXPECT_NEAR(own, shift, 1e-9);
      });
    }
  }
}

TEST(CodeTraining, OtherDecodersCompareWordsWithTheChainsAnswers) {
  const auto data = toy_sentences(25, 5);
  TrainOptions options = tight_options(0.3);
  options.stop.max_iterations = 20;
  const auto product = train(data, options, {.code = "random:7", .words = {}});
  const LabelCode& code = product->code();
  const auto bits = with(*product, CodeDecoder::bits),
             marginal = with(*product, CodeDecoder::marginal),
             nearest = with(*product, CodeDecoder::distance);
  EXPECT_FALSE(bits->has_probabilities());
  EXPECT_TRUE(marginal->has_probabilities());
  for (const TextSequence& text : toy_sentences(8, 6, 4)) {
    // p(bit) and the best bits of each chain, by enumeration.
    Matrix<double> difference(text.length(), code.bits, 0.0);
    FeatureTable::Scratch found;
    product->node().find(text.node, found);
    for (std::size_t t = 0; t < text.length(); ++t) {
      for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
        product->node().visit(found.places[k], [&](std::uint32_t b, float w) {
          difference(t, b) += text.node.value(k) * double{w};
        });
      }
    }
    Matrix<double> one(text.length(), code.bits, 0.0);
    std::vector<std::vector<Label>> best(code.bits);
    for (std::size_t b = 0; b < code.bits; ++b) {
      ChainScores<double> chain;
      chain.reset(text.length(), product->transitions_of(b));
      for (std::size_t t = 0; t < text.length(); ++t) chain.state(t, 1) = difference(t, b);
      long double all = 0, most = -1e300L;
      for_each_labelling(chain, [&](const std::vector<Label>& y, long double score) {
        all += std::exp(score);
        for (std::size_t t = 0; t < y.size(); ++t) {
          if (y[t] == 1) one(t, b) += static_cast<double>(std::exp(score));
        }
        if (score > most) {
          most = score;
          best[b] = y;
        }
      });
      for (std::size_t t = 0; t < text.length(); ++t) one(t, b) /= static_cast<double>(all);
    }
    const auto of_bits = scores_of(*bits, text), of_marginal = scores_of(*marginal, text),
               of_distance = scores_of(*nearest, text);
    for (std::size_t t = 0; t < text.length(); ++t) {
      for (Label j = 0; j < code.labels; ++j) {
        double wrong = 0, log_p = 0, away = 0;
        for (std::size_t b = 0; b < code.bits; ++b) {
          const double own = code.at(j, b);
          wrong += own != best[b][t];
          log_p += std::log(own == 1 ? one(t, b) : 1 - one(t, b));
          away += std::abs(own - one(t, b));
        }
        EXPECT_EQ(of_bits.state(t, j), -wrong);
        EXPECT_NEAR(of_marginal.state(t, j), log_p, 1e-8);
        EXPECT_NEAR(of_distance.state(t, j), -away, 1e-9);
      }
    }
  }
}

TEST(CodeTraining, ThreadsDoNotChangeAByte) {
  const auto data = toy_sentences(40, 7);
  const Extractor extractor = attribute_lines();
  for (const char* code : {"one-vs-rest", "random:5", "minimum-loss:3:8"}) {
    std::vector<std::byte> first;
    for (const std::size_t threads : {1, 4}) {
      TrainOptions options = tight_options(1);
      options.threads = threads;
      options.stop.max_iterations = 20;
      CodeTraining training(extractor);
      for (const TextSequence& each : data) training.add(each);
      training.run(options, {.code = code, .words = {}}, {});
      const auto bytes = training.model(Json::object()).bytes();
      if (first.empty()) first = bytes;
      EXPECT_EQ(first, bytes);
    }
  }
}

TEST(CodeTraining, MinimumLossChoosesBitsOfTheCandidates) {
  const auto data = toy_sentences(40, 8);
  TrainOptions options = tight_options(1);
  CodeTraining::Result result;
  const auto model = train(data, options, {.code = "minimum-loss:3:9", .words = {}}, &result);
  EXPECT_EQ(result.trained, 9u);
  EXPECT_EQ(result.bits, 3u);
  EXPECT_EQ(model->code().bits, 3u);
  EXPECT_GE(distance(model->code()).least, 1u);
}

TEST(CodeTraining, UsesTheWordsOfAUser) {
  const auto data = toy_sentences(20, 9);
  const auto model =
      train(data, tight_options(1),
            {.code = "", .words = {{"D", "0-1"}, {"N", "10-"}, {"V", "110"}, {"X", "000"}}});
  EXPECT_EQ(model->code().bits, 3u);
  for (Label j = 0; j < 3; ++j) {
    const std::string& name = model->label(j);
    EXPECT_EQ(model->code().at(j, 0), name == "D" ? 0 : 1);
    EXPECT_EQ(model->code().at(j, 1), name == "D" ? kAnyBit : name == "V");
  }
}

TEST(CodeTraining, SaysWhatIsWrong) {
  const auto data = toy_sentences(20, 10);
  const TrainOptions options = tight_options(1);
  for (const char* code : {"some", "random:x", "random:1", "minimum-loss:5:2", "one-vs-rest:3"}) {
    EXPECT_THROW(train(data, options, {.code = code, .words = {}}), UsageError);
  }
  using Words = std::vector<std::pair<std::string, std::string>>;
  for (const Words& words : {Words{{"D", "0"}, {"N", "1"}},                       // no word for V
                             Words{{"D", "00"}, {"N", "01"}, {"V", "01"}},        // twice the same
                             Words{{"D", "000"}, {"N", "010"}, {"V", "001"}}}) {  // an idle bit
    EXPECT_THROW(train(data, options, {.code = "", .words = words}), UsageError);
  }
}

}  // namespace
}  // namespace croft::code_training_test
