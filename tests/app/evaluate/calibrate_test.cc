// Calibrated models against an enumeration of all labellings, whose scores are divided by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/label/tagger.h"
#include "core/json.h"
#include "model/calibration.h"
#include "model/kinds/model_file.h"
#include "support/enumeration.h"
#include "support/small_model.h"

namespace croft::calibrate_test {
namespace {

using testing_support::Enumeration;
using testing_support::Labelling;
using testing_support::random_model;
using testing_support::random_text;
using testing_support::SmallModel;

std::shared_ptr<const SequenceModel> at_temperature(const SequenceModel& model, double t) {
  Calibrator calibrator;
  calibrator.temperature = t;
  const ContainerWriter file = with_calibration(model.container(), calibrator, Json::object());
  return read_model(Container::from_bytes(file.bytes(), "calibrated.croft"));
}

// p_T of (CA.1) from the scores of every labelling.
std::vector<double> tempered(const Enumeration& all, double t) {
  double largest = all.entries[0].score, sum = 0;
  std::vector<double> p;
  for (const auto& entry : all.entries) {
    p.push_back(std::exp((entry.score - largest) / t));
    sum += p.back();
  }
  for (double& each : p) each /= sum;
  return p;
}

TEST(Calibrate, ATemperatureDividesTheScoresOfWholeLabellings) {
  Random random(1);
  for (const SmallModel& how : {SmallModel{.labels = {"A", "B", "C"}},
                                SmallModel{.labels = {"A", "B", "C"}, .overlays = true},
                                SmallModel{.labels = {"A", "B", "C"}, .order = 2},
                                SmallModel{.labels = {"A", "B"}, .overlays = true, .order = 3}}) {
    for (int trial = 0; trial < 8; ++trial) {
      const ChainModel model = random_model(how, random);
      const TextSequence text = random_text(how, 1 + trial % 4, random);
      const double t = 0.3 + 3 * random.uniform();
      const auto calibrated = at_temperature(model, t);
      const Enumeration all(model, text, [](const Labelling&) { return true; });
      const std::vector<double> p = tempered(all, t);
      Tagger tagger(*calibrated), plain(model);
      const Tagging& tagging = tagger.tag(text, {.probability = true, .marginals = true});
      EXPECT_NEAR(std::exp(tagging.log_probability), p[0], 1e-9);
      for (std::size_t k = 0; k < text.length(); ++k) {
        for (Label j = 0; j < how.labels.size(); ++j) {
          double expected = 0;
          for (std::size_t n = 0; n < p.size(); ++n) {
            if (all.entries[n].y[k] == j) expected += p[n];
          }
          EXPECT_NEAR(tagging.marginals(k, j), expected, 1e-9);
        }
      }
      EXPECT_EQ(tagger.tag(text, {}).y, plain.tag(text, {}).y);
    }
  }
}

TEST(Calibrate, APlanWithoutItHasTheModelAsItIs) {
  Random random(2);
  const SmallModel how{.labels = {"A", "B", "C"}};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 4, random);
  const auto calibrated = at_temperature(model, 3);
  TagRequest own;
  own.calibrated = false;
  const TagPlan plan(*calibrated, own);
  Tagger tagger(plan), plain(model);
  EXPECT_EQ(tagger.tag(text, {.probability = true}).log_probability,
            plain.tag(text, {.probability = true}).log_probability);
}

TEST(Calibrate, AMaskIsPutOnCalibratedScores) {
  Random random(3);
  const SmallModel how{.labels = {"A", "B", "C"}};
  const ChainModel model = random_model(how, random);
  const TextSequence text = random_text(how, 4, random);
  const auto calibrated = at_temperature(model, 2.5);
  TagRequest request;
  request.constraint.emplace(3);
  for (std::size_t j = 0; j < 3; ++j) request.constraint->edge[3 * j + j] = false;
  const auto allowed = [](const Labelling& y) { return std::ranges::adjacent_find(y) == y.end(); };
  const Enumeration all(model, text, allowed);
  const TagPlan plan(*calibrated, request);
  Tagger tagger(plan);
  const Tagging& tagging = tagger.tag(text, {.probability = true});
  EXPECT_NEAR(std::exp(tagging.log_probability), tempered(all, 2.5)[0], 1e-9);
}

}  // namespace
}  // namespace croft::calibrate_test
