// Scores of what was read are those of its strings, to the last bit.
#include "model/rows/read_sequence.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "features/extraction.h"
#include "model/foreign/foreign_chain.h"
#include "model/rows/template_rows.h"

namespace croft::read_sequence_test {
namespace {

constexpr std::size_t kLabels = 5;
const std::string kFile = "d.txt";

// Random weights for some of the strings, for some of the labels each.
ForeignRows random_rows(const std::set<std::string>& names, std::size_t cells, Random& random) {
  ForeignRows rows;
  for (const std::string& name : names) {
    if (random.next() % 3 == 0) continue;
    for (std::size_t c = 0; c < cells; ++c) {
      if (random.next() % 2 == 0) rows.add(static_cast<std::uint32_t>(c), random.uniform() - 0.5);
    }
    if (rows.begin.back() < rows.cell.size()) rows.end_row(name);
  }
  return rows;
}

void add_items(const StringLists& lists, std::set<std::string>& out) {
  for (std::size_t k = 0; k < lists.items(); ++k) out.emplace(lists.item(k));
}

ChainModel model_of(const ExtractionConfig& extraction, const std::vector<TextSequence>& texts,
                    bool single_sums, Random& random, std::size_t labels = kLabels) {
  std::set<std::string> node, edge;
  for (const TextSequence& text : texts) {
    add_items(text.node, node);
    add_items(text.edge, edge);
  }
  ForeignChain chain;
  for (std::size_t j = 0; j < labels; ++j) chain.labels.push_back("L" + std::to_string(j));
  chain.extraction = extraction;
  chain.node = random_rows(node, labels, random);
  chain.edge = random_rows(edge, labels * labels, random);
  chain.single_sums = single_sums;
  return ChainModel(Container::from_bytes(make_foreign_model(chain, "a test", "m").bytes(), "m"));
}

template <class Real>
void expect_equal(const Matrix<Real>& a, const Matrix<Real>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.columns(); ++c) EXPECT_EQ(a(r, c), b(r, c)) << r << ", " << c;
  }
}

template <class Real>
void expect_same_scores(const ChainModel& model, const TextSequence& text,
                        const TextSequence& empty, const ReadSequence& read,
                        SequenceModel::Scratch& of_text, SequenceModel::Scratch& of_read) {
  ChainScores<Real> expected, got;
  model.score(text, of_text, expected);
  model.score(empty, read, of_read, got);
  expect_equal(expected.state, got.state);
  ASSERT_EQ(expected.overlay_of, got.overlay_of);
  expect_equal(expected.overlay, got.overlay);
}

std::string random_word(Random& random, std::size_t kinds) {
  const std::size_t k = random.next() % kinds;
  return std::string(1 + k % 21, static_cast<char>('a' + k % 7)) + std::to_string(k / 50);
}

ColumnSequence random_columns(Random& random, std::size_t kinds) {
  ColumnSequence rows;
  const std::size_t length = 1 + random.next() % (random.next() % 8 == 0 ? 1500 : 20);
  for (std::size_t t = 0; t < length; ++t) {
    std::string line;
    for (std::size_t c = 0; c < 3; ++c) {
      if (c > 0) line += random.next() % 2 == 0 ? " " : " \t ";
      line += random_word(random, c == 1 ? 3 : kinds);
    }
    rows.append_row(line);
  }
  return rows;
}

void expect_templates_agree(const std::string& templates, TemplateLanguage language,
                            bool single_sums) {
  Random random(11);
  ExtractionConfig config;
  config.template_text = templates;
  config.template_name = "t";
  config.language = language;
  config.columns = 3;
  config.untied = true;
  const Extractor extractor(config);
  Extractor::Scratch scratch;
  std::vector<TextSequence> texts(40);
  std::vector<ColumnSequence> rows;
  for (TextSequence& text : texts) {
    rows.push_back(random_columns(random, 400));
    extractor.extract(rows.back(), false, scratch, text);
  }
  const ChainModel model =
      model_of(config, {texts.begin(), texts.begin() + 20}, single_sums, random);
  ASSERT_TRUE(model.scores_as_read());
  SequenceModel::Scratch of_text, of_read;
  for (std::size_t n = 0; n < texts.size(); ++n) {
    TextSequence empty;
    extractor.extract_labels(rows[n], false, empty);
    const ReadSequence read{.rows = &rows[n], .lines = nullptr, .file = &kFile};
    expect_same_scores<float>(model, texts[n], empty, read, of_text, of_read);
    expect_same_scores<double>(model, texts[n], empty, read, of_text, of_read);
  }
}

