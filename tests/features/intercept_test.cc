#include <gtest/gtest.h>

#include "core/json.h"
#include "croft/core/error.h"
#include "features/extraction.h"
#include "model/file/extraction_record.h"

namespace croft::intercept_test {
namespace {

ExtractionConfig columns_with_template() {
  ExtractionConfig config;
  config.template_text = "U0:%x[0,0]\n";
  config.template_name = "t";
  config.columns = 1;
  return config;
}

std::vector<std::string> items(const StringLists& lists) {
  std::vector<std::string> out;
  for (std::size_t p = 0; p < lists.lists(); ++p) {
    for (std::size_t k = lists.list_begin(p); k < lists.list_end(p); ++k) {
      out.emplace_back(lists.item(k));
      EXPECT_TRUE(lists.item(k) != kIntercept || lists.value(k) == 1);
    }
    out.emplace_back("|");
  }
  return out;
}

TEST(Intercept, EveryRowHasIt) {
  ExtractionConfig config = columns_with_template();
  config.intercept = true;
  ColumnsReader reader(LineReader("a X\nb Y\n", "data"));
  ColumnSequence rows;
  ASSERT_TRUE(reader.next(rows));
  Extractor::Scratch scratch;
  TextSequence text;
  Extractor(config).extract(rows, true, scratch, text);
  EXPECT_EQ(items(text.node),
            (std::vector<std::string>{"U0:a", "(intercept)", "|", "U0:b", "(intercept)", "|"}));
}

TEST(Intercept, EveryLineOfAttributesHasIt) {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  config.intercept = true;
  TextSequence text;
  text.node.append("x", 2);
  text.node.end_list();
  text.node.end_list();
  Extractor::Scratch scratch;
  Extractor(config).complete(text, scratch);
  EXPECT_EQ(items(text.node),
            (std::vector<std::string>{"x", "(intercept)", "|", "(intercept)", "|"}));
  EXPECT_EQ(text.node.value(0), 2);
  config.intercept = false;
  TextSequence plain;
  plain.node.append("x");
  plain.node.end_list();
  Extractor(config).complete(plain, scratch);
  EXPECT_EQ(items(plain.node), (std::vector<std::string>{"x", "|"}));
}

TEST(Intercept, TheRecordSaysSoOnlyWhereThereIsOne) {
  ExtractionConfig config = columns_with_template();
  EXPECT_FALSE(extraction_record(config).contains("intercept"));
  config.intercept = true;
  EXPECT_EQ(extraction_record(config)["intercept"], true);
}

TEST(Intercept, AnAttributeOfItsNameIsAnErrorThatSaysWhere) {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  config.intercept = true;
  TextSequence sequence;
  sequence.first_line = 7;
  sequence.node.append("x");
  sequence.node.append(kIntercept);
  sequence.node.end_list();
  Extractor::Scratch scratch;
  TextSequence once = sequence;
  try {
    Extractor(config).complete(once, scratch, "a.txt");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "a.txt:7: an attribute with the name of the intercept in the sequence that begins "
              "here: \"(intercept)\"; rename it, or train without an intercept");
  }
  config.intercept = false;
  EXPECT_NO_THROW(Extractor(config).complete(sequence, scratch, "a.txt"));
}

}  // namespace
}  // namespace croft::intercept_test
