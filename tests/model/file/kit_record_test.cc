#include "model/file/kit_record.h"

#include <gtest/gtest.h>

#include "core/json.h"
#include "croft/core/error.h"

namespace croft::kit_record_test {
namespace {

// A kit with a feature of every kind.
std::shared_ptr<const FeatureKit> every_kind() {
  auto kit = std::make_shared<FeatureKit>(std::vector<std::string>{"word", "size"});
  GazetteerBuilder places(true);
  places.read(LineReader("New York\tLOC\nParis\n", "places"));
  NumberFeature bins;
  bins.bins = 2;
  bins.missing = {"?"};
  bins.scaling = NumberScaling{1.5, 2, {3}};
  NumberFeature cuts;
  cuts.cuts = {0.25};
  cuts.missing = {"?"};
  NumberFeature scaled;
  scaled.scaling = NumberScaling{1.5, 2, {}};
  scaled.missing = {"?"};
  const auto clusters = WordClusters::read(LineReader("0010\tnew\n11\tYork\n", "clusters"));
  const auto vectors = Embeddings::read(LineReader("new 1 2\nyork -1 0.1\n", "vectors"), {});
  kit->add({"form", "word", {}, FormsFeature{true, true, true, {1}, {2, 3}, false, false}});
  kit->add({"chars", "", {{-1, 0}}, NgramsFeature{2, 3, false, true}});
  kit->add({"year", "0", {}, PatternFeature{"^\\d+$", nullptr}});
  kit->add({"place", "", {{-1, 0, 1}}, GazetteerFeature{places.build(), {}}});
  kit->add({"brown", "", {}, ClustersFeature{clusters, {2, 4}}});
  kit->add({"path", "", {}, ClustersFeature{clusters, {}}});
  kit->add({"vec", "", {}, EmbeddingsFeature{vectors, UnknownWord::mean, "", {}}});
  kit->add({"vec-word", "", {}, EmbeddingsFeature{vectors, UnknownWord::flag, "new", {}}});
  kit->add({"bin", "size", {}, bins});
  kit->add({"cut", "size", {}, cuts});
  kit->add({"scaled", "size", {}, scaled});
  kit->add({"b", "", {}, BackoffFeature{{"word", "brown.2"}, {{-1, 0}}, true}});
  return kit;
}

Container stored(const FeatureKit& kit) {
  ContainerWriter out;
  write_kit_sections(kit, out);
  return Container::from_bytes(out.bytes(), "kit.croft");
}

std::vector<std::pair<std::string, double>> attributes(const FeatureKit& kit) {
  const auto bound = kit.bind(InputFormat::columns, 2, nullptr);
  ColumnSequence rows;
  for (const char* row : {"New 3.5", "York ?", "1999 -2", "paris 0"}) rows.append_row(row);
  KitScratch scratch;
  bound->start(rows, scratch, "data");
  StringLists out;
  for (std::size_t t = 0; t < rows.rows(); ++t) bound->expand(t, scratch, out);
  std::vector<std::pair<std::string, double>> items;
  for (std::size_t k = 0; k < out.items(); ++k) items.emplace_back(out.item(k), out.value(k));
  return items;
}

TEST(KitRecord, AKitThatWasStoredComputesTheSame) {
  const auto kit = every_kind();
  const Container container = stored(*kit);
  const auto read = read_kit(container);
  EXPECT_EQ(attributes(*read), attributes(*kit));
  EXPECT_GT(attributes(*kit).size(), 60u);
  // And the bytes are the same again, of the views as of a kit that owns its memory.
  EXPECT_TRUE(std::ranges::equal(stored(*read).bytes(), container.bytes()));
  EXPECT_TRUE(std::ranges::equal(stored(*read->owning()).bytes(), container.bytes()));
}

TEST(KitRecord, AKitOfTextsThatWasStoredComputesTheSame) {
  auto kit = std::make_shared<FeatureKit>();
  GazetteerBuilder places(true, Tokenizer(kit_words({})));
  places.read(LineReader("New York\tLOC\n", "places"));
  KitFeature list{"place", "", {}, GazetteerFeature{places.build(), {}}};
  list.values = TextValues::share;
  EmbeddingsFeature near{
      Embeddings::read(LineReader("new 1 2\nyork -1 0.5\nold 1 1.5\n", "vectors"), {})};
  near.average = false;
  near.nearest = 2;
  near.known = SharedArray<std::uint32_t>(std::vector<std::uint32_t>{0, 2});
  kit->add(list);
  kit->add({"near", "", {}, near});
  const Container container = stored(*kit);
  const auto read = read_kit(container);
  const auto values = [](const FeatureKit& of) {
    const auto bound = of.for_texts({})->bind(InputFormat::text, 0, nullptr);
    KitScratch scratch;
    StringLists out;
    bound->start("an old New York", scratch);
    bound->expand(0, scratch, out);
    std::vector<std::pair<std::string, double>> items;
    for (std::size_t k = 0; k < out.items(); ++k) items.emplace_back(out.item(k), out.value(k));
    return items;
  };
  EXPECT_EQ(values(*read), values(*kit));
  EXPECT_EQ(values(*kit).front(), (std::pair<std::string, double>{"place=LOC", 0.25}));
  EXPECT_GE(values(*kit).size(), 3u);
  EXPECT_TRUE(std::ranges::equal(stored(*read->owning()).bytes(), container.bytes()));
  near.known = SharedArray<std::uint32_t>(std::vector<std::uint32_t>{0, 3});
  FeatureKit beyond;
  beyond.add({"near", "", {}, near});
  EXPECT_THROW(read_kit(stored(beyond)), Error);
}

TEST(KitRecord, WithoutASectionThereIsNone) {
  ContainerWriter out;
  out.add("meta", "{}");
  EXPECT_EQ(read_kit(Container::from_bytes(out.bytes(), "m")), nullptr);
}

// Every field of every feature taken away, and replaced by a value of another type.
TEST(KitRecord, DamagedRecordsAreErrors) {
  const Container good = stored(*every_kind());
  const Json record = parse_json(good.text(kKitSection));
  const auto message = [&](const Json& damaged) -> std::string {
    ContainerWriter out;
    for (const Container::Entry& entry : good.entries()) {
      if (entry.name == kKitSection) continue;
      const auto bytes = good.section(entry.name);
      out.add(entry.name, {bytes.begin(), bytes.end()}, ContainerWriter::Kind::bulk);
    }
    out.add(std::string(kKitSection), damaged.dump(), ContainerWriter::Kind::required);
    try {
      const auto kit = read_kit(Container::from_bytes(out.bytes(), "kit.croft"));
      return "read";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message(record), "read");
  std::size_t damaged = 0;
  for (std::size_t k = 0; k < record["features"].size(); ++k) {
    for (const auto& [key, value] : record["features"][k].items()) {
      Json other = record;
      other["features"][k].erase(key);
      const bool optional = key == "at" || key == "cuts";
      if (!optional) {
        EXPECT_NE(message(other).find("section kit is damaged"), std::string::npos) << k << key;
        ++damaged;
      }
      other["features"][k][key] = {{"no", "such"}};
      EXPECT_NE(message(other).find("section kit is damaged"), std::string::npos) << k << key;
    }
  }
  EXPECT_GT(damaged, 50u);
}

TEST(KitRecord, SectionsOfOtherSizesAreErrors) {
  const Container good = stored(*every_kind());
  for (const Container::Entry& entry : good.entries()) {
    if (entry.name == kKitSection) continue;
    ContainerWriter out;
    for (const Container::Entry& each : good.entries()) {
      auto bytes = good.section(each.name);
      if (each.name == entry.name) bytes = bytes.first(bytes.size() - 4);
      out.add(each.name, {bytes.begin(), bytes.end()},
              each.required ? ContainerWriter::Kind::required : ContainerWriter::Kind::bulk);
    }
    EXPECT_THROW(read_kit(Container::from_bytes(out.bytes(), "k")), Error) << entry.name;
  }
}

}  // namespace
}  // namespace croft::kit_record_test