TEST(ReadSequence, TemplatesOfCrfppScoreAsTheirStringsDo) {
  expect_templates_agree(
      "U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[2,1]\nU3:%x[0,1]\nU4:%x[-1,0]/%x[0,0]\n"
      "U5:%x[0,0]/%x[1,1]/%x[0,2]\nU6:%x[-8,2]\nU7:%x[0,0]%x[0,1]%x[0,2]%x[1,0]%x[1,1]\n"
      "U8\nU1:%x[-1,0]\nB0:%x[0,0]\nB1:%x[-1,1]/%x[0,1]\nB\n",
      TemplateLanguage::crfpp, true);
}

TEST(ReadSequence, PatternsOfWapitiScoreAsTheirStringsDo) {
  expect_templates_agree(
      "u0:%x[0,0]\n*1:%x[-1,1]\nu2:%x[@1,0]\nu3:%x[@-1,1]/%x[0,0]\nu4:%X[12,0]\n"
      "u5:%m[0,0,\"^.?.?\"]/%t[1,2,\"a\"]\nu6:%M[-2,2,\".$\"]\nb7:%x[@2,1]%x[0,0]\nb\n",
      TemplateLanguage::wapiti, false);
}

// One of twenty lines in three is a line of `again`.
std::string random_lines(Random& random, std::size_t kinds, const std::string& again) {
  std::string text;
  const std::size_t length = 1 + random.next() % (random.next() % 8 == 0 ? 400 : 9);
  for (std::size_t t = 0; t < length; ++t) {
    text += "_";
    if (!again.empty() && random.next() % 3 == 0) {
      text += "\tagain" + std::to_string(random.next() % 20) + again;
      continue;
    }
    for (std::size_t k = random.next() % 12; k > 0; --k) {
      text += '\t';
      if (random.next() % 9 == 0) continue;  // an empty field
      text += random_word(random, kinds);
      if (random.next() % 4 == 0) text += "\\:x\\\\y\\z";
      if (random.next() % 3 == 0) text += ':';
      if (text.back() == ':' && random.next() % 2 == 0)
        text += random.next() % 2 == 0 ? "0.1" : "-2";
    }
    text += random.next() % 4 == 0 ? "\r\n" : "\n";
  }
  return text + "\n";
}

void expect_lines_agree(std::size_t sequences, std::size_t kinds, std::size_t labels = kLabels,
                        const std::string& again = "") {
  Random random(12);
  std::string data;
  for (std::size_t n = 0; n < sequences; ++n) data += random_lines(random, kinds, again);
  std::vector<TextSequence> texts;
  AttributesReader reader(LineReader(data, kFile));
  for (TextSequence text; reader.next(text);) texts.push_back(text);
  ASSERT_EQ(texts.size(), sequences);
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  const ChainModel model =
      model_of(config, {texts.begin(), texts.begin() + 60}, false, random, labels);
  ASSERT_TRUE(model.scores_as_read());
  SequenceModel::Scratch of_text, of_read;
  AttributesReader again_reader(LineReader(data, kFile));
  AttributeLines lines;
  TextSequence empty;
  for (const TextSequence& text : texts) {
    ASSERT_TRUE(again_reader.next(empty, lines));
    EXPECT_EQ(empty.node.items(), 0u);
    ASSERT_EQ(empty.length(), text.length());
    const ReadSequence read{.rows = nullptr, .lines = &lines, .file = &kFile};
    expect_same_scores<float>(model, text, empty, read, of_text, of_read);
    expect_same_scores<double>(model, text, empty, read, of_text, of_read);
  }
}

TEST(ReadSequence, AttributeLinesScoreAsTheirAttributesDo) { expect_lines_agree(120, 300); }

TEST(ReadSequence, SoDoMoreThanAreRememberedAtFirst) { expect_lines_agree(400, 100000); }

