// Chains of other programs as Croft models, and back.
#include "model/foreign/foreign_chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "app/label/tagger.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "model/foreign/open_model_file.h"
#include "model/kinds/model_file.h"
#include "support/all_sequences.h"
#include "support/foreign_chains.h"
#include "support/small_model.h"

namespace croft::foreign_chain_test {
namespace {

using testing_support::foreign_score;
using testing_support::random_foreign_chain;
using testing_support::random_foreign_text;

ChainModel model_of(const ForeignChain& chain) {
  return ChainModel(
      Container::from_bytes(make_foreign_model(chain, "CRFsuite", "dir/m.crfsuite").bytes(), "m"));
}

std::string fault_of(const ForeignChain& chain) {
  return message_of<InputError>([&] { make_foreign_model(chain, "CRFsuite", "m.crfsuite"); });
}

TEST(ForeignChain, AllLabellingsHaveTheProbabilitiesOfTheWeightsInDoublePrecision) {
  Random random(1);
  for (int n = 0; n < 30; ++n) {
    const std::size_t labels = 1 + random.below(4), length = 1 + random.below(4);
    const ForeignChain chain = random_foreign_chain(labels, 5, random);
    const TextSequence text = random_foreign_text(length, 5, random);
    double z = 0, best = -std::numeric_limits<double>::infinity();
    std::vector<Label> best_y;
    Matrix<double> mu(length, labels, 0.0);
    testing_support::for_each_sequence(labels, length, [&](const std::vector<Label>& y) {
      const double score = foreign_score(chain, text, y), p = std::exp(score);
      z += p;
      for (std::size_t t = 0; t < length; ++t) mu(t, y[t]) += p;
      if (score > best) {
        best = score;
        best_y = y;
      }
    });
    const ChainModel model = model_of(chain);
    Tagger tagger(model);
    const Tagging& tagging =
        tagger.tag(text, {.probability = true, .score = true, .marginals = true});
    EXPECT_EQ(tagging.y, best_y);
    EXPECT_NEAR(tagging.score, best, 1e-12);
    EXPECT_NEAR(tagging.log_partition, std::log(z), 1e-12);
    EXPECT_NEAR(tagging.log_probability, best - std::log(z), 1e-12);
    for (std::size_t t = 0; t < length; ++t) {
      for (Label j = 0; j < labels; ++j) {
        EXPECT_NEAR(tagging.marginals(t, j), mu(t, j) / z, 1e-12);
      }
    }
  }
}

TEST(ForeignChain, WeightsComeBackWith48Bits) {
  Random random(2);
  const ForeignChain chain = random_foreign_chain(4, 50, random);
  const ForeignChain back = foreign_chain(model_of(chain));
  EXPECT_EQ(back.labels, chain.labels);
  const auto expect_equal = [](const ForeignRows& a, const ForeignRows& b) {
    const auto from = testing_support::weights_by_name(a), to = testing_support::weights_by_name(b);
    ASSERT_EQ(from.size(), to.size());
    for (const auto& [key, weight] : from) {
      EXPECT_NEAR(to.at(key), weight, std::abs(weight) * 0x1p-47) << key.first;
    }
  };
  expect_equal(chain.node, back.node);
  expect_equal(chain.tied, back.tied);
}

TEST(ForeignChain, WeightsThatSinglePrecisionHoldsHaveNoRests) {
  ForeignChain chain;
  chain.extraction.format = InputFormat::attributes;
  chain.labels = {"A", "B"};
  chain.node.add(0, 0.5);
  chain.node.add(1, -3);
  chain.node.end_row("x");
  chain.tied.end_row("");
  const ChainModel model = model_of(chain);
  for (const Container::Entry& entry : model.container().entries()) {
    EXPECT_FALSE(entry.name.ends_with(".rests")) << entry.name;
  }
}

TEST(ForeignChain, TheRecordSaysTheProgramAndTheFile) {
  Random random(3);
  const Json record = model_of(random_foreign_chain(2, 2, random)).meta().at("training");
  EXPECT_EQ(record.at("program").string(), "CRFsuite");
  EXPECT_EQ(record.at("file").string(), "m.crfsuite");
}

TEST(ForeignChain, WhatNoModelHasIsAnErrorThatSaysIt) {
  Random random(4);
  const ForeignChain good = random_foreign_chain(2, 3, random);
  EXPECT_EQ(fault_of(good), "no error");
  const auto expect_error = [&](const std::string& what, const auto& damage) {
    ForeignChain chain = good;
    damage(chain);
    const std::string message = fault_of(chain);
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("m.crfsuite: ")) << message;
  };
  expect_error("no labels", [](ForeignChain& c) { c.labels.clear(); });
  expect_error("\"L0\" is there twice", [](ForeignChain& c) { c.labels[1] = "L0"; });
  expect_error("\"a1\" is there twice", [](ForeignChain& c) {
    c.node.add(0, 1);
    c.node.end_row("a1");
    c.node.add(0, 1);
    c.node.end_row("a1");
  });
  expect_error("is no finite number", [](ForeignChain& c) { c.node.weight[0] = std::nan(""); });
  expect_error("is no finite number", [](ForeignChain& c) { c.tied.weight[0] = 1e39; });
  expect_error("not one for each label", [](ForeignChain& c) { c.node.cell[0] = 2; });
}

TEST(ForeignChain, WhatNoOtherProgramHasIsRefused) {
  Random random(5);
  const auto refused = [](const ChainModel& model) {
    return message_of<UsageError>([&] { foreign_chain(model); });
  };
  EXPECT_EQ(refused(testing_support::random_model({.labels = {"A", "B"}}, random)), "no error");
  const std::string order =
      refused(testing_support::random_model({.labels = {"A", "B"}, .order = 2}, random));
  EXPECT_NE(order.find("small.croft: the model has weights of three labels"), std::string::npos)
      << order;
}

// A file of either origin, by its content alone.
TEST(ForeignChain, AFileIsOpenedByItsContent) {
  Random random(6);
  const ForeignChain chain = random_foreign_chain(3, 4, random);
  const auto path = std::filesystem::temp_directory_path() / "croft_foreign_chain_test";
  const auto write = [&](std::string_view bytes) {
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  write(write_crfsuite(chain, "m"));
  ASSERT_NE(foreign_format_of_file(path), nullptr);
  EXPECT_EQ(foreign_format_of_file(path)->program, "CRFsuite");
  const auto opened = open_model(path);
  EXPECT_EQ(opened->kind(), "chain");
  const auto own = opened->container().bytes();
  const std::vector<std::byte> bytes(own.begin(), own.end());
  write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  EXPECT_EQ(foreign_format_of_file(path), nullptr);
  EXPECT_EQ(open_model_file(path).entries().size(), opened->container().entries().size());
  EXPECT_EQ(model_file_of(bytes, "m").entries().size(), opened->container().entries().size());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace croft::foreign_chain_test
