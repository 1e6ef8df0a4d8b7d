// What a model file keeps of how texts and tables become features.
#include "model/file/extraction_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/json.h"
#include "croft/core/error.h"

namespace croft::extraction_record_test {
namespace {

// null takes a key out.
void patch_object(Json& object, const Json& patch) {
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null()) {
      object.erase(key);
    } else if (value.is_object()) {
      patch_object(object[key], value);
    } else {
      object[key] = value;
    }
  }
}

Container stored(const ExtractionConfig& config, const Json& patch = Json::object()) {
  Json meta = {{"extraction", extraction_record(config)}};
  patch_object(meta, patch);
  ContainerWriter out;
  out.add("meta", meta.dump());
  write_extraction_sections(config, out);
  return Container::from_bytes(out.bytes(), "m.croft");
}

ExtractionConfig read_back(const Container& container) {
  return read_extraction(container, parse_json(container.text("meta")));
}

ExtractionConfig text_config() {
  ExtractionConfig config;
  config.format = InputFormat::text;
  config.text.tokenizer = {.analyzer = Analyzer::word,
                           .shortest = 1,
                           .longest = 2,
                           .lower_case = false,
                           .stop_words = {"the", "ñ"}};
  config.text.values = TermValues::tf_idf;
  config.text.sublinear = true;
  config.text.norm = TermNorm::l1;
  config.text.min_documents = {1, false};
  config.text.max_documents = {1, true};
  config.text.max_terms = 40;
  TermFit fit(config.text);
  for (const char* text : {"the cat sat", "the Größe", "cat, cat"}) fit.add(text);
  config.terms = fit.finish();
  return config;
}

TEST(ExtractionRecord, TextsAreReadBackAsTheyWere) {
  const ExtractionConfig config = text_config();
  const Container container = stored(config);
  const ExtractionConfig read = read_back(container);
  EXPECT_EQ(read.format, InputFormat::text);
  EXPECT_EQ(read.text, config.text);
  ASSERT_TRUE(read.terms);
  EXPECT_EQ(read.terms->documents(), 3u);
  EXPECT_TRUE(std::ranges::equal(read.terms->image(), config.terms->image()));
  EXPECT_TRUE(std::ranges::equal(read.terms->frequency(), config.terms->frequency()));
}

TEST(ExtractionRecord, LimitsKeepWhetherTheyAreFractions) {
  ExtractionConfig config = text_config();
  for (const DocumentLimit limit : {DocumentLimit{1, true}, {1, false}, {0.25, true}, {7, false}}) {
    config.text.max_documents = limit;
    EXPECT_EQ(read_back(stored(config)).text.max_documents, limit);
  }
}

TEST(ExtractionRecord, PlainCountsHaveNoSectionsOfTheirOwn) {
  ExtractionConfig config;
  config.format = InputFormat::text;
  const Container container = stored(config);
  EXPECT_EQ(container.entries().size(), 1u);
  EXPECT_FALSE(read_back(container).terms);
}

TEST(ExtractionRecord, HashedFrequenciesAreReadBack) {
  ExtractionConfig config;
  config.format = InputFormat::text;
  config.text.hash_bits = 3;
  config.text.values = TermValues::tf_idf;
  TermFit fit(config.text);
  fit.add("a bag of words");
  config.terms = fit.finish();
  const Container container = stored(config);
  const ExtractionConfig read = read_back(container);
  EXPECT_TRUE(std::ranges::equal(read.terms->frequency(), config.terms->frequency()));
  // Another number of them than there are numbers of hashes.
  const Json patch = {{"extraction", {{"text", {{"hash_bits", 4}}}}}};
  EXPECT_THROW(read_back(stored(config, patch)), Error);
}