// Of every number of vectors that a row may be, and of more than are kept side by side.
TEST(ReadSequence, SoDoThoseOfAnyNumberOfLabels) {
  for (const std::size_t labels : {1, 8, 9, 17, 30, 40, 41, 50, 64, 65, 130}) {
    expect_lines_agree(60, 40, labels);
  }
}

TEST(ReadSequence, SoDoLinesThatComeAgain) {
  expect_lines_agree(900, 300, 11, "\ta\tb:2\tc\\:0.1\n");
}

// Equal lines of other cells: a cell that is given as one may have blanks.
TEST(ReadSequence, RowsOfCellsAreToldApartWhereTheirLinesAreEqual) {
  ExtractionConfig config;
  config.template_text = "U0:%x[0,0]\nU1:%x[0,1]\n";
  config.template_name = "t";
  config.columns = 2;
  const Extractor extractor(config);
  Extractor::Scratch scratch;
  ColumnSequence rows;
  for (const auto& [first, second] : {std::pair("a", "b c"), {"a b", "c"}, {"a", "b c"}}) {
    rows.append_cell(first);
    rows.append_cell(second);
    rows.end_row();
  }
  std::vector<TextSequence> texts(1);
  extractor.extract(rows, false, scratch, texts[0]);
  Random random(5);
  const ChainModel model = model_of(config, texts, false, random, 40);
  TextSequence empty;
  extractor.extract_labels(rows, false, empty);
  SequenceModel::Scratch of_text, of_read;
  expect_same_scores<float>(model, texts[0], empty, {.rows = &rows, .file = &kFile}, of_text,
                            of_read);
}

std::string fault_of(const ChainModel& model, const std::string& data) {
  AttributesReader reader(LineReader(data, kFile));
  AttributeLines lines;
  TextSequence empty;
  SequenceModel::Scratch scratch;
  ChainScores<float> scores;
  try {
    while (reader.next(empty, lines)) {
      model.score(empty, {.rows = nullptr, .lines = &lines, .file = &kFile}, scratch, scores);
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ReadSequence, FaultsOfAttributesAreThoseOfTheirReader) {
  Random random(13);
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  std::vector<TextSequence> texts(1);
  texts[0].node.append("a");
  texts[0].node.end_list();
  const ChainModel model = model_of(config, texts, false, random);
  for (const std::string data : {"x\ta\nx\ta\tb:c\n", "x\ta\tb:1:2\n\n", "x\t:1\n",
                                 "x\ta:inf\nx:y\ta\n", "x\ta\n\nx\ta\nx\tb:nan\n",
                                 "x\t\x01"
                                 "b\n"}) {
    AttributesReader reader(LineReader(data, kFile));
    TextSequence text;
    std::string expected;
    try {
      while (reader.next(text)) {
      }
    } catch (const InputError& error) {
      expected = error.what();
    }
    EXPECT_NE(expected, "");
    EXPECT_EQ(fault_of(model, data), expected);
  }
  EXPECT_NE(fault_of(model, "x\ta:1e16\n").find("more than 1e15"), std::string::npos);
}

TEST(ReadSequence, CellsHaveNumbersThatAreEqualWhereTheyAre) {
  CellNumbers numbers({1, 3});
  const std::string padding(ColumnSequence::kReadable, '\0');
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> seen;
  std::set<std::uint32_t> used;
  for (std::size_t round = 0; round < 2; ++round) {
    for (std::size_t size = 0; size < 40; ++size) {
      for (std::size_t differs = 0; differs <= size; ++differs) {
        std::string cell(size, 'x');
        if (differs < size) cell[differs] = 'y';
        for (std::uint32_t column = 0; column < 2; ++column) {
          const std::string readable = cell + padding;
          const std::string_view text(readable.data(), size);
          const CellNumbers::Key key(column, text);
          const std::uint32_t number = numbers.insert(key, key.hash(), text);
          const auto [at, is_new] = seen.try_emplace({column, cell}, number);
          EXPECT_EQ(at->second, number);
          if (!is_new) continue;
          for (std::uint32_t n = 0; n < (column == 0 ? 1 : 3); ++n) {
            EXPECT_TRUE(used.insert(number + n).second);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace croft::read_sequence_test
