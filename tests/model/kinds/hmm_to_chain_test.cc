// The chain made of a hidden Markov model gives the same posteriors.
#include "model/kinds/hmm_to_chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/label/tagger.h"
#include "app/train/kind_requests.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "support/naive_hmm.h"

namespace croft::hmm_to_chain_test {
namespace {

using testing_support::HmmSequence;

// Columns or attribute sequences with labels, in memory.
struct Sentence {
  std::vector<std::vector<std::string>> rows;  // [T][columns]
  std::vector<std::string> labels;
};

ColumnSequence to_rows(const Sentence& sentence) {
  ColumnSequence rows;
  for (const auto& row : sentence.rows) {
    for (const std::string& cell : row) rows.append_cell(cell);
    rows.end_row();
  }
  return rows;
}

TextSequence extracted(const Extractor& extractor, const Sentence& sentence) {
  Extractor::Scratch scratch;
  TextSequence text;
  extractor.extract(to_rows(sentence), false, scratch, text);
  for (const std::string& label : sentence.labels) text.labels.append(label);
  text.labels.end_list();
  return text;
}

std::string random_word(Random& random) {
  static const std::vector<std::string> letters = {"a", "b", "é", "ß", "中", "x", ":", "="};
  std::string word;
  const auto length = 1 + random.below(5);
  for (std::size_t k = 0; k < length; ++k) word += letters[random.below(letters.size())];
  if (random.below(20) == 0) word += "\xff";  // no UTF-8
  return word;
}

Sentence random_sentence(std::size_t columns, std::size_t labels, Random& random) {
  Sentence sentence;
  const auto length = 1 + random.below(7);
  for (std::size_t t = 0; t < length; ++t) {
    auto& row = sentence.rows.emplace_back();
    for (std::size_t c = 0; c < columns; ++c) row.push_back(random_word(random));
    sentence.labels.push_back(testing_support::hmm_label(static_cast<Label>(random.below(labels))));
  }
  return sentence;
}

std::shared_ptr<const HmmModel> as_hmm(const HmmTraining& training) {
  return std::make_shared<const HmmModel>(
      Container::from_bytes(training.model(Json::object()).bytes(), "hmm.croft"));
}
std::shared_ptr<const ChainModel> as_chain(const HmmModel& hmm) {
  return std::make_shared<const ChainModel>(
      Container::from_bytes(hmm_to_chain(hmm).bytes(), "chain.croft"));
}

void expect_same_posteriors(const SequenceModel& hmm, const SequenceModel& chain,
                            const TextSequence& of_hmm, const TextSequence& of_chain) {
  Tagger a(hmm), b(chain);
  const TagOptions ask{.probability = true, .marginals = true, .edges = true};
  const Tagging& from = a.tag(of_hmm, ask);
  const Tagging& to = b.tag(of_chain, ask);
  ASSERT_EQ(from.outcome.found, to.outcome.found);
  if (!from.outcome.found) return;
  EXPECT_NEAR(from.log_probability, to.log_probability, 3e-5);
  for (std::size_t t = 0; t < of_hmm.length(); ++t) {
    for (Label j = 0; j < hmm.labels(); ++j) {
      EXPECT_NEAR(from.marginals(t, j), to.marginals(t, j), 1e-5);
    }
  }
}

// Known and unknown values, and suffixes of all lengths.
TEST(HmmToChain, OfColumnsThePosteriorIsTheSameWhateverIsObserved) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Random random(seed);
    const std::size_t columns = 1 + seed % 3, labels = 2 + seed % 3;
    const Extractor extractor(hmm_extraction(InputFormat::columns, columns));
    HmmTraining training(extractor);
    for (int n = 0; n < 25; ++n) {
      training.add(extracted(extractor, random_sentence(columns, labels, random)));
    }
    HmmOptions options;
    options.smoothing = {.emission = 0.2, .transition = 0.1, .end = seed % 2 == 0};
    options.unknown = {.rare = seed % 4 == 0 ? 0u : 2u, .suffix = seed % 4 < 2 ? 0 : seed % 5};
    training.run(options);
    const auto hmm = as_hmm(training);
    const auto chain = as_chain(*hmm);
    EXPECT_EQ(chain->kind(), "chain");
    for (int n = 0; n < 10; ++n) {
      const Sentence sentence = random_sentence(columns, labels, random);
      expect_same_posteriors(*hmm, *chain, extracted(hmm->extractor(), sentence),
                             extracted(chain->extractor(), sentence));
    }
  }
}

TEST(HmmToChain, OfAttributesItIsTheSameWhereAllOfThemAreKnown) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const auto data =
        testing_support::random_hmm_data({.labels = 3, .sequences = 15, .complete = 1}, random);
    ExtractionConfig config;
    config.format = InputFormat::attributes;
    const Extractor extractor(config);
    HmmTraining training(extractor);
    for (const HmmSequence& x : data) training.add(testing_support::to_text(x, 3));
    HmmOptions options;
    options.smoothing = {.emission = 0.2, .transition = 0.1, .end = seed % 2 == 0};
    options.unknown = {.rare = 1, .suffix = seed % 3};
    training.run(options);
    const auto hmm = as_hmm(training);
    const auto chain = as_chain(*hmm);
    Extractor::Scratch scratch;
    for (const HmmSequence& x : data) {
      const TextSequence text = testing_support::to_text(x, 3);
      TextSequence completed = text;
      chain->extractor().complete(completed, scratch);
      expect_same_posteriors(*hmm, *chain, text, completed);
    }
  }
}

TEST(HmmToChain, WhatCannotBeIsTheChainsConstraint) {
  const Extractor extractor(hmm_extraction(InputFormat::columns, 1));
  HmmTraining training(extractor);
  training.add(extracted(extractor, {{{"a"}, {"b"}, {"c"}}, {"A", "B", "A"}}));
  training.add(extracted(extractor, {{{"b"}, {"a"}}, {"A", "B"}}));
  HmmOptions options;
  options.smoothing = {.emission = 0.1, .transition = 0, .end = true};
  training.run(options);
  const auto hmm = as_hmm(training);
  const auto chain = as_chain(*hmm);
  ASSERT_TRUE(chain->constraint().has_value());
  EXPECT_TRUE(chain->constraint()->allows(0, 1));
  EXPECT_FALSE(chain->constraint()->allows(0, 0));
  EXPECT_FALSE(chain->constraint()->start[1]);
  const Sentence sentence{{{"b"}, {"b"}, {"z"}}, {"A", "A", "A"}};
  expect_same_posteriors(*hmm, *chain, extracted(hmm->extractor(), sentence),
                         extracted(chain->extractor(), sentence));
}

TEST(HmmToChain, AnEmissionOfProbability0IsRefused) {
  const Extractor extractor(hmm_extraction(InputFormat::columns, 1));
  HmmTraining training(extractor);
  training.add(extracted(extractor, {{{"a"}, {"b"}}, {"A", "B"}}));
  HmmOptions options;
  options.smoothing = {.emission = 0, .transition = 1};
  training.run(options);
  EXPECT_THROW(as_chain(*as_hmm(training)), Error);
}

}  // namespace
}  // namespace croft::hmm_to_chain_test
