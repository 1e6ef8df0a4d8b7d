// Models that are damaged on purpose, with good checksums: opening one says what is wrong, or it
// can be used; nothing crashes, and nothing but an Error is thrown.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "croft/core/error.h"
#include "support/model_sections.h"
#include "support/use_model.h"

namespace croft::damaged_model_test {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;

const std::string kName = "damaged.croft";

std::map<std::string, ModelSections> seeds() {
  std::map<std::string, ModelSections> all;
  for (const auto& entry :
       fs::directory_iterator(CROFT_SOURCE_DIR "/fuzz/corpus/fuzz_models_by_structure")) {
    all.emplace(entry.path().filename(), ModelSections(Container::open(entry.path())));
  }
  return all;
}

std::shared_ptr<const StoredModel> read(const ModelSections& model) {
  return read_stored_model(Container::from_bytes(model.bytes(), kName));
}

// What is said of a file that cannot be opened; "opened" of one that can.
std::string opening(const ModelSections& model) {
  try {
    read(model);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

ModelSections changed(const std::string& seed, const std::function<void(ModelSections&)>& change) {
  ModelSections model = seeds().at(seed);
  change(model);
  return model;
}

void expect_damage(const std::string& seed, const std::function<void(ModelSections&)>& change,
                   const std::string& what) {
  EXPECT_EQ(opening(changed(seed, change)),
            kName + ": section " + what + "; restore the file from a copy or train again");
}

// Opens it, and asks all that there is to ask if that goes.
void try_out(const ModelSections& model, ModelUse& use, const std::string& what) {
  try {
    use.use(read(model));
  } catch (const Error& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with(kName)) << what << ": " << error.what();
  }
}

TEST(DamagedModels, EveryKindHasASeedThatAnswers) {
  const TokenFile tokens;
  std::set<std::string> kinds;
  for (const auto& [name, model] : seeds()) {
    ModelUse use({tokens.path()});
    const auto opened = read(model);
    use.use(opened);
    kinds.insert(opened->kind());
    EXPECT_GE(use.answers(), 5u) << name << ": " << use.last_error();
  }
  for (const ModelKind& kind : model_kinds()) EXPECT_TRUE(kinds.contains(std::string(kind.name)));
}

TEST(DamagedModels, EveryValueOfTheirRecordsMayBeAnyOther) {
  const TokenFile tokens;
  ModelUse use({tokens.path()});
  for (const auto& [name, sound] : seeds()) {
    for (std::size_t s = 0; s < sound.sections.size(); ++s) {
      const std::optional<Json> json = sound.sections[s].json();
      if (!json) continue;
      Json all = *json;
      for (std::size_t p = 0, places = places_of(all).size(); p < places; ++p) {
        // The training record is for people: a few values, others for each place.
        const bool for_people = places_of(all)[p].path.starts_with("training.");
        for (std::size_t v = 0; v <= hostile_values().size(); ++v) {
          if (for_people && v % 9 != p % 9) continue;
          Json other = *json;
          const JsonPlace at = places_of(other)[p];
          if (v < hostile_values().size()) {
            *at.value = Json(hostile_values()[v]);
          } else if (!at.key.empty()) {
            at.parent->erase(at.key);
          }
          ModelSections model = sound;
          model.sections[s].set_json(other);
          try_out(model, use, name + " " + at.path + " value " + std::to_string(v));
        }
      }
    }
  }
  EXPECT_GT(use.answers(), 5'000u);  // most do no harm
}

TEST(DamagedModels, AnySectionMayBeOfAnotherSizeOrGone) {
  const TokenFile tokens;
  ModelUse use({tokens.path()});
  for (const auto& [name, sound] : seeds()) {
    for (std::size_t s = 0; s < sound.sections.size(); ++s) {
      const std::size_t size = sound.sections[s].bytes.size();
      for (const std::size_t other : {std::size_t{0}, size / 2, size - 1, size + 1, 2 * size}) {
        if (other > 2 * size) continue;  // size - 1 of nothing
        ModelSections model = sound;
        model.sections[s].bytes.resize(other);
        try_out(model, use, name + " " + sound.sections[s].name);
      }
      ModelSections model = sound;
      model.sections.erase(model.sections.begin() + static_cast<std::ptrdiff_t>(s));
      try_out(model, use, name + " without " + sound.sections[s].name);
    }
  }
}

TEST(DamagedModels, AnyNumberMayBeAnyOther) {
  const TokenFile tokens;
  ModelUse use({tokens.path()});
  Random random(1);
  for (const auto& [name, sound] : seeds()) {
    for (std::size_t n = 0; n < 100; ++n) {
      ModelSections model = sound;
      for (std::size_t k = random.below(3) + 1; k-- > 0;) damage(model, random);
      try_out(model, use, name + " change " + std::to_string(n));
    }
  }
}

TEST(DamagedModels, AModelHasALabelAndEachLabelOnce) {
  for (const auto& [name, sound] : seeds()) {
    if (!sound.has("labels")) continue;
    ModelSections model = sound;
    model["labels"].set_numbers(std::vector<std::uint32_t>{0});
    EXPECT_EQ(opening(model), kName +
                                  ": section labels is damaged: there are none; restore the "
                                  "file from a copy or train again")
        << name;
    std::vector<std::string> labels =
        unpack_strings(Container::from_bytes(sound.bytes(), kName), "labels");
    labels.back() = labels.front();
    model["labels"].bytes = pack_strings(labels);
    EXPECT_EQ(opening(model).find(kName + ": section labels is damaged: one is there twice"), 0u)
        << name;
  }
}

TEST(DamagedModels, ANumberOutOfItsRangeIsNamedWithItsKey) {
  const auto set = [](const char* path, const Json& value, const char* section = "meta") {
    return [=](ModelSections& model) { model.set_value(path, value, section); };
  };
  expect_damage(
      "chain-boundaries", set("extraction.columns", -1),
      "meta is damaged: extraction.columns is -1, and a whole number from 0 to 1048576 was "
      "expected");
  expect_damage(
      "chain-boundaries", set("extraction.columns", 1e18),
      "meta is damaged: extraction.columns is 1e+18, and a whole number from 0 to 1048576 "
      "was expected");
  expect_damage("chain-boundaries", set("kind", 3),
                "meta is damaged: kind is 3, and a text was expected");
  expect_damage("chain-order", set("order", 9),
                "meta is damaged: order is 9, and a whole number from 2 to 8 was expected");
  expect_damage("hmm", set("suffix", "two"),
                "meta is damaged: suffix is \"two\", and a whole number from 0 to 64 was expected");
  expect_damage(
      "error-correcting", set("decoder", "guess"),
      "meta is damaged: decoder is \"guess\", and product, marginal, distance or bits was "
      "expected");
  expect_damage(
      "naive-bayes", set("naive_bayes.alpha", -0.5),
      "meta is damaged: naive_bayes.alpha is -0.5, and a number of 0 or more was expected");
  expect_damage("boosted-maxent", set("rounds", Json::array()),
                "meta is damaged: rounds is a list, and a whole number from 0 to 4294967296 was "
                "expected");
  expect_damage(
      "graph", set("graph.templates[1].domains[0]", 7),
      "meta is damaged: graph.templates[1].domains[0] is 7, and a whole number from 0 to 0 "
      "was expected");
  expect_damage(
      "graph", set("graph.domains[0].labels", Json::array()),
      "meta is damaged: graph.domains[0].labels is a list, and a list of one at least was "
      "expected");
  expect_damage("graph", set("training", "none"),
                "meta is damaged: training is \"none\", and an object was expected");
  expect_damage(
      "maxent-csv", set("extraction.csv.columns[0].deviation", 0),
      "meta is damaged: extraction.csv.columns[0].deviation is 0, and a number above 0 was "
      "expected");
  expect_damage("maxent-isotonic", set("functions", Json::array(), "calibration"),
                "calibration is damaged: its numbers are out of range, or not those of the labels");
  expect_damage("chain-temperature", set("temperature", 1e-200, "calibration"),
                "calibration is damaged: its numbers are out of range, or not those of the labels");
  expect_damage(
      "maxent-text", set("extraction.text.max_documents", 18446744073709551615u),
      "meta is damaged: extraction.text.max_documents is 18446744073709551615, and a whole "
      "number from 0 to 9007199254740992 was expected");
  expect_damage("chain-kit", set("features[0].at", 1, "kit"),
                "kit is damaged: features[0].at is 1, and a list was expected");
  expect_damage(
      "maxent-text", [](ModelSections& model) { model["meta"].set_text("[1, 2"); },
      "meta is damaged: its content is null, and an object was expected");
}

TEST(DamagedModels, TablesOfSegmentsFitTheLabels) {
  const std::string expected =
      "meta is damaged: segments.labels is a list, and a label of segments for each of the labels "
      "was expected";
  for (const char* const seed : {"segment", "boosted-segment"}) {
    // A column label that no label of segments has.
    expect_damage(
        seed,
        [](ModelSections& model) {
          Json meta = *model["meta"].json();
          Json fewer = Json::array();
          const Json& labels = meta["segments"]["labels"];
          for (std::size_t k = 1; k < labels.size(); ++k) fewer.push_back(labels[k]);
          model.set_value("segments.labels", fewer);
        },
        expected);
    expect_damage(
        seed, [](ModelSections& model) { model.set_value("segments.labels", Json::array()); },
        expected);
    EXPECT_NE(opening(changed(seed,
                              [](ModelSections& model) {
                                model.set_value("segments.labels[0].first", 40);
                              }))
                  .find("segments.labels[0].first is 40, and a whole number from 0 to "),
              std::string::npos);
  }
}

// Cells 0 and 1 of the lexicon are no members of a list.
TEST(DamagedModels, CellsOfALexiconThatAreNoListsAreNoMembers) {
  const ModelSections model = changed("segment", [](ModelSections& each) {
    for (std::byte& cell : each["lexicon.cells"].bytes) cell = std::byte{0};
  });
  ModelUse use;
  use.use(read(model));
  EXPECT_GE(use.answers(), 6u);
}

TEST(DamagedModels, HistoriesHaveARunOfOneLabelAndAnOrder) {
  expect_damage(
      "chain-order",
      [](ModelSections& model) {
        model["histories"].set_numbers(std::vector<std::uint32_t>{1, 2, 0, 0});
        model["grams"].set_numbers(std::vector<std::uint32_t>{0});
        model["grams.weights"].bytes.clear();
      },
      "histories is damaged: none is of one label");
  expect_damage(
      "chain-order",
      [](ModelSections& model) {
        Json meta = *model["meta"].json();
        meta.erase("order");
        model["meta"].set_json(meta);
      },
      "histories is damaged: meta has no order");
}

// Labels all, with and without the questions that sum.
void label_all(const ModelSections& model) {
  const auto opened = read(model);
  const auto& sequences = dynamic_cast<const SequenceModel&>(*opened);
  SequenceSource source(LineReader(labelled_text(sequences.extractor().config()), "text"),
                        sequences, Labels::optional, std::nullopt);
  Tagger tagger(sequences);
  for_each_sequence(source, [&](InputSequence& each) {
    tagger.tag(each.text, {});
    if (!sequences.has_probabilities()) return;
    const Tagging& tagging = tagger.tag(each.text, {.marginals = true});
    EXPECT_TRUE(std::isfinite(tagging.log_partition));
    for (std::size_t t = 0; tagging.outcome.found && t < tagging.marginals.rows(); ++t) {
      const auto of_labels = tagging.marginals[t];
      EXPECT_NEAR(std::accumulate(of_labels.begin(), of_labels.end(), 0.0), 1, 1e-3);
    }
  });
}

TEST(DamagedModels, WeightsThatAreNoNumbersAreSaidBeforeAnythingDecodes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::size_t said = 0;
  for (const auto& [name, sound] : seeds()) {
    for (const std::string section :
         {"node.weights", "edge.weights", "tied.weights", "segment.weights", "pair.weights",
          "joint.weights", "kernel.coefficients"}) {
      // Only the last of the vectors that vote; and a segment may be impossible.
      if (!sound.has(section) || name == "chain-votes") continue;
      const bool may_forbid = section == "segment.weights" || section == "pair.weights";
      for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
        ModelSections model = sound;
        std::vector<float> weights = model[section].numbers<float>();
        if (weights.empty() || (may_forbid && bad == -kInfinity)) continue;
        std::ranges::fill(weights, static_cast<float>(bad));
        model[section].set_numbers(weights);
        try {
          label_all(model);
          ADD_FAILURE() << name << " " << section << " " << bad;
        } catch (const Error& error) {
          ++said;
          const std::string what = error.what();
          EXPECT_TRUE(what.starts_with(kName + ": the scores of ") ||
                      what.starts_with(kName + ": section tied.weights is damaged: "))
              << name << " " << section << ": " << what;
        }
      }
    }
  }
  EXPECT_GT(said, 50u);
}

// Whatever is answered has probabilities that sum to 1, or it is an error.
TEST(DamagedModels, ScoresThatCannotBeAddedUpAreSaid) {
  std::size_t said = 0;
  for (const auto& [name, sound] : seeds()) {
    for (const std::string section :
         {"node.weights", "edge.weights", "tied.weights", "grams.weights", "segment.weights",
          "pair.weights", "joint.weights", "base", "transitions", "prior", "constant"}) {
      if (!sound.has(section)) continue;
      const bool in_double = section.find('.') == section.npos;
      ModelSections model = sound;
      if (in_double) {
        model[section].set_numbers(
            std::vector<double>(model[section].numbers<double>().size(), 2e307));
      } else {
        model[section].set_numbers(
            std::vector<float>(model[section].numbers<float>().size(), 3e38F));
      }
      try {
        label_all(model);
      } catch (const Error& error) {
        ++said;
        EXPECT_TRUE(std::string_view(error.what()).starts_with(kName)) << error.what();
      }
    }
  }
  EXPECT_GT(said, 30u);
}

TEST(DamagedModels, ThePriorOfNaiveBayesIsNumbers) {
  for (const char* section : {"prior", "constant"}) {
    expect_damage(
        "naive-bayes",
        [&](ModelSections& model) {
          std::vector<double> numbers = model[section].numbers<double>();
          numbers.at(0) = std::nan("");
          model[section].set_numbers(numbers);
        },
        std::string(section) + " is damaged");
  }
}

TEST(DamagedModels, WeightsOfAGraphThatAreNoNumbersAreSaid) {
  const TokenFile tokens;
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const ModelSections model = changed("graph", [&](ModelSections& each) {
      std::vector<float> weights = each["template0.weights"].numbers<float>();
      std::ranges::fill(weights, static_cast<float>(bad));
      each["template0.weights"].set_numbers(weights);
    });
    ModelUse use({tokens.path()});
    use.use(read(model));
    EXPECT_NE(use.last_error().find(kName + ": the scores of a clique of the template \"word\" are "
                                            "no finite numbers"),
              std::string::npos)
        << use.last_error();
  }
}

}  // namespace
}  // namespace croft::damaged_model_test
