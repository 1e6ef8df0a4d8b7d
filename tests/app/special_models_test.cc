// Models whose scores are not one sum of weights: what inspect, evaluate, explain and the questions
// to a labelling make of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "app/explain/explain.h"
#include "app/inspect/inspect.h"
#include "app/label/predict.h"
#include "app/label/tagger.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "support/enumeration.h"
#include "support/model_file.h"

namespace croft::special_models_test {
namespace {

using namespace testing_support;

struct Models {
  LaidOut data;
  VotedPerceptron vote;
  KernelExpansion expansion;
  std::shared_ptr<const ChainModel> voted, polynomial, rbf;

  explicit Models(std::uint64_t seed) {
    Random random(seed);
    data = laid_out({.edge = 0}, {}, random);
    vote = random_vote(data.layout.dimension(), 20, false, random);
    expansion = random_expansion(data, {.type = Kernel::Type::polynomial, .degree = 3}, random);
    voted = opened(
        model_file(data, vote.start, [this](ChainModelParts& parts) { parts.vote = &vote; }));
    polynomial = opened(kernel_file(data, expansion));
    expansion.kernel = {.type = Kernel::Type::rbf, .gamma = 0.25};
    rbf = opened(kernel_file(data, expansion));
  }
};

// The data of a model, in a file of attributes.
class DataFile {
 public:
  explicit DataFile(const PlainData& plain)
      : path_(::testing::TempDir() + "special_models_" + std::to_string(::getpid())) {
    std::ofstream out(path_);
    for (const PlainSequence& x : plain) {
      for (std::size_t t = 0; t < x.label.size(); ++t) {
        out << label_name(x.label[t]);
        for (const Occurrence& each : x.node[t]) {
          out << '\t' << node_name(each.attribute) << ':' << each.value;
        }
        out << '\n';
      }
      out << '\n';
    }
  }
  ~DataFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

EvaluationSummary evaluated(const ChainModel& model, const DataFile& file) {
  ThreadPool pool(1);
  SequenceSource source(file.path(), model.extractor(), Labels::required);
  return evaluate_model(model, source, ChunkScheme::none, pool).summary();
}

TEST(VotedModel, IsEvaluatedByItsLabelsAlone) {
  const Models models(1);
  const DataFile file(models.data.plain);
  const EvaluationSummary summary = evaluated(*models.voted, file);
  Tagger tagger(*models.voted);
  std::size_t right = 0, all = 0;
  for (const PlainSequence& x : models.data.plain) {
    const Tagging& tagging = tagger.tag(to_text(x), {});
    for (std::size_t t = 0; t < x.label.size(); ++t) right += tagging.y[t] == x.label[t];
    all += x.label.size();
  }
  EXPECT_EQ(summary.tokens, all);
  EXPECT_EQ(summary.correct_tokens, right);
  EXPECT_FALSE(summary.log_loss);
  EXPECT_FALSE(summary.calibration);
}

TEST(KernelModel, IsEvaluatedAsOthersAre) {
  const Models models(1);
  const DataFile file(models.data.plain);
  const EvaluationSummary summary = evaluated(*models.rbf, file);
  ASSERT_TRUE(summary.log_loss);
  double loss = 0;
  for (const PlainSequence& x : models.data.plain) {
    const Enumeration all(*models.rbf, to_text(x), [](const auto&) { return true; });
    loss -= std::log(all.p(x.label));
  }
  EXPECT_NEAR(summary.log_loss->total, loss, 1e-9 * std::abs(loss));
}

TEST(KernelModel, AnswersEveryQuestion) {
  const Models models(2);
  Tagger tagger(*models.polynomial);
  for (const PlainSequence& x : models.data.plain) {
    const Enumeration all(*models.polynomial, to_text(x), [](const auto&) { return true; });
    const Tagging& tagging = tagger.tag(
        to_text(x), {.probability = true, .marginals = true, .entropy = true, .k_best = 4});
    EXPECT_EQ(tagging.y, all.entries[0].y);
    EXPECT_NEAR(tagging.log_partition, all.log_z, 1e-9 * (1 + std::abs(all.log_z)));
    for (std::size_t t = 0; t < x.label.size(); ++t) {
      for (Label j = 0; j < 3; ++j) {
        const double p = all.sum([&](const Labelling& y) { return double(y[t] == j); });
        EXPECT_NEAR(tagging.marginals(t, j), p, 1e-9);
      }
    }
    for (std::size_t k = 0; k < tagging.k_best.size(); ++k) {
      EXPECT_NEAR(tagging.k_best[k].score, all.entries[k].score,
                  1e-9 * (1 + std::abs(all.entries[k].score)));
    }
  }
}

TEST(SpecialModels, InspectSaysWhatTheyAre) {
  const Models models(3);
  const View vote = summary_of(*models.voted), kernel = summary_of(*models.rbf),
             products = summary_of(*models.polynomial);
  const Json &voted = vote.json, &rbf = kernel.json, &polynomial = products.json;
  const auto voting = static_cast<std::size_t>(
      std::ranges::count_if(models.vote.votes, [](std::uint64_t votes) { return votes > 0; }));
  EXPECT_EQ(voted["votes"]["vectors"], voting);
  EXPECT_EQ(voted["votes"]["changes"], models.voted->vote()->changes());
  EXPECT_FALSE(voted.contains("kernel"));
  EXPECT_FALSE(rbf.contains("votes"));
  EXPECT_EQ(rbf["kernel"], (Json{{"type", "rbf"},
                                 {"gamma", 0.25},
                                 {"support_vectors", models.expansion.support_vectors()}}));
  EXPECT_EQ(polynomial["kernel"], (Json{{"type", "polynomial"},
                                        {"scale", 1.0},
                                        {"offset", 1.0},
                                        {"degree", 3},
                                        {"support_vectors", models.expansion.support_vectors()}}));
  const std::string vectors = std::to_string(models.expansion.support_vectors());
  const auto has = [](const std::string& text, const std::string& line) {
    return text.find("\n" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has(kernel.text, "kernel        rbf, gamma 0.25; " + vectors + " support vectors"));
  EXPECT_TRUE(has(products.text, "kernel        polynomial, scale 1, offset 1, degree 3; " +
                                     vectors + " support vectors"));
  EXPECT_TRUE(has(vote.text,
                  "votes         of " + std::to_string(voting) + " weight vectors, with " +
                      std::to_string(models.voted->vote()->changes()) + " changes between them"));
}

TEST(SpecialModels, AreNotExplained) {
  const Models models(4);
  for (const auto& [model, word] :
       {std::pair(models.voted, "voted perceptron"), std::pair(models.rbf, "kernel")}) {
    const TagPlan plan(*model);
    try {
      const Explainer explainer(plan);
      ADD_FAILURE();
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace croft::special_models_test
