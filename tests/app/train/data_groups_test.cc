// Data cut into sequences without a reader, and sequences that belong together.
#include "app/train/data_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <string>
#include <vector>

#include "app/train/data_blocks.h"
#include "app/train/train_request.h"
#include "croft/core/error.h"
#include "data/text_files.h"
#include "train/observer.h"

namespace croft::data_groups_test {
namespace {

TEST(DataBlocks, AreTheSequencesOfEachFormat) {
  const auto blocks = [](const char* text, InputFormat format) {
    LineReader lines(text, "test");
    DataBlocks data;
    append_blocks(lines, {format}, data);
    return data;
  };
  using Blocks = std::vector<std::string>;
  EXPECT_EQ(blocks("\na X\nb Y\n \n\nc X\n", InputFormat::columns).blocks,
            (Blocks{"a X\nb Y\n", "c X\n"}));
  EXPECT_EQ(blocks("@weight:2\nX\ta\n\nY\tb\n", InputFormat::attributes).blocks,
            (Blocks{"@weight:2\nX\ta\n", "Y\tb\n"}));
  EXPECT_EQ(blocks("x\ta b\n\ny\tc\n", InputFormat::text).blocks, (Blocks{"x\ta b\n", "y\tc\n"}));
  EXPECT_EQ(blocks("1 qid:7 1:1\n2 qid:7 2:1\n1 qid:8 1:1\n# note\n", InputFormat::svmlight).blocks,
            (Blocks{"1 qid:7 1:1\n2 qid:7 2:1\n", "1 qid:8 1:1\n"}));
  EXPECT_EQ(blocks("1 1:1\n1 1:1\n", InputFormat::svmlight).blocks.size(), 2u);
  const DataBlocks table = blocks("a,label\n\"two\nlines\",x\n3,y\n", InputFormat::csv);
  EXPECT_EQ(table.header(), "a,label\n");
  EXPECT_EQ(table.blocks, (Blocks{"\"two\nlines\",x\n", "3,y\n"}));
  EXPECT_EQ(table.text(std::vector<std::size_t>{1}), "a,label\n3,y\n");
}

using Groups = std::vector<std::size_t>;

Groups groups_of(const std::string& by, const char* text, InputFormat format, bool spans = false) {
  const BlockForm form{.format = format, .spans = spans};
  LineReader lines(text, "test");
  DataBlocks data;
  append_blocks(lines, form, data);
  return group_by(by, data, form);
}

TEST(DataGroups, AreWhatStandsBetweenTheMarksOfDocuments) {
  const char* const text = "before O\n\n-DOCSTART- O\n\na O\n\nb O\n\n-DOCSTART- O\n\nc O\n";
  EXPECT_EQ(groups_of("-DOCSTART-", text, InputFormat::columns), (Groups{0, 1, 1, 1, 2, 2}));
  EXPECT_THROW(groups_of("-DOC-", text, InputFormat::columns), UsageError);
  DataBlocks two;
  for (const char* name : {"one", "two"}) {
    LineReader lines("-DOCSTART- O\n\na O\n", name);
    append_blocks(lines, {}, two);
    LineReader more("b O\n", name);
    append_blocks(more, {}, two);
  }
  EXPECT_EQ(group_by("-DOCSTART-", two, {}), (Groups{0, 0, 1, 2, 2, 3}));  // files are apart
}

TEST(DataGroups, BeginAtMarksThatStandInLinesThatAreLeftOut) {
  const BlockForm form{.ignored = "^-DOCSTART-"};
  LineReader lines("-DOCSTART- O\n\na O\n\nb O\n\n-DOCSTART- O\nc O\n", "test");
  DataBlocks data;
  append_blocks(lines, form, data);
  EXPECT_EQ(group_by("-DOCSTART-", data, form), (Groups{0, 0, 1}));
  EXPECT_EQ(place_of(*document_mark(data)), "test:1");
  EXPECT_THROW(group_by("-OTHER-", data, form), UsageError);
}

TEST(DataGroups, AreTheValuesOfAColumnOrKeyWhereverTheyStand) {
  EXPECT_EQ(groups_of("1", "a d2 O\n\nb d1 O\nc d1 O\n\nd d2 O\n", InputFormat::columns),
            (Groups{0, 1, 0}));
  EXPECT_THROW(groups_of("3", "a d2 O\n", InputFormat::columns), InputError);
  EXPECT_EQ(groups_of("who", "x,who,label\n1,\"a,b\",p\n2,c,q\n3,\"a,b\",p\n", InputFormat::csv),
            (Groups{0, 1, 0}));
  EXPECT_THROW(groups_of("no", "x,who\n1,a\n", InputFormat::csv), UsageError);
  const char* const lines = "{\"doc\":7,\"tokens\":[\"a\"]}\n{\"doc\":\"7\"}\n{\"doc\":7}\n";
  EXPECT_EQ(groups_of("doc", lines, InputFormat::text, true), (Groups{0, 1, 0}));
  EXPECT_THROW(groups_of("id", lines, InputFormat::text, true), InputError);
}

TEST(DataGroups, ArePartedByBlankLines) {
  EXPECT_EQ(groups_of("blank-lines", "\n\na O\n\nb O\n\n\nc O\nd O\n", InputFormat::columns),
            (Groups{0, 0, 1}));
  EXPECT_EQ(groups_of("blank-lines", "x\ta\ny\tb\n\nx\tc\n", InputFormat::text), (Groups{0, 0, 1}));
  EXPECT_THROW(groups_of("blank-lines", "1 1:1\n", InputFormat::svmlight), UsageError);
}

// What the readers make of the same files.
struct Sources {
  InputFormat format;
  bool spans;
  std::string by;
  std::vector<std::string> texts;
};

std::string with_carriage_returns(const std::string& text) {
  std::string out;
  for (const char c : text) out.append(c == '\n' ? "\r\n" : std::string(1, c));
  return out;
}

void expect_a_group_for_each_sequence(const Sources& sources) {
  std::list<TemporaryFile> files;
  TrainRequest request;
  for (const std::string& text : sources.texts) {
    request.data.push_back(files.emplace_back(text).path());
  }
  request.format = sources.format;
  if (sources.spans) request.spans = ChunkScheme::bio;
  request.holdout = "0.3";
  request.group_by = sources.by;
  request.options.kind = ChainKind::maxent;
  TrainObserver nobody;
  const auto input = open_training_files(request, make_extraction(request, nullptr), nobody);
  const std::size_t groups = input->groups().size();
  std::size_t sequences = 0;
  input->read([&](TextSequence&, const std::string&) { ++sequences; });
  EXPECT_EQ(groups, sequences) << sources.by << " of " << sources.texts[0];
}

TEST(DataGroups, AreOfTheSequencesThatTheReadersFind) {
  using enum InputFormat;
  const Sources all[] = {
      {columns, false, "blank-lines", {"\n \n\na O\nb O\n \t \nc O\n\n\nd O", "\ne O\n\n\n"}},
      {columns, false, "-DOCSTART-", {"\n-DOCSTART- O\n\na O\n\n\n-DOCSTART-\tO\nb O\n"}},
      {columns, false, "0", {"a O\n\n\n\nb O\na O\n\n", "\n\na O\n"}},
      {attributes,
       false,
       "blank-lines",
       {"\n\n@weight:2\nX\ta\n\nY\tb\nX\n\n\n@weight:0.5\nX\ta", "@weight:3\nY\tb\n\n"}},
      {text, false, "blank-lines", {"\n  \nX\ta b\nY\tc\n\nX\t\n \n\nY\ta\n", "X\tc"}},
      {csv,
       false,
       "c",
       {"\n\nc,x,label\n\n1,2,a\n\"2\n\n\",3,b\n", "label,c,x\na,1,\"\"\"\"\n\n\n"}},
      {columns,
       true,
       "d",
       {"\n{\"d\":1,\"tokens\":[],\"spans\":[]}\n\t\n{\"d\":2,\"tokens\":[\"a\"],\"spans\":[[0,1,"
        "\"X\"]]}\n"
        "\r\n{\"d\":1,\"tokens\":[],\"spans\":[]}\n\n{\"d\":3,\"tokens\":[\"b\"],\"spans\":[]}",
        "{\"d\":1,\"tokens\":[],\"spans\":[]}\n\n"}},
  };
  for (const Sources& each : all) {
    expect_a_group_for_each_sequence(each);
    Sources other = each;
    for (std::string& text : other.texts) text = with_carriage_returns(text);
    expect_a_group_for_each_sequence(other);
    other = each;
    std::ranges::reverse(other.texts);
    if (!each.spans) expect_a_group_for_each_sequence(other);  // the first file needs a token
  }
}

TEST(DataGroups, MayStandInColumnsOfAnotherOrderInEachTable) {
  DataBlocks data;
  const BlockForm form{.format = InputFormat::csv};
  for (const char* text : {"c,x\n1,a\n2,b\n", "x,c\na,2\nb,1\n"}) {
    LineReader lines(text, "test");
    append_blocks(lines, form, data);
  }
  EXPECT_EQ(group_by("c", data, form), (Groups{0, 1, 1, 0}));
}

TEST(DataGroups, AMarkOfDocumentsIsTheFirstCellOfASequence) {
  DataBlocks data;
  LineReader lines("\na O\n-DOCSTART- O\n\n-DOCSTART- O\n", "test");
  append_blocks(lines, {}, data);
  const auto mark = document_mark(data);
  ASSERT_TRUE(mark);
  EXPECT_EQ(place_of(*mark), "test:5");
  EXPECT_EQ(ungrouped_warning(*mark, "here").find("test:5: a mark of documents, -DOCSTART-: "), 0u);
  EXPECT_FALSE(document_mark({}));
}

}  // namespace
}  // namespace croft::data_groups_test