TEST(ExtractionRecord, TablesAreReadBackAsTheyWere) {
  CsvColumnFinder finder(
      {.delimiter = ';', .ignored = {"id"}, .missing = {"NA", "?"}, .standardise = true});
  finder.read(LineReader("id;age;größe;y\n1;0.1;x;p\n2;NA;y;q\n3;0.7;x;p\n", "d.csv"));
  ExtractionConfig config;
  config.format = InputFormat::csv;
  config.csv = finder.columns();
  ASSERT_EQ(config.csv.columns.size(), 2u);
  EXPECT_EQ(read_back(stored(config)).csv, config.csv);  // mean and deviation to the last bit
}

TEST(ExtractionRecord, OtherFormatsAreReadBack) {
  for (const InputFormat format :
       {InputFormat::columns, InputFormat::attributes, InputFormat::svmlight}) {
    ExtractionConfig config;
    config.format = format;
    config.columns = format == InputFormat::columns ? 3 : 0;
    config.boundaries = true;
    config.intercept = format == InputFormat::svmlight;
    const ExtractionConfig read = read_back(stored(config));
    EXPECT_EQ(read.format, format);
    EXPECT_EQ(read.columns, config.columns);
    EXPECT_TRUE(read.boundaries);
    EXPECT_EQ(read.intercept, config.intercept);
  }
}

TEST(ExtractionRecord, WhatIsDamagedIsRefused) {
  const auto refused = [](const ExtractionConfig& config, const Json& extraction) {
    const Container container = stored(config, {{"extraction", extraction}});
    try {
      read_back(container);
    } catch (const Error& error) {
      return std::string(error.what()).starts_with("m.croft: section meta is damaged");
    }
    return false;
  };
  const ExtractionConfig text = text_config();
  EXPECT_TRUE(refused(text, {{"format", "tsv"}}));
  EXPECT_TRUE(refused(text, {{"format", 3}}));
  EXPECT_TRUE(refused(text, {{"text", nullptr}}));
  for (const Json& patch : {Json{{"analyzer", "x"}}, Json{{"ngrams", {0, 1}}}, Json{{"ngrams", 2}},
                            Json{{"values", 1}}, Json{{"hash_bits", 40}}, Json{{"stop_words", "a"}},
                            Json{{"min_documents", "2"}}, Json{{"documents", nullptr}}}) {
    EXPECT_TRUE(refused(text, {{"text", patch}})) << patch;
  }
  ExtractionConfig rows;
  rows.format = InputFormat::columns;
  rows.columns = 2;
  EXPECT_FALSE(refused(rows, {{"columns", 1}}));
  EXPECT_TRUE(refused(rows, {{"columns", 0}}));
  EXPECT_FALSE(refused(rows, {{"columns", 0}, {"more_columns", true}}));
  ExtractionConfig table;
  table.format = InputFormat::csv;
  table.csv = {.delimiter = ',',
               .label = "y",
               .columns = {{"a", CsvKind::numeric, 1, 2}},
               .ignored = {},
               .missing = {},
               .standardised = true};
  EXPECT_TRUE(refused(table, {{"csv", {{"delimiter", "--"}}}}));
  EXPECT_TRUE(refused(table, {{"csv", {{"columns", {{{"name", "a"}}}}}}}));
  for (const double deviation : {0.0, -1.0}) {
    EXPECT_TRUE(refused(
        table,
        {{"csv",
          {{"columns",
            {{{"name", "a"}, {"kind", "numeric"}, {"mean", 0}, {"deviation", deviation}}}}}}}));
  }
}

TEST(ExtractionRecord, AMissingSectionIsRefused) {
  ExtractionConfig config = text_config();
  config.terms.reset();
  Json record = extraction_record(config);
  record["text"]["documents"] = 3;
  ContainerWriter out;
  out.add("meta", Json{{"extraction", record}}.dump());
  const Container container = Container::from_bytes(out.bytes(), "m.croft");
  EXPECT_THROW(read_back(container), Error);
}

}  // namespace
}  // namespace croft::extraction_record_test
