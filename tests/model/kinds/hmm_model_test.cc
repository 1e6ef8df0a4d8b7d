// Scores, likelihoods and unknown values of a hidden Markov model.
#include "model/kinds/hmm_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/brute_force.h"
#include "croft/inference/chain_sum.h"
#include "model/kinds/model_file.h"
#include "support/naive_hmm.h"
#include "train/kinds/hmm_training.h"

namespace croft::hmm_model_test {
namespace {

using testing_support::HmmSequence;
using testing_support::random_hmm_data;

constexpr std::size_t kLabels = 3;

ExtractionConfig attributes() {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  return config;
}

struct Trained {
  Extractor extractor{attributes()};
  HmmTraining training{extractor};
  std::shared_ptr<const HmmModel> model;

  void run(const HmmOptions& options) {
    training.run(options);
    const auto bytes = training.model(Json::object()).bytes();
    model = std::make_shared<const HmmModel>(Container::from_bytes(bytes, "test.croft"));
  }
};

std::unique_ptr<Trained> trained(const std::vector<HmmSequence>& data, const HmmOptions& options) {
  auto out = std::make_unique<Trained>();
  out->training.read_partial_labels({});
  for (const HmmSequence& x : data) out->training.add(testing_support::to_text(x, kLabels));
  out->run(options);
  return out;
}

TextSequence sequence_of(const std::vector<std::string>& attributes) {
  TextSequence text;
  for (const std::string& attribute : attributes) {
    text.node.append(attribute);
    text.node.end_list();
  }
  return text;
}

double log_p(const HmmModel& model, const TextSequence& text) {
  SequenceModel::Scratch scratch;
  ChainScores<double> scores;
  model.score(text, scratch, scores);
  ForwardBackwardWorkspace<double> work;
  return log_partition(scores, work);
}

std::unique_ptr<Trained> suffix_model(std::size_t letters) {
  auto out = std::make_unique<Trained>();
  const std::vector<std::pair<std::string, std::string>> words = {
      {"the", "D"},     {"a", "D"},      {"dog", "N"},     {"walking", "V"}, {"talking", "V"},
      {"singing", "V"}, {"king", "N"},   {"houses", "N"},  {"horses", "N"},  {"nation", "N"},
      {"station", "N"}, {"slowly", "R"}, {"quickly", "R"}, {"fly", "V"},     {"naïve", "J"},
      {"olive", "J"},   {"étude", "N"},  {"prélude", "N"}, {"the", "D"},     {"of", "P"}};
  TextSequence text;
  for (const auto& [word, label] : words) {
    text.node.append("w=" + word);
    text.node.append(label == "N" ? "n" : "other");
    text.node.end_list();
    text.labels.append(label);
  }
  text.labels.end_list();
  out->training.add(text);
  HmmOptions options;
  options.smoothing.emission = 0.1;
  options.unknown = {.rare = 1, .suffix = letters};
  out->run(options);
  return out;
}

TEST(HmmModel, LogZIsTheLogProbabilityOfTheObservations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const auto data = random_hmm_data({.labels = kLabels}, random);
    HmmOptions options;
    options.smoothing = {.emission = 0.3, .transition = 0.2, .end = seed % 2 == 0};
    const auto hmm = trained(data, options);
    // Read back through the model file, and summed by definition.
    testing_support::NaiveHmm naive;
    naive.labels = hmm->model->labels();
    naive.has_end = options.smoothing.end;
    std::vector<double> row(naive.labels);
    for (Label i = 0; i < naive.labels; ++i) {
      naive.start[i] = std::exp(hmm->model->start()[i]);
      if (naive.has_end) naive.end[i] = std::exp(hmm->model->end()[i]);
      for (Label j = 0; j < naive.labels; ++j) {
        naive.transition[{i, j}] = std::exp(hmm->model->transitions<double>().at(i, j));
      }
    }
    for (const std::string& value : values_of(data)) {
      ASSERT_TRUE(hmm->model->log_emission(value, row));
      for (Label j = 0; j < naive.labels; ++j) naive.emission[{value, j}] = std::exp(row[j]);
    }
    for (const HmmSequence& x : data) {
      double sum = 0;
      testing_support::for_each_sequence(
          naive.labels, x.positions.size(),
          [&](const std::vector<Label>& y) { sum += naive.joint(x, y); });
      EXPECT_NEAR(log_p(*hmm->model, testing_support::to_text(x, kLabels)), std::log(sum), 1e-11);
    }
  }
}

// Over all sequences of a length, an unknown value being one of the outcomes.
TEST(HmmModel, ProbabilitiesOfAllObservationsSumToOne) {
  Random random(3);
  std::vector<HmmSequence> data = random_hmm_data({.labels = kLabels, .sequences = 8}, random);
  for (HmmSequence& x : data) {
    for (auto& position : x.positions) position.seen.resize(1);  // the nameless track alone
  }
  const auto hmm = trained(data, {});
  std::vector<std::string> values{"never seen"};
  for (std::uint32_t v = 0; v < hmm->model->values(); ++v) values.push_back(hmm->model->value(v));
  double sum = 0;
  testing_support::for_each_sequence(values.size(), 3, [&](const std::vector<Label>& x) {
    sum += std::exp(log_p(*hmm->model, sequence_of({values[x[0]], values[x[1]], values[x[2]]})));
  });
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(HmmModel, WithEndsTheProbabilitiesOfAllLengthsSumToOne) {
  Random random(4);
  const auto data = random_hmm_data({.labels = kLabels, .complete = 1}, random);
  HmmOptions options;
  options.smoothing = {.emission = 0.1, .transition = 0.1, .end = true};
  const auto hmm = trained(data, options);
  double sum = 0;
  for (std::size_t length = 1; length < 200; ++length) {
    TextSequence nothing;  // positions without observations: the labels alone
    for (std::size_t t = 0; t < length; ++t) nothing.node.end_list();
    sum += std::exp(log_p(*hmm->model, nothing));
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(HmmModel, KnownValuesAndClassesOfUnknownOnesSumToOneForEachLabel) {
  for (const std::size_t letters : {0, 1, 3, 5}) {
    const auto hmm = suffix_model(letters);
    const HmmParameters p = hmm->model->parameters();
    for (std::size_t k = 0; k < p.tracks.size(); ++k) {
      for (Label j = 0; j < p.labels; ++j) {
        double known = 0, classes = 0;
        bool any = false;
        std::vector<double> row(p.labels);
        for (std::size_t v = 0; v < p.values(); ++v) {
          if (p.track[v] != k) continue;
          ASSERT_TRUE(hmm->model->log_emission(p.value[v], row));
          known += std::exp(row[j]);
        }
        for (std::size_t s = 0; s < p.suffix.size(); ++s) {
          if (track_of(p.suffix[s]) != p.tracks[k]) continue;
          any = true;
          classes += std::exp(p.suffix_log(s, j));
        }
        EXPECT_NEAR(known + std::exp(p.unknown(k, j)), 1, 1e-12);
        if (!any) continue;
        EXPECT_NEAR(classes, std::exp(p.unknown(k, j)), 1e-12);
      }
    }
    EXPECT_EQ(p.suffix.empty(), letters == 0);
  }
}

TEST(HmmModel, AnUnknownWordIsJudgedByItsLongestKnownSuffix) {
  const auto hmm = suffix_model(3);
  const HmmModel& model = *hmm->model;
  const HmmParameters p = model.parameters();
  const auto class_row = [&](const std::string& suffix) {
    const auto at = std::ranges::find(p.suffix, "w=" + suffix);
    EXPECT_NE(at, p.suffix.end()) << suffix;
    const auto s = static_cast<std::size_t>(at - p.suffix.begin());
    return std::vector<double>(p.suffix_log[s].begin(), p.suffix_log[s].end());
  };
  const auto row = [&](const std::string& attribute) {
    std::vector<double> out(model.labels());
    EXPECT_TRUE(model.log_emission(attribute, out));
    return out;
  };
  EXPECT_EQ(row("w=jumping"), class_row("ing"));  // four rare words end in it
  EXPECT_EQ(row("w=relation"), class_row("ion"));
  EXPECT_EQ(row("w=g"), class_row("g"));
  EXPECT_EQ(row("w=ably"), class_row("ly"));  // "bly" is not known
  EXPECT_EQ(row("w=xyz"), class_row(""));
  EXPECT_EQ(row("w="), class_row(""));
  EXPECT_EQ(row("w=intérlude"), class_row("ude"));
  // What a suffix says of labels: V rather than N for -ing, though N is the more frequent.
  std::map<std::string, Label> number;
  for (Label y = 0; y < model.labels(); ++y) number[model.label(y)] = y;
  EXPECT_GT(row("w=jumping")[number["V"]], row("w=jumping")[number["N"]]);
  EXPECT_GT(row("w=relation")[number["N"]], row("w=relation")[number["V"]]);
  // A known word keeps its own counts.
  EXPECT_GT(row("w=king")[number["N"]], row("w=king")[number["V"]]);
}

TEST(HmmModel, ALetterOfASuffixIsACharacterUnlessTheValueIsNoUtf8) {
  std::vector<std::size_t> begins;
  suffix_begins("w=naïve", 3, begins);
  EXPECT_EQ(begins, (std::vector<std::size_t>{7, 6, 4}));
  suffix_begins("w=a\xff\xafz", 3, begins);
  EXPECT_EQ(begins, (std::vector<std::size_t>{5, 4, 3}));
  suffix_begins("w=ab", 3, begins);
  EXPECT_EQ(begins, (std::vector<std::size_t>{3, 2}));
  suffix_begins("ab", 1, begins);
  EXPECT_EQ(begins, (std::vector<std::size_t>{1}));
  suffix_begins("w=", 3, begins);
  EXPECT_TRUE(begins.empty());
}

TEST(HmmModel, FloatScoresAreTheDoubleOnesShiftedAtEachPosition) {
  Random random(9);
  const auto data = random_hmm_data({.labels = kLabels}, random);
  const auto hmm = trained(data, {});
  SequenceModel::Scratch scratch;
  ChainScores<double> wide;
  ChainScores<float> narrow;
  for (const HmmSequence& x : data) {
    const TextSequence text = testing_support::to_text(x, kLabels);
    hmm->model->score(text, scratch, wide);
    hmm->model->score(text, scratch, narrow);
    for (std::size_t t = 0; t < text.length(); ++t) {
      const double most = *std::ranges::max_element(wide.state[t]);
      for (Label j = 0; j < wide.labels(); ++j) {
        EXPECT_FLOAT_EQ(narrow.state(t, j), static_cast<float>(wide.state(t, j) - most));
      }
    }
  }
}

TEST(HmmModel, AnAttributeOfAnotherTrackCountsForNothing) {
  Random random(10);
  const auto data = random_hmm_data({.labels = kLabels}, random);
  const auto hmm = trained(data, {});
  TextSequence with = sequence_of({"w1", "w2"}), without = with;
  with.node.clear();
  for (const char* word : {"w1", "w2"}) {
    with.node.append(word);
    with.node.append("other=3");
    with.node.end_list();
  }
  EXPECT_EQ(log_p(*hmm->model, with), log_p(*hmm->model, without));
}

TEST(HmmModel, AValueCountsOccurrencesAndMayNotBeNegative) {
  Random random(12);
  const auto data = random_hmm_data({.labels = kLabels}, random);
  const auto hmm = trained(data, {});
  TextSequence twice, valued, none, negative;
  twice.node.append("w1");
  twice.node.append("w1");
  valued.node.append("w1", 2);
  none.node.append("w1", 0);
  negative.node.append("w1", -1);
  for (TextSequence* text : {&twice, &valued, &none, &negative}) text->node.end_list();
  EXPECT_NEAR(log_p(*hmm->model, twice), log_p(*hmm->model, valued), 1e-12);
  EXPECT_NEAR(log_p(*hmm->model, none), 0, 1e-12);
  EXPECT_THROW(log_p(*hmm->model, negative), Error);
}

TEST(HmmModel, ItsParametersMakeTheSameFileAgain) {
  const auto hmm = suffix_model(3);
  const HmmModel& model = *hmm->model;
  std::vector<std::string> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  const auto again = make_hmm_model(model.parameters(), labels, model.extractor().config(),
                                    model.meta()["training"]);
  const std::vector<std::byte> bytes = again.bytes();
  EXPECT_TRUE(std::ranges::equal(bytes, model.container().bytes()));
}

TEST(HmmModel, IsOpenedByItsKind) {
  const auto hmm = suffix_model(2);
  const auto bytes = hmm->training.model(Json::object()).bytes();
  const auto model = read_model(Container::from_bytes(bytes, "test.croft"));
  EXPECT_EQ(model->kind(), "hmm");
  EXPECT_NE(dynamic_cast<const HmmModel*>(model.get()), nullptr);
}

}  // namespace
}  // namespace croft::hmm_model_test
