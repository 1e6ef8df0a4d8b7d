#include "features/conjunctions.h"

#include <gtest/gtest.h>

#include <map>

#include "croft/core/random.h"
#include "features/extraction.h"

namespace croft::conjunctions_test {
namespace {

TEST(Conjunctions, NameJoinsTheParts) {
  EXPECT_EQ((Conjunction{{"pos=IN", "w=with"}}.name()), "pos=IN & w=with");
}

// Random conjunctions of 12 attributes on random lists, some with an attribute twice, against a
// search through all of them.
TEST(Conjunctions, IndexFindsWhatASearchThroughAllFinds) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    ConjunctionIndex index;
    std::vector<std::vector<std::uint32_t>> parts;
    const std::size_t count = random.below(30);
    for (std::size_t c = 0; c < count; ++c) {
      std::vector<std::uint32_t> own;
      const std::size_t size = 1 + random.below(kMostParts);
      while (own.size() < size) {
        const auto a = static_cast<std::uint32_t>(random.below(12));
        if (std::ranges::find(own, a) == own.end()) own.push_back(a);
      }
      EXPECT_EQ(index.add(own), parts.size());
      parts.push_back(own);
    }
    index.finish();
    std::vector<std::uint32_t> ids;
    std::vector<double> values;
    std::map<std::uint32_t, double> value;
    const std::size_t items = random.below(8);
    for (std::size_t k = 0; k < items; ++k) {
      ids.push_back(random.below(9) == 0 ? kUnknown : static_cast<std::uint32_t>(random.below(14)));
      values.push_back(random.below(6) == 0 ? 0.0 : random.normal());
      value[ids.back()] += values.back();
    }
    ConjunctionIndex::Scratch scratch;
    for (const bool with_values : {true, false}) {
      if (!with_values) value.clear();
      for (std::size_t k = 0; !with_values && k < ids.size(); ++k) value[ids[k]] += 1;
      std::vector<ConjunctionIndex::Hit> found;
      index.find(ids, with_values ? std::span<const double>(values) : std::span<const double>(),
                 scratch, found);
      std::size_t at = 0;
      for (std::uint32_t c = 0; c < parts.size(); ++c) {
        double product = 1;
        for (const std::uint32_t a : parts[c]) product *= value.contains(a) ? value.at(a) : 0.0;
        if (product == 0) continue;
        ASSERT_LT(at, found.size());
        EXPECT_EQ(found[at].conjunction, c);
        EXPECT_DOUBLE_EQ(found[at++].value, product);
      }
      EXPECT_EQ(at, found.size());
    }
  }
}

TEST(Conjunctions, ExtractionAppendsThemToTheAttributesOfAPosition) {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  config.conjunctions = {{{"a", "b"}}, {{"a", "c", "d"}}, {{"b", "z"}}};
  const Extractor extractor(config);
  TextSequence text;
  text.node.append("a", 2);
  text.node.append("b", 3);
  text.node.end_list();
  text.node.append("b");
  text.node.append("c");
  text.node.end_list();
  text.node.append("d", 0.5);
  text.node.append("c");
  text.node.append("a", 4);
  text.node.end_list();
  Extractor::Scratch scratch;
  extractor.complete(text, scratch);
  ASSERT_EQ(text.node.list_end(0), 3u);
  EXPECT_EQ(text.node.item(2), "a & b");
  EXPECT_EQ(text.node.value(2), 6);
  EXPECT_EQ(text.node.list_end(1), 5u);  // neither
  ASSERT_EQ(text.node.list_end(2), 9u);
  EXPECT_EQ(text.node.item(8), "a & c & d");
  EXPECT_EQ(text.node.value(8), 2);
}

}  // namespace
}  // namespace croft::conjunctions_test
